// SPDX-License-Identifier: MIT
#include "support/release_builder.h"

#include <sys/stat.h>

#include <cstdlib>

#include "base/files.h"
#include "format/installer_file.h"
#include "model/engine_check.h"

namespace piship {
namespace {

RelativePath PathOf(const std::string& text) {
  auto path = RelativePath::Parse(text);
  if (!path) std::abort();
  return *std::move(path);
}

}  // namespace

std::string TestRelease::Installer() const {
  const auto program = ReadFile(RuntimePath());
  if (!program) std::abort();
  const std::string archive = Archive();
  return *program + archive +
         InstallerTrailerBytes({program->size(), archive.size(), Digest::Of(*program), Digest::Of(archive)});
}

std::string RuntimePath() { return PISHIP_TEST_RUNTIME; }

DistributionLock TestRelease::Lock() const {
  DistributionLock lock;
  lock.id = id;
  lock.name = "Hello World";
  lock.command = command;
  lock.version = version;
  lock.platform = *Platform::Parse(platform);
  lock.entry = PathOf(entry);
  if (payload_engine.empty()) {
    lock.engine.kind = EngineKind::kSystem;
    lock.engine.range = *VersionRange::Parse(range);
    lock.engine.check = PathOf("engine/check.js");
  } else {
    lock.engine.kind = EngineKind::kPayload;
    lock.engine.executable = PathOf("engine/node");
    lock.engine.package = "node-of-tests";
    lock.engine.version = "20.0.0";
  }
  lock.engine.flags = engine_flags;
  if (prepares) lock.engine.prepare = payload_engine.empty() ? lock.engine.check : PathOf("engine/prepare.cjs");
  lock.compile_cache = compile_cache;
  for (const auto& [name, value] : environment) lock.environment.push_back({name, value});
  lock.arguments = arguments;
  for (const auto& [path, content] : resources) {
    lock.resources.push_back({path.substr(0, path.find('/')), PathOf("resources/" + path), Digest::Of(content)});
  }
  lock.verify_at_launch = verify;
  lock.keep_versions = keep_versions;
  lock.state_schema = state_schema;
  lock.channel = channel;
  return lock;
}

std::vector<TestFile> TestRelease::Files() const {
  std::vector<TestFile> files = extra;
  files.push_back({"piship.lock", Lock().Text()});
  files.push_back({entry, script});
  files.push_back({"bin/piship", runtime.empty() ? *ReadFile(RuntimePath()) : runtime, FileMode::kExecutable});
  if (payload_engine.empty()) {
    files.push_back({"engine/check.js", EngineCheckScript(*VersionRange::Parse(range), "Hello World", command)});
  } else {
    files.push_back({"engine/node", payload_engine, FileMode::kExecutable});
  }
  if (prepares && !payload_engine.empty()) files.push_back({"engine/prepare.cjs", EnginePrepareScript()});
  for (const auto& [path, content] : resources) files.push_back({"resources/" + path, content});
  if (!root.empty()) files.push_back({"metadata/root.json", root});
  return files;
}

void TestRelease::WriteDirectory(const std::string& directory) const {
  std::vector<TestFile> files = Files();
  files.push_back({"metadata/inventory", Build().inventory_text});
  for (const TestFile& file : files) {
    const std::string path = JoinPath(directory, file.path);
    if (!MakeDirectories(ParentPath(path)) || !WriteFileAtomically(path, file.content)) std::abort();
    chmod(path.c_str(), file.mode == FileMode::kExecutable ? 0755 : 0644);
  }
}

std::string TestRelease::WriteArchive(const std::string& directory) const {
  std::string path = JoinPath(directory, id + "-" + version + ".tar.zst");
  if (!WriteFileAtomically(path, Archive())) std::abort();
  return path;
}

}  // namespace piship
