// SPDX-License-Identifier: MIT
// A kill, and every failure that can be, at every system call of an install, an update and a repair out of a channel.
#include "tool/runtime/channel_points.h"

namespace piship {
namespace {

const std::vector<std::string> kOne = {".lock", "1.0.0", "launch"};
const std::vector<std::string> kTwo = {".lock", "1.0.0", "2.0.0", "launch"};

TEST_F(ChannelFaultPoints, FirstInstall) {
  Publish("1.0.0");
  TryPoints({.name = "install from a channel",
             .program = InstallingFromChannel(),
             .network = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(ChannelFaultPoints, Update) {
  AddNeighbours();
  InstallFirst();
  Publish("2.0.0");
  TryPoints({.name = "update from a channel",
             .program = Verb({"update", "hello"}),
             .network = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(ChannelFaultPoints, UpdateByADelta) {
  InstallFirst();
  Publish("2.0.0", 1);
  TryPoints({.name = "update by a delta",
             .program = Verb({"update", "hello"}),
             .network = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(ChannelFaultPoints, UpdateByFrames) {
  PublishInFrames("1.0.0");
  InstallPublished();
  PublishInFrames("2.0.0");
  TryPoints({.name = "update by frames",
             .program = Verb({"update", "hello"}),
             .network = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(ChannelFaultPoints, UpdateThatGoesOnWithADownload) {
  InstallFirst();
  Publish("2.0.0");
  BeginDownload("2.0.0", 1000);
  TryPoints({.name = "update that goes on with a download",
             .program = Verb({"update", "hello"}),
             .network = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(ChannelFaultPoints, UpdateToAVersionThatIsKept) {
  InstallFirst();
  Publish("2.0.0");
  Do(Verb({"update", "hello"}));
  Do(Verb({"rollback", "hello"}));
  TryPoints({.name = "update to a version that is kept",
             .program = Verb({"update", "hello", "--release-version", "2.0.0"}),
             .network = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(ChannelFaultPoints, Repair) {
  InstallFirst();
  Append(version_directory("1.0.0") + "/app/main.js", "damaged");
  TryPoints({.name = "repair from a channel",
             .program = Verb({"repair", "hello"}),
             .repairs = true,
             .network = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(ChannelFaultPoints, RepairByFrames) {
  PublishInFrames("1.0.0");
  InstallPublished();
  Append(version_directory("1.0.0") + "/app/main.js", "damaged");
  TryPoints({.name = "repair by frames",
             .program = Verb({"repair", "hello"}),
             .repairs = true,
             .network = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

}  // namespace
}  // namespace piship
