// SPDX-License-Identifier: MIT
// What the verbs have in common: JSON on standard output, words on standard error, and what a subject on the command
// line means.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "home/homes.h"
#include "model/receipt.h"

namespace piship {

// Runs `verb`. With `json` the value that it fills is printed, or, after an error, an object with the error instead.
Status Report(bool json, const std::function<Status(json::Value& out)>& verb);

void PrintData(std::string_view text);   // standard output
void PrintWords(std::string_view text);  // standard error, one line

// The members that every object about a release has.
void SetRelease(json::Value& object, const InstalledRelease& release);

// "1234" -> "1,234".
std::string Grouped(std::uint64_t number);

// Whether `subject` is the id of an installed distribution, rather than a path.
Result<bool> IsInstalledId(const Homes& homes, const std::string& subject);

}  // namespace piship
