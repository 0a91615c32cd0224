// SPDX-License-Identifier: MIT
// Private keys: made, read from PEM (PKCS #8, with or without a passphrase), and used to sign. Only publishing and
// tests need this; a client links none of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace piship::tuf {

enum class KeyKind : std::uint8_t { kEd25519, kEcdsaP256, kRsaPss };

// A key as metadata names it.
struct PublicKey {
  std::string id;
  json::Value object;  // tuf/key.h: KeyObject
};

class SigningKey {
 public:
  static Result<SigningKey> Generate(KeyKind kind);
  // `name` is the subject of errors. The passphrase is asked for only where the key is encrypted. kKeyInvalid.
  using Passphrase = std::function<Result<std::string>()>;
  static Result<SigningKey> FromPem(std::string_view pem, std::string_view name, const Passphrase& passphrase);

  const PublicKey& public_key() const { return public_; }
  // The raw signature, in the form that the key's scheme has (tuf/key.h).
  Result<std::string> Sign(std::string_view message) const;
  // PKCS #8, encrypted (PBES2, AES-256) where there is a passphrase.
  Result<std::string> ToPem(const std::optional<std::string>& passphrase) const;

 private:
  struct Material;
  SigningKey(std::shared_ptr<const Material> material, PublicKey public_key)
      : material_(std::move(material)), public_(std::move(public_key)) {}
  static Result<SigningKey> From(std::shared_ptr<const Material> material, std::string_view name);

  std::shared_ptr<const Material> material_;
  PublicKey public_;
};

// The key in a PEM text with a public key (SubjectPublicKeyInfo): Ed25519, ECDSA on P-256, RSA (PSS). kKeyInvalid.
Result<PublicKey> ReadPublicPem(std::string_view pem, std::string_view name);

// One member of "signatures".
json::Value SignatureObject(const PublicKey& key, std::string_view raw);

}  // namespace piship::tuf
