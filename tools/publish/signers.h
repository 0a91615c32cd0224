// SPDX-License-Identifier: MIT
// The keys that one run of piship-publish has at hand: PEM files, and programs that sign (a token, a key service).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuf/signing_key.h"

namespace piship::publish {

struct SignerOptions {
  std::vector<std::string> keys = {};          // PEM files with private keys
  std::vector<std::string> programs = {};      // each gets the bytes to sign on standard input and prints the signature
  std::vector<std::string> program_keys = {};  // the public key (PEM) of each program
  std::optional<std::string> passphrase_fd = {};   // a number; the passphrase is its first line
  std::optional<std::string> passphrase_env = {};  // a variable's name
};

class Signer {
 public:
  virtual ~Signer() = default;
  virtual const tuf::PublicKey& public_key() const = 0;
  virtual Result<std::string> Sign(std::string_view message) const = 0;
};
using Signers = std::vector<std::unique_ptr<Signer>>;

Result<Signers> OpenSigners(const SignerOptions& options);
std::unique_ptr<Signer> SignerOf(tuf::SigningKey key);
// The passphrase that the options name; from the terminal where they name none, absent without a terminal.
Result<std::optional<std::string>> PassphraseFor(const SignerOptions& options, const std::string& what);

// The public half of a PEM file, which may hold a private key or a public one.
Result<tuf::PublicKey> PublicKeyIn(const std::string& file, const SignerOptions& options);
// Writes a private key that only its owner may read; refuses where git would track it, and to replace a file.
Status WritePrivateKey(const std::string& file, const std::string& pem);

}  // namespace piship::publish
