// SPDX-License-Identifier: MIT
// Which engine is taken, what is said where none fits, and that an application can't tell a launch from
// `node <entry>`.
#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class EngineOfPath : public ProbeTest {
 protected:
  void SetUp() override {
    if (NodePath().empty()) GTEST_SKIP() << "there is no node on PATH";
  }
  static std::string NodeVersion() {
    const Ran ran = RunProgram({.argv = {NodePath(), "-p", "process.versions.node"}});
    return ran.out.substr(0, ran.out.find('\n'));
  }
  // A version manager's shim.
  static std::string Shim() { return "#!/bin/sh\nexec '" + NodePath() + "' \"$@\"\n"; }
};

TEST_F(EngineOfPath, IsMissing) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  for (const std::string& path :
       {temp_ / "nowhere", std::string("/missing:") + temp_.path(), std::string("relative")}) {
    environment_["PATH"] = path;
    const std::string said = ExpectRefused(127, "ENGINE_MISSING");
    EXPECT_THAT(said, HasSubstr("Hello World needs Node.js >=18"));
  }
}

TEST_F(EngineOfPath, IsTooOldAndBothVersionsAreNamed) {
  TestRelease payload;
  payload.range = ">=99.1";
  ASSERT_EQ(Install(payload).status, 0);
  const std::string said = ExpectRefused(126, "ENGINE_UNSUITABLE");
  EXPECT_THAT(said, StartsWith("hello: error: Hello World needs Node.js >=99.1, found " + NodeVersion()));
  EXPECT_THAT(said, HasSubstr(std::filesystem::canonical(NodePath()).string()));
  EXPECT_THAT(said, HasSubstr("hint: install Node.js >=99.1"));
  // The status also says it where nobody hears it.
  Program program = Command({});
  program.closed = {0, 1, 2};
  EXPECT_EQ(RunProgram(program).status, 126);
}

TEST_F(EngineOfPath, IsTooOldForAnEntryThatItCanNotEvenRead) {
  TestRelease payload;
  payload.range = ">=99";
  payload.script = "this is no JavaScript, as new syntax is none to an old engine";
  ASSERT_EQ(Install(payload).status, 0);
  ExpectRefused(126, "ENGINE_UNSUITABLE");
}

TEST_F(EngineOfPath, IsADirectoryOrCanNotBeExecuted) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(MakeDirectories(temp_ / "directory/node").has_value());
  ASSERT_TRUE(MakeDirectories(temp_ / "plain").has_value());
  Append(temp_ / "plain/node", "#!/bin/sh\n");
  for (const std::string name : {"directory", "plain"}) {
    environment_["PATH"] = temp_ / name;
    EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr(temp_ / (name + "/node")));
    // A later directory of PATH has one that works.
    environment_["PATH"] += ":" + ParentPath(NodePath());
    ExpectStarts();
  }
}

TEST_F(EngineOfPath, IsNoProgram) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  WriteProgram(temp_ / "engine/node", "neither a program nor a script\n");
  environment_["PATH"] = temp_ / "engine";
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr(temp_ / "engine/node"));
  WriteProgram(temp_ / "engine/node", "#!/no/such/interpreter\n");
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr("interpreter"));
  WriteProgram(temp_ / "engine/node", "");
  ExpectRefused(126, "ENGINE_UNSUITABLE");
}

TEST_F(EngineOfPath, MayBeAShim) {
  TestRelease payload;
  payload.script = "console.log(process.versions.node)\n";
  payload.range = "=" + NodeVersion();
  ASSERT_EQ(Install(payload).status, 0);
  WriteProgram(temp_ / "shims/node", Shim());
  environment_["PATH"] = temp_ / "shims";
  ExpectStarts(NodeVersion() + "\n");
  payload.version = "2.0.0";
  payload.range = "<" + NodeVersion();
  ASSERT_EQ(Install(payload).status, 0);
  // What the shim leads to is named, not the shim.
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"),
              HasSubstr("(" + std::filesystem::canonical(NodePath()).string()));
}

TEST_F(EngineOfPath, IsSearchedAsAShellDoes) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  WriteProgram(temp_ / "engine/node", Shim());
  struct Case {
    std::string path;
    std::string directory;
  };
  for (const Case& each :
       {Case{"engine", temp_.path()}, Case{":/missing", temp_ / "engine"}, Case{"/missing:", temp_ / "engine"},
        Case{"", temp_ / "engine"}, Case{"/missing:" + (temp_ / "engine/node") + ":" + (temp_ / "engine"), "/"}}) {
    environment_["PATH"] = each.path;
    Program program = Command({});
    program.directory = each.directory;
    EXPECT_EQ(RunProgram(program).out, "hello\n") << each.path;
  }
}

class EngineOfThePayload : public ProbeTest {};

TEST_F(EngineOfThePayload, IsMissingOrCanNotRun) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  const std::string engine = version_directory() + "/engine/node";
  ASSERT_EQ(chmod(engine.c_str(), 0644), 0);
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr(engine));
  WriteProgram(engine, "#!/no/such/interpreter\n");
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr("node-of-tests 20.0.0"));
  WriteProgram(engine, "no program");
  EXPECT_THAT(ExpectRefused(126, "ENGINE_UNSUITABLE"), HasSubstr(engine));
  std::filesystem::remove(engine);
  EXPECT_THAT(ExpectRefused(127, "ENGINE_MISSING"), HasSubstr(engine));
  std::filesystem::create_directory(engine);
  ExpectRefused(126, "ENGINE_UNSUITABLE");
}

TEST_F(EngineOfThePayload, NeedsNoPath) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const bool empty : {true, false}) {
    environment_["PATH"] = "";
    if (!empty) environment_.erase("PATH");
    for (const Program& program : Ways()) EXPECT_EQ(Probe(program).environment.contains("PATH"), empty);
  }
}

// The same program started by a launch and by hand must print the same.
class EngineCheck : public EngineOfPath {
 protected:
  void ExpectNoTrace(const std::string& entry, const std::string& script) {
    TestRelease payload;
    payload.entry = entry;
    payload.script = script;
    payload.extra.push_back({"app/child.js", kChild});
    ASSERT_EQ(Install(payload).status, 0);
    const std::string path = std::filesystem::canonical(version_directory()).string() + "/" + entry;
    Append(temp_ / "own.js", "globalThis.own = 1;\n");
    // The user's own preloaded module is none of the scripts; a variable of the engine's makes the second of them run.
    const std::string options = "--require \"" + (temp_ / "own.js") + "\" --stack-trace-limit=7";
    const std::vector<std::map<std::string, std::string>> variants = {
        {}, {{"NODE_OPTIONS", options}, {"PISHIP_NODE_OPTIONS", options}}, {{"NODE_PATH", temp_ / "nowhere"}}};
    for (const std::map<std::string, std::string>& variant : variants) {
      for (const std::string name : {"NODE_OPTIONS", "PISHIP_NODE_OPTIONS"}) environment_.erase(name);
      for (const auto& [name, value] : variant) environment_[name] = value;
      const Ran plain =
          RunProgram({.argv = {"node", path, "--require", "x"}, .executable = NodePath(), .environment = environment_});
      ASSERT_EQ(plain.status, 0) << plain.err;
      ASSERT_NE(plain.out, "");
      EXPECT_EQ(plain.err, "");
      const Ran launched = Start({"--require", "x"});
      EXPECT_EQ(launched.out, plain.out);
      EXPECT_EQ(launched.err, plain.err);
      EXPECT_EQ(launched.status, 0);
    }
  }
  static constexpr const char* kChild =
      "const report = { argv: process.argv, execArgv: process.execArgv, preloaded: process._preload_modules,\n"
      "  cache: Object.keys(require.cache), main: require.main === module };\n"
      "if (process.send) process.send(report); else require('worker_threads').parentPort.postMessage(report);\n";
  static constexpr const char* kShow =
      "const show = (name, value) => console.log(name, JSON.stringify(value));\n"
      "show('argv', process.argv); show('argv0', process.argv0); show('execArgv', process.execArgv);\n"
      "show('execPath', process.execPath); show('preloaded', process._preload_modules);\n"
      "show('own', globalThis.own); show('globals', Object.getOwnPropertyNames(globalThis).sort());\n"
      "show('listeners', process.eventNames().map(String)); show('limit', Error.stackTraceLimit);\n";
};

TEST_F(EngineCheck, LeavesNoTraceForCommonJs) {
  ExpectNoTrace("app/main.cjs",
                std::string(kShow) +
                    "show('main', require.main === module); show('cache', Object.keys(require.cache));\n"
                    "show('children', module.children.length); show('parent', module.parent);\n"
                    "show('id', module.id); show('file', __filename); show('paths', module.paths);\n");
}

TEST_F(EngineCheck, LeavesNoTraceForEcmaScriptModules) {
  ExpectNoTrace("app/main.mjs",
                std::string("import { createRequire } from 'node:module';\n") + kShow +
                    "const require = createRequire(import.meta.url);\n"
                    "show('url', import.meta.url); show('cache', Object.keys(require.cache));\n"
                    "show('main', String(require.main)); await null; show('require', typeof globalThis.require);\n");
}

TEST_F(EngineCheck, LeavesNoTraceInWorkersAndForks) {
  ExpectNoTrace("app/main.cjs",
                std::string(kShow) +
                    "const child = require('path').join(__dirname, 'child.js');\n"
                    "new (require('worker_threads').Worker)(child).once('message', (worker) => {\n"
                    "  show('worker', worker);\n"
                    "  require('child_process').fork(child, ['--x']).once('message', (fork) => show('fork', fork));\n"
                    "});\n");
}

TEST_F(EngineCheck, LeavesTheExitStatusOfTheApplication) {
  TestRelease payload;
  payload.script = "process.exitCode = 7;\n";
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_EQ(Start().status, 7);
  payload.version = "2.0.0";
  payload.script = "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 10000);\n";
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_EQ(Start().status, 128 + 15);
}

// Paths of an entry are resolved from its own place; a home behind a link must not break the removal of the traces.
TEST_F(EngineCheck, LeavesNoTraceInAHomeBehindALink) {
  ASSERT_TRUE(MakeDirectories(temp_ / "real").has_value());
  std::filesystem::create_directory_symlink(temp_ / "real", install_home());
  TestRelease payload;
  payload.script =
      "console.log(process.execArgv.length, process._preload_modules.length, "
      "Object.keys(require.cache).length)\n";
  ASSERT_EQ(Install(payload).status, 0);
  ExpectStarts("0 0 1\n");
}

}  // namespace
}  // namespace piship
