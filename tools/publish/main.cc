// SPDX-License-Identifier: MIT
#include "base/cli.h"
#include "os/descriptors.h"
#include "publish/publish.h"

namespace {

using piship::CommandLine;
using piship::Need;
using piship::publish::Options;

CommandLine& Signing(CommandLine& verb, Options& o) {
  return verb
      .Option(o.repository, "--repository", "<directory>", "The repository, as its owner keeps it.", Need::kRequired)
      .Option(o.signing.keys, "--key", "<file>", "A private key (PEM, PKCS #8) to sign with; may be repeated.")
      .Option(o.signing.programs, "--signer", "<program>",
              "A program that gets the bytes to sign on standard input and prints the signature; may be repeated.")
      .Option(o.signing.program_keys, "--signer-key", "<file>",
              "The public key (PEM) of the signer, in the same order.")
      .Option(o.signing.passphrase_fd, "--passphrase-fd", "<number>", "Where to read the passphrase of keys.")
      .Option(o.signing.passphrase_env, "--passphrase-env", "<variable>",
              "The variable that holds the passphrase of keys.")
      .Option(o.now, "--now", "<time>", "The time in place of the clock's, like 2031-02-28T23:59:59Z.");
}

CommandLine& Keys(CommandLine& verb, Options& o) {
  return verb
      .Option(o.role_keys, "--role-key", "<role=file>", "A key of the role (PEM, public or private); may be repeated.")
      .Option(o.keys_directory, "--new-keys", "<directory>",
              "Where a role that has no --role-key gets a new key, <role>.pem; encrypted where a passphrase is given.",
              Need::kOptional)
      .Option(o.thresholds, "--threshold", "<role=number>", "How many of its keys must sign (1); may be repeated.");
}

CommandLine& Selected(CommandLine& verb, Options& o) {
  return verb.Option(o.channel, "--channel", "<name>", "The channel that is changed.", Need::kRequired)
      .Option(o.id, "--id", "<id>", "The distribution.", Need::kRequired)
      .Option(o.version, "--release-version", "<version>", "Its version.", Need::kRequired)
      .Option(o.platform, "--platform", "<platform>", "Only for this platform.");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CommandLine line("piship-publish", "Keeps a signed repository of releases, ready for a static web server.",
                   "piship-publish add --repository repo --channel stable --release release.json --key stable.pem");
  Keys(Signing(line.Verb("init", "Begins a repository: a root with its keys, and empty channels.",
                         "piship-publish init --repository repo --channel stable --new-keys ~/keys"),
               o),
       o)
      .Option(o.channels, "--channel", "<name>", "A channel; may be repeated.")
      .Option(o.days, "--days", "<role=number>",
              "How long metadata is good: root, targets (365), snapshot (30), timestamp (7), channel (90).");
  Signing(line.Verb("add", "Adds releases to a channel.",
                    "piship-publish add --repository repo --channel stable --release release.json --key stable.pem"),
          o)
      .Option(o.channel, "--channel", "<name>", "The channel.", Need::kRequired)
      .Option(o.releases, "--release", "<file>", "A release.json, its archive beside it; may be repeated.")
      .Option(o.deltas, "--deltas", "<number>",
              "Also makes files that update to the newest release from so many releases before it (0).");
  Selected(
      Signing(line.Verb("withdraw", "Takes a release out of a channel.",
                        "piship-publish withdraw --repository repo --channel stable --id mypi --release-version 1.0.1"),
              o),
      o);
  Selected(Signing(line.Verb("promote", "Offers a release of one channel in another, without a rebuild.",
                             "piship-publish promote --repository repo --from beta --channel stable --id mypi "
                             "--release-version 1.0.1"),
                   o),
           o)
      .Option(o.from, "--from", "<name>", "The channel that has it.", Need::kRequired);
  Keys(Signing(line.Verb("rotate", "Gives a role other keys.",
                         "piship-publish rotate --repository repo --role timestamp --new-keys ~/keys --key root.pem"),
               o),
       o)
      .Option(o.role, "--role", "<role>", "root, targets, snapshot, timestamp or a channel.", Need::kRequired);
  Signing(line.Verb("refresh", "Publishes a new timestamp before the old one expires; for a scheduler.",
                    "piship-publish refresh --repository repo --key timestamp.pem"),
          o);
  Signing(line.Verb("sign", "Adds signatures to what is staged, and publishes it once it has all.",
                    "piship-publish sign --repository repo --key root-2.pem"),
          o);
  Signing(line.Verb("status", "Says what is published, how long it is good and what waits for signatures.",
                    "piship-publish status --repository repo"),
          o);
  return piship::RunMain(argc, argv, line, [&] {
    piship::OpenClosedStandardStreams();
    return piship::publish::Run(line.verb(), o);
  });
}
