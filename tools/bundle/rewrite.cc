// SPDX-License-Identifier: MIT
#include "bundle/rewrite.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"

namespace piship::bundle {
namespace {

constexpr std::string_view kMemo = "bundle-rewrite";

std::string MemoKey(const RewriteRequest& request, const std::string& version) {
  std::string key = version + '\n' + request.path + '\n' + request.original.digest.Hex() + '\n';
  key += request.facts->format == Format::kModule ? 'm' : 'c';
  key += request.facts->other_requires ? 'r' : '-';
  key += request.is_program ? 'p' : '-';
  for (const Edit& edit : request.facts->edits) {
    key += '\n' + std::to_string(edit.line) + ':' + std::to_string(edit.column) + ' ' + edit.new_text;
  }
  return key;
}

std::string ObjectText(const StoredObject& object) { return object.digest.Hex() + ' ' + std::to_string(object.size); }

bool ParseObject(std::string_view text, StoredObject& object) {
  if (text.size() < Digest::kHexSize + 2 || !Digest::Decode(text.substr(0, Digest::kHexSize), object.digest)) {
    return false;
  }
  const std::string_view digits = text.substr(Digest::kHexSize + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), object.size);
  return error == std::errc() && end == digits.data() + digits.size();
}

// The relative path from a module of the tree to place.mjs at its top.
std::string PlaceModuleFrom(std::string_view path) {
  std::string up;
  for (std::size_t count = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')); count > 0; --count) {
    up += "../";
  }
  return up + std::string(kPlaceModule);
}

class Rewriter {
 public:
  Rewriter(const Esbuild& esbuild, const std::string& version, const std::string& scratch, const Store& store)
      : esbuild_(esbuild), version_(version), scratch_(scratch), store_(store) {}

  Status Run(const std::vector<const RewriteRequest*>& requests, Format format, bool requires_too) {
    if (requests.empty()) return {};
    const std::string in = JoinPath(scratch_, "in");
    const std::string out = JoinPath(scratch_, "out");
    PISHIP_CHECK(MakeDirectories(in));
    std::vector<std::string> arguments = PlaceDefines(format, requires_too);
    for (const char* option : {"--platform=node", "--target=esnext", "--charset=utf8", "--legal-comments=inline"}) {
      arguments.emplace_back(option);
    }
    arguments.push_back("--outdir=" + out);
    for (std::size_t index = 0; index < requests.size(); ++index) {
      const RewriteRequest& request = *requests[index];
      PISHIP_TRY(const std::string text, store_.Read(request.original.digest, request.original.size));
      PISHIP_TRY(const std::string edited, ApplyEdits(text, request.facts->edits, request.path));
      arguments.push_back(JoinPath(in, NameOf(index, request)));
      PISHIP_CHECK(WriteFileAtomically(arguments.back(), edited));
    }
    PISHIP_TRY(const auto messages, RunEsbuild(esbuild_, arguments));
    for (const Message& message : messages) {
      if (message.is_error) return Fail(ErrorCode::kBundlerFailed, "esbuild: " + message.file + ": " + message.text);
    }
    for (std::size_t index = 0; index < requests.size(); ++index) {
      const RewriteRequest& request = *requests[index];
      PISHIP_TRY(const std::string text, ReadFile(JoinPath(out, std::to_string(index) + ".js")));
      const std::string bound = BindPlace(text, format, std::string_view(request.path).substr(4),
                                          PlaceModuleFrom(request.path), request.is_program);
      PISHIP_TRY(const Digest digest, store_.Put(bound));
      const StoredObject object{digest, bound.size()};
      made_[request.path] = object;
      PISHIP_CHECK(store_.Remember(kMemo, MemoKey(request, version_), ObjectText(object)));
    }
    return {};
  }

  Result<bool> Recall(const RewriteRequest& request) {
    StoredObject object;
    const auto text = store_.Recall(kMemo, MemoKey(request, version_));
    if (!text || !ParseObject(*text, object)) return false;
    PISHIP_TRY(const auto missing, store_.Missing(std::vector<StoredObject>{object}));
    if (!missing.empty()) return false;
    made_[request.path] = object;
    return true;
  }

  std::map<std::string, StoredObject> Take() { return std::move(made_); }

 private:
  // TypeScript and modules keep their endings, by which esbuild knows them.
  static std::string NameOf(std::size_t index, const RewriteRequest& request) {
    const std::string_view name = FileName(request.path);
    const std::size_t dot = name.rfind('.');
    return std::to_string(index) + (dot == std::string_view::npos ? ".js" : std::string(name.substr(dot)));
  }

  const Esbuild& esbuild_;
  const std::string& version_;
  const std::string& scratch_;
  const Store& store_;
  std::map<std::string, StoredObject> made_;
};

}  // namespace

Result<std::map<std::string, StoredObject>> Rewrite(const std::vector<RewriteRequest>& requests, const Esbuild& esbuild,
                                                    const std::string& version, const std::string& scratch,
                                                    const Store& store) {
  Rewriter rewriter(esbuild, version, scratch, store);
  std::vector<const RewriteRequest*> modules;
  std::vector<const RewriteRequest*> modules_that_require;
  std::vector<const RewriteRequest*> others;
  for (const RewriteRequest& request : requests) {
    PISHIP_TRY(const bool known, rewriter.Recall(request));
    if (known) continue;
    if (request.facts->format == Format::kCommonJs) {
      others.push_back(&request);
    } else {
      (request.facts->other_requires ? modules_that_require : modules).push_back(&request);
    }
  }
  PISHIP_CHECK(rewriter.Run(modules, Format::kModule, false));
  PISHIP_CHECK(rewriter.Run(modules_that_require, Format::kModule, true));
  PISHIP_CHECK(rewriter.Run(others, Format::kCommonJs, true));
  return rewriter.Take();
}

}  // namespace piship::bundle
