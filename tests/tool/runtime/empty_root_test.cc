// SPDX-License-Identifier: MIT
// The runtime in a root file system that holds nothing but it, a release and what the engine itself needs: no /proc,
// no /dev, no shell, no /etc.
#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;

class EmptyRoot : public ProbeTest {
 protected:
  void SetUp() override {
    if (PISHIP_TEST_STATIC == 0) GTEST_SKIP() << "with sanitizers the runtime needs shared libraries";
    if (NodePath().empty()) GTEST_SKIP() << "there is no node on PATH";
    ASSERT_TRUE(MakeDirectories(root()).has_value());
    Copy(RuntimePath(), "/piship");
    if (RunProgram(Inside({"/piship", "--version"}, Jail::kBubblewrap)).status == 0) {
      jail_ = Jail::kBubblewrap;
    } else if (RunProgram(Inside({"/piship", "--version"}, Jail::kChroot)).status == 0) {
      jail_ = Jail::kChroot;
    } else {
      GTEST_SKIP() << "neither bubblewrap nor chroot works here: "
                   << RunProgram(Inside({"/piship", "--version"}, Jail::kBubblewrap)).err
                   << RunProgram(Inside({"/piship", "--version"}, Jail::kChroot)).err;
    }
    CopyLibraries();
  }

  enum class Jail { kBubblewrap, kChroot };
  std::string root() const { return temp_ / "root"; }
  void Copy(const std::string& from, const std::string& to) const {
    ASSERT_TRUE(MakeDirectories(root() + ParentPath(to)).has_value());
    std::error_code error;
    std::filesystem::copy_file(std::filesystem::canonical(from), root() + to, error);
    ASSERT_FALSE(error) << from << ": " << error.message();
  }
  // Exactly what the dynamic loader asks for, at the places where it looks.
  void CopyLibraries() const {
    const Ran ran = RunProgram({.argv = {"/usr/bin/ldd", NodePath()}, .environment = {{"PATH", "/usr/bin:/bin"}}});
    ASSERT_EQ(ran.status, 0) << ran.err;
    std::istringstream words(ran.out);
    for (std::string word; words >> word;) {
      if (word.front() != '/' || word.find(':') != std::string::npos) continue;
      Copy(word, word);
      if (FileName(word).starts_with("libnode.")) CopyBuiltins(word);
    }
  }
  // Debian's engine reads some of its own JavaScript from files whose places are compiled into it.
  void CopyBuiltins(const std::string& library) const {
    constexpr std::string_view kPlace = "/usr/share/nodejs/";
    const auto bytes = ReadFile(library, std::size_t{1} << 30);
    ASSERT_TRUE(bytes.has_value());
    for (std::size_t at = bytes->find(kPlace); at != std::string::npos; at = bytes->find(kPlace, at + 1)) {
      const std::string path = bytes->c_str() + at;
      if (path.ends_with(".js") && Exists(path) && !Exists(root() + path)) Copy(path, path);
    }
  }
  static Program Inside(const std::vector<std::string>& words, Jail jail, const std::string& root) {
    Program program;
    if (jail == Jail::kBubblewrap) {
      program.argv = {"/usr/bin/bwrap",
                      "--unshare-all",
                      "--die-with-parent",
                      "--clearenv",
                      "--bind",
                      root,
                      "/",
                      "--chdir",
                      "/",
                      "--setenv",
                      "HOME",
                      "/home",
                      "--"};
    } else {
      program.argv = {"/usr/sbin/chroot", root};
      program.environment = {{"HOME", "/home"}};
    }
    program.argv.insert(program.argv.end(), words.begin(), words.end());
    return program;
  }
  Program Inside(const std::vector<std::string>& words, Jail jail) const { return Inside(words, jail, root()); }
  Ran Run(const std::vector<std::string>& words) const { return RunProgram(Inside(words, jail_)); }
  void InstallInside(const TestRelease& payload) const {
    const std::string archive = payload.WriteArchive(root());
    const Ran ran = Run({"/piship", "install", "/" + std::string(FileName(archive))});
    ASSERT_EQ(ran.status, 0) << ran.err;
  }

  Jail jail_ = Jail::kBubblewrap;
};

TEST_F(EmptyRoot, InstallsStartsVerifiesAndUninstalls) {
  Copy(NodePath(), "/usr/bin/node");
  InstallInside(TestRelease());
  const Ran ran = Run({"/home/.local/bin/hello", "one", "--two"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "hello\none\n--two\n");
  EXPECT_EQ(Run({"/piship", "launch", "hello", "--", "x"}).out, "hello\nx\n");
  EXPECT_EQ(Run({"/piship", "verify", "hello"}).status, 0);
  EXPECT_EQ(Run({"/piship", "uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(root() + "/home/.local/bin/hello"));
}

TEST_F(EmptyRoot, AnInstallerNeedsNothingButItself) {
  ASSERT_TRUE(WriteFileAtomically(root() + "/hello.run", TestRelease().Installer(), 0755).has_value());
  ASSERT_EQ(unlink((root() + "/piship").c_str()), 0);
  EXPECT_EQ(Run({"/hello.run", "--verify"}).status, 0);
  EXPECT_EQ(Run({"/hello.run", "--extract", "/extracted"}).status, 0);
  const Ran ran = Run({"/hello.run"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  Copy(NodePath(), "/usr/bin/node");
  EXPECT_EQ(Run({"/home/.local/bin/hello", "one"}).out, "hello\none\n");
  EXPECT_EQ(Run({"/home/.local/bin/hello", "--piship", "uninstall"}).status, 0);
}

TEST_F(EmptyRoot, WithoutAnEngineItSaysSo) {
  InstallInside(TestRelease());
  const Ran ran = Run({"/home/.local/bin/hello"});
  EXPECT_EQ(ran.status, 127);
  EXPECT_THAT(ran.err, HasSubstr("[ENGINE_MISSING]"));
}

TEST_F(EmptyRoot, AnEngineOfThePayloadNeedsNothingButItsLibraries) {
  TestRelease payload;
  payload.payload_engine = *ReadFile(NodePath());
  InstallInside(payload);
  EXPECT_EQ(Run({"/home/.local/bin/hello", "one"}).out, "hello\none\n");
  // And says what is wrong where even they are missing.
  for (const std::string directory : {"/lib", "/lib64", "/usr"}) std::filesystem::remove_all(root() + directory);
  const Ran ran = Run({"/home/.local/bin/hello"});
  EXPECT_EQ(ran.status, 126);
  EXPECT_THAT(ran.err, HasSubstr("[ENGINE_UNSUITABLE]"));
  EXPECT_THAT(ran.err, HasSubstr("loader"));
}

TEST_F(EmptyRoot, EachStartCanVerify) {
  Copy(NodePath(), "/usr/bin/node");
  TestRelease payload;
  payload.verify = VerifyAtLaunch::kOn;
  InstallInside(payload);
  EXPECT_EQ(Run({"/home/.local/bin/hello"}).out, "hello\n");
  Append(root() + "/home/.local/share/piship/apps/hello/1.0.0/app/main.js", " ");
  EXPECT_EQ(Run({"/home/.local/bin/hello"}).status, 125);
}

}  // namespace
}  // namespace piship
