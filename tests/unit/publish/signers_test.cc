// SPDX-License-Identifier: MIT
#include "publish/signers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tuf/key.h"
#include "unit/publish/publish_fixture.h"

namespace piship::publish {
namespace {

std::string Material(const tuf::PublicKey& key) { return key.object.Find("keyval")->Find("public")->string(); }

class SignersTest : public Publishing {
 protected:
  SignersTest() : key_(*tuf::SigningKey::Generate(tuf::KeyKind::kEcdsaP256)), file_(keys_ + "/k.pem") {}
  tuf::SigningKey key_;
  std::string file_;
};

TEST_F(SignersTest, AKeyThatOthersMayReadIsRefused) {
  PISHIP_ASSERT_OK(WritePrivateKey(file_, *key_.ToPem(std::nullopt)));
  PISHIP_ASSERT_OK(OpenSigners({.keys = {file_}}));
  chmod(file_.c_str(), 0640);
  PISHIP_EXPECT_ERROR(OpenSigners({.keys = {file_}}), ErrorCode::kKeyInvalid);
}

TEST_F(SignersTest, PassphrasesComeFromAVariableOrADescriptor) {
  PISHIP_ASSERT_OK(WritePrivateKey(file_, *key_.ToPem("secret")));
  setenv("PISHIP_TEST_PASSPHRASE", "secret", 1);
  PISHIP_ASSERT_OK(OpenSigners({.keys = {file_}, .passphrase_env = "PISHIP_TEST_PASSPHRASE"}));
  setenv("PISHIP_TEST_PASSPHRASE", "wrong", 1);
  PISHIP_EXPECT_ERROR(OpenSigners({.keys = {file_}, .passphrase_env = "PISHIP_TEST_PASSPHRASE"}),
                      ErrorCode::kKeyInvalid);
  unsetenv("PISHIP_TEST_PASSPHRASE");
  PISHIP_EXPECT_ERROR(OpenSigners({.keys = {file_}, .passphrase_env = "PISHIP_TEST_PASSPHRASE"}), ErrorCode::kUsage);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "secret\nrest", 11), 11);
  close(ends[1]);
  PISHIP_ASSERT_OK(OpenSigners({.keys = {file_, file_}, .passphrase_fd = std::to_string(ends[0])}));
  close(ends[0]);
}

TEST_F(SignersTest, GitNeverSeesAPrivateKey) {
  const std::string pem = *key_.ToPem(std::nullopt);
  const std::string tree = temp_ / "tree";
  ASSERT_TRUE(MakeDirectories(tree + "/keys"));
  ASSERT_EQ(std::system(("git init -q '" + tree + "'").c_str()), 0);
  PISHIP_EXPECT_ERROR(WritePrivateKey(tree + "/keys/k.pem", pem), ErrorCode::kKeyInvalid);
  PISHIP_EXPECT_ERROR(WritePrivateKey(tree + "/new/k.pem", pem), ErrorCode::kKeyInvalid);
  ASSERT_TRUE(WriteFileAtomically(tree + "/.gitignore", "/keys/\n/later/\n"));
  PISHIP_ASSERT_OK(WritePrivateKey(tree + "/keys/k.pem", pem));
  PISHIP_ASSERT_OK(WritePrivateKey(tree + "/later/below/k.pem", pem));
  EXPECT_FALSE(WritePrivateKey(tree + "/keys/k.pem", pem));  // it never replaces one
  struct stat status {};
  ASSERT_EQ(stat((tree + "/keys/k.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SignersTest, AProgramSignsInPlaceOfAKey) {
  PISHIP_ASSERT_OK(WritePrivateKey(file_, *key_.ToPem(std::nullopt)));
  const std::string public_file = keys_ + "/k.pub";
  ASSERT_TRUE(WriteFileAtomically(public_file, Material(key_.public_key())));
  const auto script = [&](const std::string& name, const std::string& text) {
    const std::string path = temp_ / name;
    EXPECT_TRUE(WriteFileAtomically(path, "#!/bin/sh\n" + text + "\n", 0755));
    chmod(path.c_str(), 0755);
    return path;
  };
  const std::string openssl = "openssl dgst -sha256 -sign '" + file_ + "'";
  for (const std::string& text : {openssl, openssl + " | od -An -tx1"}) {
    const auto signers = OpenSigners({.programs = {script("signer", text)}, .program_keys = {public_file}});
    PISHIP_ASSERT_OK(signers);
    const auto signature = (*signers)[0]->Sign("message");
    PISHIP_ASSERT_OK(signature);
    const auto key = tuf::Key::From("ecdsa", "ecdsa-sha2-nistp256", Material(key_.public_key()));
    EXPECT_TRUE(key->Verify("message", *signature));
  }
  for (const std::string text : {"echo 00", "exit 1", "cat"}) {
    const auto signers = OpenSigners({.programs = {script("signer", text)}, .program_keys = {public_file}});
    PISHIP_ASSERT_OK(signers);
    PISHIP_EXPECT_ERROR((*signers)[0]->Sign("message"), ErrorCode::kKeyInvalid);
  }
  PISHIP_EXPECT_ERROR(OpenSigners({.programs = {"x"}}), ErrorCode::kUsage);
}

}  // namespace
}  // namespace piship::publish
