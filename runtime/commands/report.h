// SPDX-License-Identifier: MIT
// What the verbs have in common: JSON on standard output, words on standard error, and what a subject on the command
// line means.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "commands/commands.h"
#include "home/homes.h"
#include "model/receipt.h"
#include "source/release_source.h"

namespace piship {

// Runs `verb`. With `json` the value that it fills is printed, or, after an error, an object with the error instead.
Status Report(bool json, const std::function<Status(json::Value& out)>& verb);

// What --json prints of an error.
json::Value ErrorValue(const Error& error);

void PrintData(std::string_view text);   // standard output
void PrintWords(std::string_view text);  // standard error, one line

// Reads a release within the limits of the command line. An error about a limit says how to raise it.
Result<SourceSummary> ReadReleaseWithin(const LimitOptions& limits, const std::string& source, PayloadSink& sink,
                                        ReadArchiveOptions reading = {});

// The members that every object about a release has.
void SetRelease(json::Value& object, const InstalledRelease& release);

// "1234" -> "1,234".
std::string Grouped(std::uint64_t number);

// Whether `subject` is the id of an installed distribution, rather than a path.
Result<bool> IsInstalledId(const Homes& homes, const std::string& subject);

}  // namespace piship
