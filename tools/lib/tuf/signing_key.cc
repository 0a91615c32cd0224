// SPDX-License-Identifier: MIT
#include "tuf/signing_key.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <array>
#include <cstring>

#include "base/digest.h"
#include "tuf/key.h"
#include "tuf/openssl_pointers.h"

namespace piship::tuf {
namespace {

constexpr std::size_t kPemLimit = std::size_t{64} << 10;
constexpr unsigned kRsaBits = 3072;

Error OpenSslError(std::string message, std::string hint = {}) {
  std::array<char, 256> reason{};
  if (const unsigned long code = ERR_peek_last_error(); code != 0) {
    ERR_error_string_n(code, reason.data(), reason.size());
    message += std::string(" (") + reason.data() + ")";
  }
  ERR_clear_error();
  return Error{ErrorCode::kKeyInvalid, std::move(message), std::move(hint)};
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

struct PassphraseCall {
  const SigningKey::Passphrase* ask = nullptr;
  std::optional<Error> error;
};

int AskPassphrase(char* buffer, int size, int, void* data) {
  auto& call = *static_cast<PassphraseCall*>(data);
  auto text = (*call.ask)();
  if (!text) {
    call.error = std::move(text).error();
    return -1;
  }
  std::string& secret = *text;
  const bool fits = secret.size() <= static_cast<std::size_t>(size);
  if (fits) std::memcpy(buffer, secret.data(), secret.size());
  OPENSSL_cleanse(secret.data(), secret.size());
  return fits ? static_cast<int>(secret.size()) : -1;
}

// How metadata writes the public half of a key.
Result<PublicKey> PublicOf(EVP_PKEY* key, std::string_view name) {
  std::string keytype;
  std::string scheme;
  std::string material;
  if (EVP_PKEY_is_a(key, "ED25519") == 1) {
    std::array<unsigned char, 32> raw{};
    std::size_t size = raw.size();
    EVP_PKEY_get_raw_public_key(key, raw.data(), &size);
    keytype = scheme = "ed25519";
    material = HexOf({reinterpret_cast<const char*>(raw.data()), size});
  } else {
    const BioPointer bio(BIO_new(BIO_s_mem()));
    if (!bio || PEM_write_bio_PUBKEY(bio.get(), key) != 1)
      return Fail(OpenSslError(std::string(name) + " can't be used"));
    material = Contents(bio.get());
    const bool rsa = EVP_PKEY_is_a(key, "RSA") == 1;
    keytype = rsa ? "rsa" : "ecdsa";
    scheme = rsa ? "rsassa-pss-sha256" : "ecdsa-sha2-nistp256";
  }
  // What a client would not accept is not signed with.
  if (!Key::From(keytype, scheme, material)) {
    return Fail(ErrorCode::kKeyInvalid, std::string(name) + " is no key that a client accepts",
                "use Ed25519, ECDSA on P-256, or RSA with 2048 to 8192 bits");
  }
  PublicKey key_out;
  key_out.object = KeyObject(keytype, scheme, material);
  PISHIP_TRY(key_out.id, KeyIdOf(key_out.object));
  return key_out;
}

}  // namespace

struct SigningKey::Material {
  PkeyPointer key;
};

Result<SigningKey> SigningKey::From(std::shared_ptr<const Material> material, std::string_view name) {
  PISHIP_TRY(PublicKey public_key, PublicOf(material->key.get(), name));
  return SigningKey(std::move(material), std::move(public_key));
}

Result<SigningKey> SigningKey::Generate(KeyKind kind) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  auto material = std::make_shared<Material>();
  switch (kind) {
    case KeyKind::kEd25519:
      material->key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
      break;
    case KeyKind::kEcdsaP256:
      material->key.reset(EVP_EC_gen("prime256v1"));
      break;
    case KeyKind::kRsaPss:
      material->key.reset(EVP_RSA_gen(kRsaBits));
      break;
  }
  if (!material->key) return Fail(OpenSslError("no key could be made"));
  return From(std::move(material), "the new key");
}

Result<SigningKey> SigningKey::FromPem(std::string_view pem, std::string_view name, const Passphrase& passphrase) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  if (pem.size() > kPemLimit) return Fail(ErrorCode::kKeyInvalid, std::string(name) + " is too long for a key");
  const BioPointer bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  PassphraseCall call{&passphrase, std::nullopt};
  auto material = std::make_shared<Material>();
  material->key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, AskPassphrase, &call));
  if (call.error) return Fail(*std::move(call.error));
  if (!material->key) {
    return Fail(OpenSslError(std::string(name) + " holds no private key that can be read",
                             "a private key is PEM (PKCS #8), and its passphrase must be right"));
  }
  return From(std::move(material), name);
}

Result<std::string> SigningKey::Sign(std::string_view message) const {
  EVP_PKEY* key = material_->key.get();
  const ContextPointer context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* key_context = nullptr;
  const char* digest = EVP_PKEY_is_a(key, "ED25519") == 1 ? nullptr : "SHA256";
  bool good = context != nullptr &&
              EVP_DigestSignInit_ex(context.get(), &key_context, digest, nullptr, nullptr, key, nullptr) == 1;
  if (good && EVP_PKEY_is_a(key, "RSA") == 1) {
    good = EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(key_context, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  std::size_t size = 0;
  good = good && EVP_DigestSign(context.get(), nullptr, &size, bytes, message.size()) == 1;
  std::string signature(size, '\0');
  good = good && EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                                message.size()) == 1;
  if (!good) return Fail(OpenSslError("the key " + public_.id + " could not sign"));
  signature.resize(size);
  return signature;
}

Result<std::string> SigningKey::ToPem(const std::optional<std::string>& passphrase) const {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  const bool encrypted = passphrase.has_value();
  const int written =
      PEM_write_bio_PKCS8PrivateKey(bio.get(), material_->key.get(), encrypted ? EVP_aes_256_cbc() : nullptr,
                                    encrypted ? passphrase->c_str() : nullptr,
                                    encrypted ? static_cast<int>(passphrase->size()) : 0, nullptr, nullptr);
  if (written != 1) return Fail(OpenSslError("the key could not be written"));
  return Contents(bio.get());
}

Result<PublicKey> ReadPublicPem(std::string_view pem, std::string_view name) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  if (pem.size() > kPemLimit) return Fail(ErrorCode::kKeyInvalid, std::string(name) + " is too long for a key");
  const BioPointer bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const PkeyPointer key(PEM_read_bio_PUBKEY(
      bio.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
  if (!key) return Fail(OpenSslError(std::string(name) + " holds no public key in PEM"));
  return PublicOf(key.get(), name);
}

json::Value SignatureObject(const PublicKey& key, std::string_view raw) {
  json::Value signature = json::Value::Object();
  signature.Set("keyid", key.id).Set("sig", HexOf(raw));
  return signature;
}

}  // namespace piship::tuf
