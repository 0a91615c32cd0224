// SPDX-License-Identifier: MIT
#include "model/channel_place.h"

#include <gtest/gtest.h>

namespace piship {
namespace {

TEST(ChannelPlace, IsAnUrlAndAName) {
  EXPECT_EQ(WhyNotChannelPlace({"https://example.org/channel", "stable"}), "");
  EXPECT_EQ(WhyNotChannelPlace({"http://127.0.0.1:8080/", "beta-2_x"}), "");
  for (const char* url : {"", "example.org", "ftp://example.org", "file:///etc", "https://a b", "https://a\nb"}) {
    EXPECT_NE(WhyNotChannelPlace({url, "stable"}).find("URL"), std::string::npos) << url;
  }
  EXPECT_NE(WhyNotChannelPlace({"https://" + std::string(2048, 'a'), "stable"}), "");
  for (const char* name : {"", "Stable", "2", "a/b", "..", "a b", "-a"}) {
    EXPECT_NE(WhyNotChannelPlace({"https://example.org", name}).find("name"), std::string::npos) << name;
  }
  EXPECT_NE(WhyNotChannelPlace({"https://example.org", std::string(65, 'a')}), "");
}

}  // namespace
}  // namespace piship
