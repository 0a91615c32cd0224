// SPDX-License-Identifier: MIT
// The entries of a channel's metadata: one for each archive, "<channel>/<archive name>", with what the archive is in
// "custom". Each function gives the changed "targets" object. Archives are put into the repository on the way: bytes
// that no published metadata names yet harm nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "publish/repository.h"

namespace piship::publish {

struct Selection {
  std::string id;
  std::string version;
  std::optional<std::string> platform;
};

// The members of a target's "custom" that say what it is.
inline constexpr std::string_view kReleaseEntry = "piship";
inline constexpr std::string_view kDeltaEntry = "piship-delta";
// A text that the target says of itself in that member; empty where it says none.
std::string TextOf(const json::Value& entry, std::string_view member, std::string_view name);

// Of the form of a channel's name, and no name of a top-level role.
bool IsChannelName(std::string_view name);

// The archive beside the release.json must be what it says. kVersionConflict where the channel has other content for
// the same id, version and platform.
Result<json::Value> WithRelease(const json::Value& targets, const Repository& repository, const std::string& channel,
                                const std::string& release_file);
// kTargetUnknown where nothing is selected.
Result<json::Value> WithoutReleases(const json::Value& targets, const Selection& selection, const std::string& channel);
Result<json::Value> WithPromoted(const json::Value& targets, const Repository& repository,
                                 const json::Value& candidates, const Selection& selection, const std::string& from,
                                 const std::string& to);

}  // namespace piship::publish
