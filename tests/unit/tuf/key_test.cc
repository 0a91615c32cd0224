// SPDX-License-Identifier: MIT
#include "tuf/key.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"
#include "tuf/metadata.h"
#include "tuf/signing_key.h"

namespace piship::tuf {
namespace {

std::string MaterialOf(const PublicKey& key) { return key.object.Find("keyval")->Find("public")->string(); }
std::string StringOf(const PublicKey& key, std::string_view name) { return key.object.Find(name)->string(); }

TEST(Key, VerifiesWhatItsKindSigns) {
  for (const KeyKind kind : {KeyKind::kEd25519, KeyKind::kEcdsaP256, KeyKind::kRsaPss}) {
    const auto signer = SigningKey::Generate(kind);
    PISHIP_ASSERT_OK(signer);
    const PublicKey& named = signer->public_key();
    const auto key = Key::From(StringOf(named, "keytype"), StringOf(named, "scheme"), MaterialOf(named));
    ASSERT_TRUE(key);
    auto signature = signer->Sign("message");
    PISHIP_ASSERT_OK(signature);
    EXPECT_TRUE(key->Verify("message", *signature));
    EXPECT_FALSE(key->Verify("Message", *signature));
    EXPECT_FALSE(key->Verify("message", ""));
    EXPECT_FALSE(key->Verify("message", *signature + "x"));
    (*signature)[signature->size() / 2] ^= 1;
    EXPECT_FALSE(key->Verify("message", *signature));
    EXPECT_EQ(named.id.size(), 64U);
    EXPECT_EQ(*KeyIdOf(named.object), named.id);
  }
}

TEST(Key, ReadsPrivatePemWithAndWithoutAPassphrase) {
  const auto signer = SigningKey::Generate(KeyKind::kEcdsaP256);
  PISHIP_ASSERT_OK(signer);
  const auto never = []() -> Result<std::string> { return Fail(ErrorCode::kUsage, "asked"); };
  const auto plain = SigningKey::FromPem(*signer->ToPem(std::nullopt), "k", never);
  PISHIP_ASSERT_OK(plain);
  EXPECT_EQ(plain->public_key().id, signer->public_key().id);
  const std::string sealed = *signer->ToPem("secret");
  EXPECT_NE(sealed.find("BEGIN ENCRYPTED PRIVATE KEY"), std::string::npos);
  PISHIP_ASSERT_OK(SigningKey::FromPem(sealed, "k", []() -> Result<std::string> { return "secret"; }));
  PISHIP_EXPECT_ERROR(SigningKey::FromPem(sealed, "k", []() -> Result<std::string> { return "wrong"; }),
                      ErrorCode::kKeyInvalid);
  PISHIP_EXPECT_ERROR(SigningKey::FromPem(sealed, "k", never), ErrorCode::kUsage);
  PISHIP_EXPECT_ERROR(SigningKey::FromPem("no key", "k", never), ErrorCode::kKeyInvalid);
  const auto read = ReadPublicPem(MaterialOf(signer->public_key()), "k");
  PISHIP_ASSERT_OK(read);
  EXPECT_EQ(read->id, signer->public_key().id);
}

TEST(Key, IgnoresWhatItCanNotUse) {
  const std::string hex(64, 'a');
  EXPECT_FALSE(Key::From("quantum", "ed25519", hex));
  EXPECT_FALSE(Key::From("ed25519", "quantum", hex));
  EXPECT_FALSE(Key::From("ed25519", "ecdsa-sha2-nistp256", hex));
  EXPECT_FALSE(Key::From("ed25519", "ed25519", "aa"));
  EXPECT_FALSE(Key::From("rsa", "rsassa-pss-sha256", hex));
  EXPECT_FALSE(Key::From("rsa", "rsassa-pss-sha256", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"));
  const auto ed25519 = SigningKey::Generate(KeyKind::kEcdsaP256);
  PISHIP_ASSERT_OK(ed25519);
  EXPECT_FALSE(Key::From("rsa", "rsassa-pss-sha256", MaterialOf(ed25519->public_key())));
  EXPECT_FALSE(Key::From("ecdsa", "ecdsa-sha2-nistp384", MaterialOf(ed25519->public_key())));
  EXPECT_TRUE(Key::From("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", MaterialOf(ed25519->public_key())));
}

// RFC 8032, section 7.1, test 2.
constexpr std::string_view kRfcKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
constexpr std::string_view kRfcSignature =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

TEST(Key, T36Ed25519RefusesWhatFitsMoreThanOneMessage) {
  const auto key = Key::From("ed25519", "ed25519", kRfcKey);
  ASSERT_TRUE(key);
  const std::string good = *BytesOfHex(kRfcSignature);
  EXPECT_TRUE(key->Verify("\x72", good));
  EXPECT_FALSE(key->Verify("\x72", std::string(64, '\0')));
  EXPECT_FALSE(key->Verify("", good));
  // S plus the order of the group.
  constexpr std::string_view kOrder = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
  const std::string order = *BytesOfHex(kOrder);
  std::string high = good;
  int carry = 0;
  for (std::size_t index = 0; index < 32; ++index) {
    carry += static_cast<unsigned char>(good[32 + index]) + static_cast<unsigned char>(order[index]);
    high[32 + index] = static_cast<char>(carry);
    carry >>= 8;
  }
  EXPECT_FALSE(key->Verify("\x72", high));
  // The points of order 1, 2, 4 and 8, with either sign, and encodings that are not below the prime.
  for (const std::string_view point : {
           "0000000000000000000000000000000000000000000000000000000000000000",
           "0000000000000000000000000000000000000000000000000000000000000080",
           "0100000000000000000000000000000000000000000000000000000000000000",
           "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
           "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
           "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
           "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
           "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       }) {
    EXPECT_FALSE(Key::From("ed25519", "ed25519", point)) << point;
    EXPECT_FALSE(key->Verify("\x72", *BytesOfHex(point) + good.substr(32))) << point;
  }
}

class Threshold : public testing::Test {
 protected:
  Threshold() {
    for (int index = 0; index < 3; ++index) signers_.push_back(*SigningKey::Generate(KeyKind::kEd25519));
    for (const SigningKey& signer : signers_) Add(signer.public_key().id, signer);
    role_.threshold = 2;
  }
  void Add(const std::string& id, const SigningKey& signer) {
    keys_.emplace(id, Key::From("ed25519", "ed25519", MaterialOf(signer.public_key())));
    role_.key_ids.push_back(id);
  }
  Signature By(int signer, std::string id = {}) {
    if (id.empty()) id = signers_[static_cast<std::size_t>(signer)].public_key().id;
    return {id, *signers_[static_cast<std::size_t>(signer)].Sign("message")};
  }
  std::size_t Count(const std::vector<Signature>& signatures) const {
    return CountSignatures("message", signatures, keys_, role_);
  }
  std::vector<SigningKey> signers_;
  KeySet keys_;
  RoleKeys role_;
};

TEST_F(Threshold, T26CountsKeysAndNotSignaturesOrNames) {
  EXPECT_EQ(Count({By(0), By(1)}), 2U);
  EXPECT_EQ(Count({By(0), By(0)}), 1U);
  Add("alias", signers_[0]);
  EXPECT_EQ(Count({By(0), By(0, "alias")}), 1U);
  EXPECT_EQ(Count({By(0, "alias"), By(1)}), 2U);
  PISHIP_EXPECT_ERROR(VerifySignatures("message", {By(0), By(0, "alias")}, keys_, role_, "x"),
                      ErrorCode::kSignatureInvalid);
  PISHIP_ASSERT_OK(VerifySignatures("message", {By(0), By(1)}, keys_, role_, "x"));
}

TEST_F(Threshold, T37AKeyIdIsOnlyAName) {
  EXPECT_EQ(Count({By(0, signers_[1].public_key().id)}), 0U);
  EXPECT_EQ(Count({By(0, "unknown"), By(1)}), 1U);
  role_.key_ids.pop_back();
  EXPECT_EQ(Count({By(2)}), 0U);  // it is among the keys, but not of this role
}

TEST_F(Threshold, AWrongSignatureBesideEnoughGoodOnesDoesNotMatter) {
  EXPECT_EQ(Count({{signers_[2].public_key().id, ""}, By(0), By(1)}), 2U);
  keys_[role_.key_ids[2]].reset();  // a key that this client can't use
  EXPECT_EQ(Count({By(2), By(0), By(1)}), 2U);
}

}  // namespace
}  // namespace piship::tuf
