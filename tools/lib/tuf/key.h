// SPDX-License-Identifier: MIT
// Public keys as TUF metadata carry them (specification 1.0, section 4.2), and what a signature of each kind is:
//   keytype            scheme               public                       signature
//   ed25519            ed25519              32 bytes in hex, or PEM      64 bytes (RFC 8032)
//   ecdsa, or the
//   scheme's name      ecdsa-sha2-nistp256  PEM, or the point in hex     ASN.1 DER
//                      ecdsa-sha2-nistp384
//   rsa                rsassa-pss-sha256    PEM, 2048 to 8192 bits       PSS with MGF1 and SHA-256, salt of any length
//                      rsa-pkcs1v15-sha256                               PKCS #1 v1.5
// PEM is a SubjectPublicKeyInfo.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace piship::tuf {

class Key {
 public:
  // A key that can verify; absent where the type or the scheme is unknown or the material is unusable: metadata may
  // name keys that only other clients understand.
  static std::optional<Key> From(std::string_view keytype, std::string_view scheme, std::string_view material);

  // Every way to be wrong is false. For Ed25519 this also refuses keys and signatures of small order and keys that are
  // not in canonical form, with which one signature fits many messages.
  bool Verify(std::string_view message, std::string_view signature) const;
  // Equal for equal key material, whatever it is called; this is what thresholds count.
  const std::string& identity() const { return identity_; }

 private:
  struct Material;
  Key(std::shared_ptr<const Material> material, std::string identity)
      : material_(std::move(material)), identity_(std::move(identity)) {}

  std::shared_ptr<const Material> material_;
  std::string identity_;
};

// The member of "keys": {"keytype", "scheme", "keyval": {"public"}}.
json::Value KeyObject(std::string_view keytype, std::string_view scheme, std::string_view material);
// The id that other implementations give a key: the SHA-256 of the object's canonical form.
Result<std::string> KeyIdOf(const json::Value& key_object);

// The bytes of a text of hexadecimal digits; absent where it is none.
std::optional<std::string> BytesOfHex(std::string_view hex);

}  // namespace piship::tuf
