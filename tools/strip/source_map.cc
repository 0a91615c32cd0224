// SPDX-License-Identifier: MIT
#include "strip/source_map.h"

#include "base/json.h"

namespace piship::strip {
namespace {

// Looks at the members of the outermost object only; the rest is read because the text must be JSON to its end.
class MapEvents : public json::Events {
 public:
  std::string OnKey(json::Position, std::string name) override {
    if (depth_ == 1) key_ = std::move(name);
    return {};
  }
  std::string OnScalar(json::Value value) override {
    if (depth_ == 0) return "is no object";
    if (depth_ > 1) return {};
    if (key_ == "version") has_version_ = value.is(json::Kind::kInteger) || value.is(json::Kind::kNumber);
    if (key_ == "mappings") has_mappings_ = value.is(json::Kind::kString);
    return {};
  }
  std::string OnBegin(json::Position, json::Kind kind) override {
    if (depth_ == 0 && kind != json::Kind::kObject) return "is no object";
    if (depth_ == 1 && key_ == "sections") has_mappings_ = kind == json::Kind::kArray;
    ++depth_;
    return {};
  }
  std::string OnEnd() override {
    --depth_;
    return {};
  }
  bool IsMap() const { return has_version_ && has_mappings_; }

 private:
  int depth_ = 0;
  std::string key_;
  bool has_version_ = false;
  bool has_mappings_ = false;
};

}  // namespace

bool IsSourceMap(std::string_view text) {
  MapEvents events;
  return json::ParseEvents(text, "", events).has_value() && events.IsMap();
}

}  // namespace piship::strip
