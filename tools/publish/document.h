// SPDX-License-Identifier: MIT
// A metadata file while it is being made: its body, which keeps members that this program does not know, and its
// signatures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tuf/metadata.h"

namespace piship::publish {

// The object with that member in place of the one it has, or behind its others; and without it.
json::Value With(const json::Value& object, std::string_view name, json::Value value);
json::Value Without(const json::Value& object, std::string_view name);

struct Document {
  std::string role;
  json::Value body;
  std::vector<json::Value> signatures;

  static Result<Document> Parse(std::string role, std::string_view text, std::string_view name);
  std::string Text() const;
  std::int64_t version() const;
  // What is signed.
  Result<std::string> SignedBytes() const;
  std::vector<tuf::Signature> Signatures() const;
  bool IsSignedBy(std::string_view key_id) const;
};

// The body as a type; only the text form can be parsed, so this is not for loops.
Result<tuf::Metadata<tuf::Root>> AsRoot(const Document& document);
Result<tuf::Metadata<tuf::Targets>> AsTargets(const Document& document);

}  // namespace piship::publish
