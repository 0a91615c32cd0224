// SPDX-License-Identifier: MIT
#include "publish/document.h"

#include <algorithm>

#include "tuf/canonical_json.h"
#include "tuf/key.h"

namespace piship::publish {

json::Value With(const json::Value& object, std::string_view name, json::Value value) {
  json::Value result = Without(object, name);
  result.Set(std::string(name), std::move(value));
  return result;
}

json::Value Without(const json::Value& object, std::string_view name) {
  json::Value result = json::Value::Object();
  for (const json::Member& member : object.object()) {
    if (member.name != name) result.Set(member.name, member.value);
  }
  return result;
}

Result<Document> Document::Parse(std::string role, std::string_view text, std::string_view name) {
  PISHIP_TRY(const json::Value value, json::Parse(text, name));
  const json::Value* body = value.Find("signed");
  const json::Value* signatures = value.Find("signatures");
  if (body == nullptr || !body->is(json::Kind::kObject) || signatures == nullptr ||
      !signatures->is(json::Kind::kArray)) {
    return Fail(ErrorCode::kMetadataInvalid, std::string(name) + " is no signed metadata");
  }
  return Document{std::move(role), *body, signatures->array()};
}

std::string Document::Text() const {
  json::Value list = json::Value::Array();
  for (const json::Value& signature : signatures) list.Append(signature);
  json::Value document = json::Value::Object();
  document.Set("signatures", std::move(list)).Set("signed", body);
  return json::Canonical(document);
}

std::int64_t Document::version() const {
  const json::Value* value = body.Find("version");
  return value != nullptr && value->is(json::Kind::kInteger) ? value->integer() : 0;
}

Result<std::string> Document::SignedBytes() const { return tuf::CanonicalForm(body, role); }

std::vector<tuf::Signature> Document::Signatures() const {
  std::vector<tuf::Signature> list;
  for (const json::Value& item : signatures) {
    const json::Value* id = item.Find("keyid");
    const json::Value* hex = item.Find("sig");
    if (id == nullptr || hex == nullptr || !id->is(json::Kind::kString) || !hex->is(json::Kind::kString)) continue;
    list.push_back({id->string(), tuf::BytesOfHex(hex->string()).value_or("")});
  }
  return list;
}

bool Document::IsSignedBy(std::string_view key_id) const {
  return std::any_of(signatures.begin(), signatures.end(), [&](const json::Value& item) {
    const json::Value* id = item.Find("keyid");
    return id != nullptr && id->is(json::Kind::kString) && id->string() == key_id;
  });
}

Result<tuf::Metadata<tuf::Root>> AsRoot(const Document& document) {
  return tuf::ParseRoot(document.Text(), document.role + ".json");
}

Result<tuf::Metadata<tuf::Targets>> AsTargets(const Document& document) {
  return tuf::ParseTargets(document.Text(), document.role + ".json");
}

}  // namespace piship::publish
