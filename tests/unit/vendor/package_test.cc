// SPDX-License-Identifier: MIT
#include "vendor/package.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"
#include "support/tarball_builder.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

TEST(UnixFirstLine, IsMendedAsNpmDoes) {
  EXPECT_EQ(WithUnixFirstLine("#!/usr/bin/env node\r\na\r\nb"), "#!/usr/bin/env node\na\r\nb");
  EXPECT_EQ(WithUnixFirstLine("#!x\r\n"), "#!x\n");
  EXPECT_EQ(WithUnixFirstLine("#!a\rb\r\n"), "#!a\rb\n");
  for (const char* text : {"", "#!", "#!x\n", "#!\r\n", "#!\n\r\n", "#!x\r", "x#!y\r\n", "#x\r\n"}) {
    EXPECT_EQ(WithUnixFirstLine(text), std::nullopt) << text;
  }
  EXPECT_EQ(WithUnixFirstLine("#!" + std::string(2045, 'x') + "\r\n"), std::nullopt) << "beyond what npm looks at";
  EXPECT_TRUE(WithUnixFirstLine("#!" + std::string(2044, 'x') + "\r\n").has_value());
}

TEST(UnixFirstLine, BytesThatAreNoUtf8AreReplacedAsInNode) {
  // The expected texts are what Node's Buffer.toString('utf8') gives.
  const auto mended = [](std::string_view rest) { return WithUnixFirstLine("#!x\r\n" + std::string(rest))->substr(4); };
  EXPECT_EQ(mended("\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(mended("a\xff\xfe"
                   "b"),
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(mended("\xe2\x82z"), "\xef\xbf\xbdz") << "a sequence that is cut off counts once";
  EXPECT_EQ(mended("\xf0\x9f\x98"), "\xef\xbf\xbd");
  EXPECT_EQ(mended("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate counts by bytes";
  EXPECT_EQ(mended("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Package, UnpacksIntoTheStoreAndReadsItsOwnText) {
  TempDir directory;
  const auto store = Store::Open(directory / "store");
  PISHIP_ASSERT_OK(store);
  const std::string tarball = TarballBuilder()
                                  .File("p/package.json", "{}")
                                  .File("p/bin/a b.js", "#!/usr/bin/env node\r\n", 0755)
                                  .Entry({"p/link", '2', 0777, {}, {}, "x"})
                                  .Gzip();
  const auto package = UnpackPackage(tarball, "a@1.0.0", *store);
  PISHIP_ASSERT_OK(package);
  ASSERT_EQ(package->files.size(), 2U);
  ASSERT_EQ(package->scripts.size(), 1U);
  for (const InventoryEntry& file : package->files) PISHIP_ASSERT_OK(store->Read(file.digest, file.size));
  PISHIP_ASSERT_OK(store->Read(package->scripts[0].digest, package->scripts[0].size));
  const std::string text = package->Text();
  const auto parsed = Package::Parse(text);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->files, package->files);
  EXPECT_EQ(parsed->skipped, package->skipped);
  EXPECT_EQ(parsed->Text(), text);
}

TEST(Package, RefusesATextThatIsNotItsOwn) {
  Package package;
  package.files.push_back({Digest::Of("a"), 1, FileMode::kPlain, *RelativePath::Parse("a")});
  package.skipped.push_back({"p/l", "symbolic link"});
  const std::string text = package.Text();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto cut = Package::Parse(std::string_view(text).substr(0, size));
    if (!cut) continue;
    EXPECT_EQ(cut->Text(), text.substr(0, size)) << size;
  }
  std::string escaping = text;
  escaping.replace(escaping.find(" - a\n"), 5, " - ../a\n");
  EXPECT_FALSE(Package::Parse(escaping).has_value());
  EXPECT_FALSE(Package::Parse("piship-package 2\n").has_value());
}

TEST(Package, IsRememberedByRulesAndIntegrity) {
  EXPECT_NE(PackageKey("sha512-a"), PackageKey("sha512-b"));
  EXPECT_NE(PackageKey("sha512-a"), "sha512-a");
}

}  // namespace
}  // namespace piship
