// SPDX-License-Identifier: MIT
// The completion scripts, asked as the shells ask them.
#include "support/result_matchers.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;

class Completion : public RuntimeTest {
 protected:
  // What bash offers for the last of the words.
  std::string Offered(const std::string& words) const {
    // compopt works only while a person completes, so it is no command here.
    const std::string script = R"(compopt() { :; }; piship() { "$RUNTIME" "$@"; }; source <(piship completion bash)
        COMP_WORDS=(piship )" + words +
                               R"(); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _piship; echo "${COMPREPLY[@]}")";
    Program program{.argv = {"/bin/bash", "-c", script}, .environment = environment_};
    program.environment["RUNTIME"] = RuntimePath();
    program.directory = temp_ / "files";
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  // Whether the shell, where it is there, can read its script.
  void ExpectReadable(const std::string& shell) {
    const std::string program = "/usr/bin/" + shell;
    if (!Exists(program)) GTEST_SKIP() << "skipped: " << shell << " is not installed";
    PISHIP_ASSERT_OK(WriteFileAtomically(temp_ / "script", Piship({"completion", shell}).out));
    const Ran ran = RunProgram({.argv = {program, "-n", temp_ / "script"}, .environment = environment_});
    EXPECT_EQ(ran.status, 0) << ran.err;
  }
};

TEST_F(Completion, BashOffersVerbsOptionsIdsAndFiles) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  std::filesystem::create_directory(temp_ / "files");
  PISHIP_ASSERT_OK(WriteFileAtomically(temp_ / "files/hello file.tar.zst", "x"));
  EXPECT_EQ(Offered("ver"), "verify\n");
  EXPECT_EQ(Offered("install --s"), "--sha256\n");
  EXPECT_EQ(Offered("uninstall ''"), "hello\n");
  EXPECT_EQ(Offered("verify hello"), "hello hello file.tar.zst\n");
  EXPECT_EQ(Offered("install --sha256 h"), "\n");
  EXPECT_EQ(Offered("completion ''"), "bash zsh fish\n");
}

TEST_F(Completion, ZshCanReadItsScript) { ExpectReadable("zsh"); }
TEST_F(Completion, FishCanReadItsScript) { ExpectReadable("fish"); }

TEST_F(Completion, AnUnknownShellIsAUsageError) {
  const Ran ran = Piship({"completion", "ksh"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("'ksh' [USAGE]\n  hint: use bash, zsh or fish"));
}

}  // namespace
}  // namespace piship
