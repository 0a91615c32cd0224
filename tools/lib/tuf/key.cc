// SPDX-License-Identifier: MIT
#include "tuf/key.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "tuf/canonical_json.h"
#include "tuf/openssl_pointers.h"

namespace piship::tuf {
namespace {

constexpr std::size_t kPemLimit = std::size_t{16} << 10;
constexpr std::size_t kEd25519Size = 32;

struct Scheme {
  std::string_view name;
  std::string_view keytype;
  std::string_view algorithm;  // OpenSSL's name
  std::string_view group;      // of an elliptic curve
  const char* digest;          // null where the algorithm has its own
  int padding;                 // of RSA
};

constexpr std::array<Scheme, 5> kSchemes = {{
    {"ed25519", "ed25519", "ED25519", "", nullptr, 0},
    {"ecdsa-sha2-nistp256", "ecdsa", "EC", "prime256v1", "SHA256", 0},
    {"ecdsa-sha2-nistp384", "ecdsa", "EC", "secp384r1", "SHA384", 0},
    {"rsassa-pss-sha256", "rsa", "RSA", "", "SHA256", RSA_PKCS1_PSS_PADDING},
    {"rsa-pkcs1v15-sha256", "rsa", "RSA", "", "SHA256", RSA_PKCS1_PADDING},
}};

const Scheme* FindScheme(std::string_view keytype, std::string_view name) {
  for (const Scheme& scheme : kSchemes) {
    // "ecdsa-sha2-nistp256" as a key type is an older spelling of "ecdsa".
    if (scheme.name == name && (scheme.keytype == keytype || (scheme.keytype == "ecdsa" && keytype == name))) {
      return &scheme;
    }
  }
  return nullptr;
}

PkeyPointer FromPem(std::string_view text) {
  if (text.size() > kPemLimit) return nullptr;
  const BioPointer bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) return nullptr;
  // An empty password callback: a public key is never encrypted, and nothing may prompt.
  return PkeyPointer(PEM_read_bio_PUBKEY(
      bio.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
}

PkeyPointer FromPoint(const std::string& point, std::string_view group) {
  const PkeyContextPointer context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  if (!context || EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
  std::string group_name(group);
  std::string copy = point;
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group_name.data(), group_name.size()),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, copy.data(), copy.size()), OSSL_PARAM_construct_end()};
  EVP_PKEY* key = nullptr;
  std::array<OSSL_PARAM, 3> writable = parameters;
  if (EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, writable.data()) != 1) return nullptr;
  return PkeyPointer(key);
}

PkeyPointer Load(const Scheme& scheme, std::string_view material) {
  if (material.starts_with("-----BEGIN ")) return FromPem(material);
  const auto bytes = material.size() <= kPemLimit ? BytesOfHex(material) : std::nullopt;
  if (!bytes) return nullptr;
  if (scheme.algorithm == "ED25519") {
    if (bytes->size() != kEd25519Size) return nullptr;
    return PkeyPointer(EVP_PKEY_new_raw_public_key(
        EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(bytes->data()), bytes->size()));
  }
  if (scheme.algorithm == "EC") return FromPoint(*bytes, scheme.group);
  return nullptr;
}

// Whether an encoded point of edwards25519 has an order of at most 8, or a y that is not below the prime: the encodings
// of y = 0, 1, -1, the two y of order 8, and everything from the prime on. The sign bit does not matter.
bool IsSmallOrNotCanonical(std::string_view point) {
  std::array<std::uint8_t, kEd25519Size> y{};
  std::copy(point.begin(), point.end(), y.begin());
  y[31] &= 0x7f;
  static constexpr std::array<std::array<std::uint8_t, kEd25519Size>, 2> kOrderEight = {{
      {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
       0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
      {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
       0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
  }};
  for (const auto& bad : kOrderEight) {
    if (y == bad) return true;
  }
  const bool middle_zero = std::all_of(y.begin() + 1, y.end(), [](std::uint8_t byte) { return byte == 0; });
  if (middle_zero && y[0] <= 1) return true;
  // From 2^255 - 20, which is -1, to 2^255 - 1: the prime is 2^255 - 19.
  const bool middle_full = std::all_of(y.begin() + 1, y.end() - 1, [](std::uint8_t byte) { return byte == 0xff; });
  return middle_full && y[31] == 0x7f && y[0] >= 0xec;
}

std::string PublicBytes(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return {};
  std::string bytes(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

bool Fits(const Scheme& scheme, EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, std::string(scheme.algorithm).c_str()) != 1) return false;
  if (scheme.algorithm == "EC") {
    std::array<char, 64> group{};
    std::size_t size = 0;
    return EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
           std::string_view(group.data(), size) == scheme.group;
  }
  if (scheme.algorithm == "RSA") return EVP_PKEY_get_bits(key) >= 2048 && EVP_PKEY_get_bits(key) <= 8192;
  std::array<unsigned char, kEd25519Size> raw{};
  std::size_t size = raw.size();
  return EVP_PKEY_get_raw_public_key(key, raw.data(), &size) == 1 && size == raw.size() &&
         !IsSmallOrNotCanonical({reinterpret_cast<const char*>(raw.data()), raw.size()});
}

}  // namespace

struct Key::Material {
  const Scheme* scheme = nullptr;
  PkeyPointer key;
};

std::optional<Key> Key::From(std::string_view keytype, std::string_view scheme_name, std::string_view material) {
  const Scheme* scheme = FindScheme(keytype, scheme_name);
  if (scheme == nullptr) return std::nullopt;
  // Before anything else of OpenSSL: what a configuration file of the machine says must not matter.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  auto loaded = std::make_shared<Material>();
  loaded->scheme = scheme;
  loaded->key = Load(*scheme, material);
  const bool usable = loaded->key != nullptr && Fits(*scheme, loaded->key.get());
  std::string identity = usable ? PublicBytes(loaded->key.get()) : std::string();
  ERR_clear_error();
  if (identity.empty()) return std::nullopt;
  return Key(std::move(loaded), std::move(identity));
}

bool Key::Verify(std::string_view message, std::string_view signature) const {
  const Scheme& scheme = *material_->scheme;
  if (scheme.algorithm == "ED25519") {
    if (signature.size() != 2 * kEd25519Size || IsSmallOrNotCanonical(signature.substr(0, kEd25519Size))) return false;
  }
  const ContextPointer context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* key_context = nullptr;
  bool good = context != nullptr && EVP_DigestVerifyInit_ex(context.get(), &key_context, scheme.digest, nullptr,
                                                            nullptr, material_->key.get(), nullptr) == 1;
  if (good && scheme.padding != 0) good = EVP_PKEY_CTX_set_rsa_padding(key_context, scheme.padding) == 1;
  if (good && scheme.padding == RSA_PKCS1_PSS_PADDING) {
    good = EVP_PKEY_CTX_set_rsa_pss_saltlen(key_context, RSA_PSS_SALTLEN_AUTO) == 1;
  }
  good = good &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
  ERR_clear_error();
  return good;
}

json::Value KeyObject(std::string_view keytype, std::string_view scheme, std::string_view material) {
  json::Value keyval = json::Value::Object();
  keyval.Set("public", material);
  json::Value key = json::Value::Object();
  key.Set("keytype", keytype).Set("scheme", scheme).Set("keyval", std::move(keyval));
  return key;
}

Result<std::string> KeyIdOf(const json::Value& key_object) {
  PISHIP_TRY(const std::string text, CanonicalForm(key_object, "key"));
  return Digest::Of(text).Hex();
}

std::optional<std::string> BytesOfHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  int high = -1;
  for (const char c : hex) {
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit < 0) return std::nullopt;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  return bytes;
}

}  // namespace piship::tuf
