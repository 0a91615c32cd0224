// SPDX-License-Identifier: MIT
#include "bundle/esbuild.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/files.h"
#include "base/json.h"
#include "base/problems.h"
#include "os/process.h"

namespace piship::bundle {
namespace {

constexpr std::string_view kWarning = "\xe2\x96\xb2 [WARNING] ";
constexpr std::string_view kError = "\xe2\x9c\x98 [ERROR] ";

// Messages that esbuild keeps to itself, or prints for files outside node_modules only, unless it is asked.
constexpr std::array<std::string_view, 5> kIds = {"unsupported-dynamic-import", "unsupported-require-call",
                                                  "indirect-require", "ignored-dynamic-import", "direct-eval"};

std::optional<std::uint32_t> TakeNumber(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

// "    file:line:column:", which stands below a message and below each note.
bool ParseLocation(std::string_view line, Message& message) {
  if (!line.starts_with("    ") || !line.ends_with(':')) return false;
  line.remove_prefix(4);
  line.remove_suffix(1);
  if (line.empty() || line.front() == ' ') return false;
  const auto column = TakeNumber(line);
  const auto number = column ? TakeNumber(line) : std::nullopt;
  if (!number || line.empty()) return false;
  message.file = line;
  message.line = *number;
  message.column = *column;
  return true;
}

Message ParseHead(std::string_view line, bool is_error) {
  Message message;
  message.is_error = is_error;
  if (line.ends_with(']')) {
    const std::size_t open = line.rfind(" [");
    if (open != std::string_view::npos) {
      message.id = line.substr(open + 2, line.size() - open - 3);
      line = line.substr(0, open);
    }
  }
  message.text = line;
  return message;
}

std::string StringOf(const json::Value& object, std::string_view name) {
  const json::Value* value = object.Find(name);
  return value != nullptr && value->is(json::Kind::kString) ? value->string() : std::string();
}

std::int64_t IntegerOf(const json::Value& object, std::string_view name) {
  const json::Value* value = object.Find(name);
  return value != nullptr && value->is(json::Kind::kInteger) ? value->integer() : 0;
}

Input ReadInput(const json::Value& value) {
  Input input;
  input.bytes = IntegerOf(value, "bytes");
  input.format = StringOf(value, "format");
  const json::Value* imports = value.Find("imports");
  if (imports == nullptr || !imports->is(json::Kind::kArray)) return input;
  for (const json::Value& item : imports->array()) {
    const json::Value* external = item.Find("external");
    input.imports.push_back({StringOf(item, "path"), StringOf(item, "kind"),
                             external != nullptr && external->is(json::Kind::kBoolean) && external->boolean()});
  }
  return input;
}

Output ReadOutput(const json::Value& value) {
  Output output;
  output.bytes = IntegerOf(value, "bytes");
  output.entry_point = StringOf(value, "entryPoint");
  if (const json::Value* exports = value.Find("exports"); exports != nullptr && exports->is(json::Kind::kArray)) {
    for (const json::Value& name : exports->array()) {
      if (name.is(json::Kind::kString)) output.exports.push_back(name.string());
    }
  }
  if (const json::Value* inputs = value.Find("inputs"); inputs != nullptr && inputs->is(json::Kind::kObject)) {
    for (const json::Member& member : inputs->object()) {
      output.inputs[member.name] = IntegerOf(member.value, "bytesInOutput");
    }
  }
  return output;
}

}  // namespace

std::vector<Message> ParseMessages(std::string_view text) {
  std::vector<Message> messages;
  bool located = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const bool is_error = line.starts_with(kError);
    if (is_error || line.starts_with(kWarning)) {
      messages.push_back(ParseHead(line.substr(is_error ? kError.size() : kWarning.size()), is_error));
      located = false;
    } else if (!messages.empty() && !located && ParseLocation(line, messages.back())) {
      located = true;
    } else if (!messages.empty() && line.starts_with("  ") && !line.starts_with("   ")) {
      messages.back().notes.emplace_back(line.substr(2));
    }
  }
  return messages;
}

Result<Metafile> ParseMetafile(std::string_view text, std::string_view name) {
  PISHIP_TRY(const json::Value root, json::Parse(text, name));
  const json::Value* inputs = root.Find("inputs");
  const json::Value* outputs = root.Find("outputs");
  if (inputs == nullptr || !inputs->is(json::Kind::kObject) || outputs == nullptr ||
      !outputs->is(json::Kind::kObject)) {
    return Fail(ErrorCode::kBundlerFailed, std::string(name) + ": is no metafile of esbuild");
  }
  Metafile metafile;
  for (const json::Member& member : inputs->object()) metafile.inputs[member.name] = ReadInput(member.value);
  for (const json::Member& member : outputs->object()) metafile.outputs[member.name] = ReadOutput(member.value);
  return metafile;
}

Result<std::vector<Message>> RunEsbuild(const Esbuild& esbuild, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMaxMessages = std::size_t{64} << 20;
  ProcessRequest request{.argv = {esbuild.executable},
                         .output_limit = kMaxMessages,
                         .collected = Collected::kError,
                         .directory = esbuild.directory,
                         .environment = std::vector<std::string>()};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  for (const std::string_view id : kIds) request.argv.push_back("--log-override:" + std::string(id) + "=warning");
  for (const char* option : {"--log-level=warning", "--log-limit=0", "--color=false"}) {
    request.argv.emplace_back(option);
  }
  PISHIP_TRY(const ProcessResult ran, RunProcess(request));
  std::vector<Message> messages = ParseMessages(ran.output);
  bool said_why = ran.status == 0;
  for (const Message& message : messages) said_why |= message.is_error;
  if (said_why) return messages;
  return Fail(ErrorCode::kBundlerFailed,
              "esbuild ended with status " + std::to_string(ran.status) + ": " + ran.output.substr(0, 2000));
}

}  // namespace piship::bundle
