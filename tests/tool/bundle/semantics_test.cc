// SPDX-License-Identifier: MIT
// Each application of apps/ runs as it is and bundled, and behaves the same: what it prints and its exit status.
//
// An .app file is a comment, "key: value" lines (program, public, arguments, status) and files, each below a line
// "-- <path> --". What lies below outside/ is not the application's: it is put beside it, with node_modules reachable,
// and outside/extension.mjs becomes the program's argument.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/files.h"
#include "bundle/bundle.h"
#include "model/inventory.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "tree/place.h"

namespace piship::bundle {
namespace {

struct App {
  std::string program;
  std::vector<std::string> publics;
  std::vector<std::string> arguments;
  int status = 0;
  std::map<std::string, std::string> files;
};

App ReadApp(const std::string& path) {
  App app;
  std::ifstream stream(path);
  std::string* file = nullptr;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("-- ") && line.ends_with(" --")) {
      file = &app.files[line.substr(3, line.size() - 6)];
    } else if (file != nullptr) {
      *file += line + '\n';
    } else if (line.starts_with("program: ")) {
      app.program = line.substr(9);
    } else if (line.starts_with("public: ")) {
      app.publics.push_back(line.substr(8));
    } else if (line.starts_with("status: ")) {
      app.status = std::stoi(line.substr(8));
    } else if (line.starts_with("arguments: ")) {
      std::istringstream words(line.substr(11));
      for (std::string word; words >> word;) app.arguments.push_back(word);
    }
  }
  return app;
}

class BundleTest : public testing::Test {
 protected:
  void SetUp() override {
    // Made by the test tool.bundle.fetch, which needs the registry.
    node_ = std::string(PISHIP_TEST_BUNDLER) + "/node";
    bundler_ = std::string(PISHIP_TEST_BUNDLER) + "/esbuild.inventory";
    if (!std::filesystem::exists(node_))
      GTEST_SKIP() << "esbuild and node are not there: the registry was not reachable";
  }

  Result<Inventory> MakeInventory(const App& app, const Store& store) {
    std::vector<InventoryEntry> entries;
    for (const auto& [path, text] : app.files) {
      if (path.starts_with("outside/")) continue;
      PISHIP_TRY(const Digest digest, store.Put(text));
      PISHIP_TRY(RelativePath parsed, RelativePath::Parse(path));
      const FileMode mode = path == app.program ? FileMode::kExecutable : FileMode::kPlain;
      entries.push_back({digest, text.size(), mode, std::move(parsed)});
    }
    return Inventory::FromEntries(std::move(entries));
  }

  // What the application prints when these are its files; always at the same place.
  std::string Start(const App& app, const Inventory& files, const Store& store) {
    const std::string place = temp_.path() + "/app";
    std::filesystem::remove_all(place);
    EXPECT_TRUE(PlaceTree(files, store, place).has_value());
    Program program;
    program.argv = {node_, place + "/" + app.program};
    program.argv.insert(program.argv.end(), app.arguments.begin(), app.arguments.end());
    for (const auto& [path, text] : app.files) {
      if (!path.starts_with("outside/")) continue;
      const std::string file = place + "/" + path;
      std::filesystem::create_directories(ParentPath(file));
      std::ofstream(file) << text;
      program.argv.push_back(file);
    }
    program.environment = {{"PATH", std::getenv("PATH")}, {"NODE_NO_WARNINGS", "1"}};
    program.directory = temp_.path();
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, app.status) << ran.out << ran.err;
    return ran.out + ran.err;
  }

  // The application as an inventory, and what bundles it.
  Result<Options> OptionsFor(const App& app, const Inventory& inventory) {
    const std::string file = temp_.path() + "/app.inventory";
    PISHIP_CHECK(WriteFileIfChanged(file, inventory.Text()));
    Options options;
    options.sources = {file};
    options.entry.point = app.program;
    options.public_modules = app.publics;
    options.engines = ">=20.6";
    options.platform = "linux-x64";
    options.bundler = bundler_;
    options.store = std::string(PISHIP_TEST_BUNDLER) + "/store";
    options.work = temp_.path() + "/work";
    options.output = temp_.path() + "/bundled.inventory";
    options.report = temp_.path() + "/bundle.json";
    options.depfile = temp_.path() + "/bundled.d";
    return options;
  }

  TempDir temp_;
  std::string node_;
  std::string bundler_;
};

class SemanticsTest : public BundleTest, public testing::WithParamInterface<std::string> {};

TEST_P(SemanticsTest, BundledIsAsUnbundled) {
  const App app = ReadApp(std::string(PISHIP_TEST_APPS) + "/" + GetParam() + ".app");
  ASSERT_FALSE(app.program.empty());
  auto store = Store::Open(std::string(PISHIP_TEST_BUNDLER) + "/store");
  PISHIP_ASSERT_OK(store);
  const auto inventory = MakeInventory(app, *store);
  PISHIP_ASSERT_OK(inventory);
  auto made = OptionsFor(app, *inventory);
  PISHIP_ASSERT_OK(made);
  Options options = *made;
  PISHIP_ASSERT_OK(bundle::Run(options));
  const auto bundled = ReadInventory(options.output);
  PISHIP_ASSERT_OK(bundled);
  // Something was bundled, and its program is where it was.
  EXPECT_TRUE(std::any_of(bundled->entries().begin(), bundled->entries().end(), [](const InventoryEntry& entry) {
    return entry.path.str().starts_with("node_modules/@piship/bundle/");
  }));
  EXPECT_NE(bundled->Find(app.program), nullptr);

  const std::string plain = Start(app, *inventory, *store);
  EXPECT_EQ(Start(app, *bundled, *store), plain);

  // A second build remembers and makes the same; one that remembers nothing does too.
  const auto first = ReadFile(options.output);
  PISHIP_ASSERT_OK(bundle::Run(options));
  EXPECT_EQ(ReadFile(options.output).value(), first.value());
  options.work = temp_.path() + "/other work";
  PISHIP_ASSERT_OK(bundle::Run(options));
  EXPECT_EQ(ReadFile(options.output).value(), first.value());
}

TEST_F(BundleTest, RefusesWhatItCanNotDo) {
  const App app = ReadApp(std::string(PISHIP_TEST_APPS) + "/workers.app");
  auto store = Store::Open(std::string(PISHIP_TEST_BUNDLER) + "/store");
  PISHIP_ASSERT_OK(store);
  const auto inventory = MakeInventory(app, *store);
  PISHIP_ASSERT_OK(inventory);
  const auto options = OptionsFor(app, *inventory);
  PISHIP_ASSERT_OK(options);
  Options refused = *options;
  refused.public_modules = {"absent"};
  PISHIP_EXPECT_ERROR(bundle::Run(refused), ErrorCode::kBundleModuleMissing);
  refused = *options;
  refused.external = {"absent"};
  PISHIP_EXPECT_ERROR(bundle::Run(refused), ErrorCode::kBundleModuleMissing);
  // A worker of CommonJS stays a file, unless it may.
  refused = *options;
  refused.strict = true;
  PISHIP_EXPECT_ERROR(bundle::Run(refused), ErrorCode::kBundleStrict);
  EXPECT_FALSE(std::filesystem::exists(options->output));
  refused.keep = {"worker.cjs", "helper.cjs"};
  PISHIP_ASSERT_OK(bundle::Run(refused));
  EXPECT_TRUE(std::filesystem::exists(options->output));
}

// What somebody changes in the work tree is put right before esbuild reads it.
TEST_F(BundleTest, DoesNotBundleATamperedWorkTree) {
  const App app = ReadApp(std::string(PISHIP_TEST_APPS) + "/order.app");
  auto store = Store::Open(std::string(PISHIP_TEST_BUNDLER) + "/store");
  PISHIP_ASSERT_OK(store);
  const auto inventory = MakeInventory(app, *store);
  PISHIP_ASSERT_OK(inventory);
  const auto options = OptionsFor(app, *inventory);
  PISHIP_ASSERT_OK(options);
  PISHIP_ASSERT_OK(bundle::Run(*options));
  const auto first = ReadFile(options->output);
  PISHIP_ASSERT_OK(first);
  std::filesystem::remove(options->work + "/tree/app/b.mjs");
  std::ofstream(options->work + "/tree/app/a.mjs") << "console.log('tampered');\n";
  std::ofstream(options->work + "/tree/app/package.json") << "{}\n";
  PISHIP_ASSERT_OK(bundle::Run(*options));
  EXPECT_EQ(ReadFile(options->output).value(), *first);
}

std::vector<std::string> Apps() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(PISHIP_TEST_APPS)) {
    if (entry.path().extension() == ".app") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Apps, SemanticsTest, testing::ValuesIn(Apps()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace piship::bundle
