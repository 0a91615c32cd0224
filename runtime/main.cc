// SPDX-License-Identifier: MIT
// The table of verbs. A copy of this program that lies where an install puts launchers is the installed command itself:
// then no argument but a first "--piship" is PiShip's, and nothing of what the verbs need is touched.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/cli.h"
#include "base/files.h"
#include "commands/commands.h"
#include "launch/launch.h"
#include "os/descriptors.h"
#include "os/own_place.h"

namespace piship {
namespace {

int ReportLaunchFailure(std::string_view program, const Error& error) {
  const std::string text = FormatError(program, error) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return LaunchExitStatus(error);
}

int ReportOwnDamage(const std::string& own_place, const Error& error) {
  const std::string text = FormatError(FileName(own_place), error) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return ExitStatus(error.code);
}

// What a man page says beside the verbs; docs/runtime.md says more.
void AddManSections(CommandLine& line) {
  line.Section(
      {"ENVIRONMENT",
       {{"PISHIP_INSTALL_HOME", "Payloads and receipts; by default $XDG_DATA_HOME/piship or ~/.local/share/piship."},
        {"PISHIP_STATE_HOME", "What applications store; by default $XDG_STATE_HOME/piship or ~/.local/state/piship."},
        {"PISHIP_BIN_HOME", "The installed commands; by default ~/.local/bin."},
        {"PISHIP_CACHE_HOME", "The cache; by default $XDG_CACHE_HOME/piship or ~/.cache/piship."},
        {"PISHIP_NODE_OPTIONS", "NODE_OPTIONS for the engines of installed commands."}}});
  line.Section(
      {"EXIT STATUS",
       {{"0", "Success."},
        {"1", "The operation failed, or the answer is no."},
        {"2", "The command line is wrong."},
        {"3", "Integrity or trust: what was read is not what it should be."},
        {"4", "The environment; a retry may help."},
        {"70", "A bug in PiShip."},
        {"125, 126, 127", "An installed command could not be started; its engine can't run it; it has no engine."}}});
}

// Only ends where it fails: its success is that this process is another program.
int RunLauncher(const LauncherPlace& place, const std::vector<const char*>& arguments) {
  try {
    return ReportLaunchFailure(place.id, Launch(place, arguments));
  } catch (const std::bad_alloc&) {
    return ReportLaunchFailure(place.id, SystemError("get memory", ENOMEM));
  }
}

void AddInstall(CommandLine& line, InstallOptions& install) {
  AddLimits(
      line.Verb("install", "Installs a release, or updates to it.", "piship install hello-1.0.0-linux-x64.tar.zst")
          .Positional(install.source, "<archive|directory|url|->",
                      "An archive, an extracted archive, a repository of channels, or '-' for standard input.",
                      Need::kRequired)
          .Option(install.sha256, "--sha256", "<digest>",
                  "The archive's SHA-256 as its owner told it; anything else is refused.")
          .Option(install.expect_keys, "--expect-key", "<id>",
                  "A key that has signed the root, by the id that its owner told: the channel then proves the release.")
          .Option(install.id, "--id", "<id>", "The distribution, where the source is a URL.")
          .Option(install.channel, "--channel", "<name>",
                  "The channel of the repository; stable where it is not given.")
          .Option(install.root, "--root", "<file>",
                  "The owner's root.json, with which trust in the repository begins; it must come another way.")
          .Option(install.version, "--release-version", "<version>", "The version; the newest where it is not given.")
          .Flag(install.accept_state, "--accept-state",
                "Also to a version that can't read what the active one has stored.")
          .Flag(install.json, "--json", "Prints the result as JSON on standard output.")
          .Flag(install.quiet, "--quiet", "Says nothing but errors.")
          .Flag(install.dry_run, "--dry-run", "Checks everything and says what would be done, without doing it."),
      install.limits);
}

void AddReading(CommandLine& line, ListOptions& list, SubjectOptions& inspect, SubjectOptions& verify) {
  line.Verb("list", "Lists what is installed.", "piship list").Flag(list.json, "--json", "Prints the list as JSON.");
  AddLimits(line.Verb("inspect", "Describes an installed distribution or a release.", "piship inspect hello")
                .Positional(inspect.subject, "<id|archive|directory|->", "What to describe.", Need::kRequired)
                .Flag(inspect.json, "--json", "Prints the description as JSON."),
            inspect.limits);
  AddLimits(
      line.Verb("verify", "Checks every file of an installed distribution or of a release.", "piship verify hello")
          .Positional(verify.subject, "<id|archive|directory|->", "What to check.", Need::kRequired)
          .Flag(verify.json, "--json", "Prints the result as JSON."),
      verify.limits);
}

void AddUpdate(CommandLine& line, UpdateOptions& update) {
  AddLimits(line.Verb("update", "Installs the newest release of a distribution's channel.", "piship update hello")
                .Positional(update.id, "<id>", "The distribution.", Need::kOptional)
                .Flag(update.all, "--all", "Every distribution that came from a channel.")
                .Option(update.channel, "--channel", "<name>", "Another channel of the same repository.")
                .Option(update.version, "--release-version", "<version>",
                        "This version in place of the newest; not an older one than is active.")
                .Flag(update.check, "--check", "Says whether there is a newer release, and downloads none.")
                .Flag(update.accept_state, "--accept-state",
                      "Also to a version that can't read what the active one has stored.")
                .Flag(update.json, "--json", "Prints the result as JSON.")
                .Flag(update.quiet, "--quiet", "Says nothing but errors."),
            update.limits);
}

void AddRollback(CommandLine& line, RollbackOptions& rollback) {
  line.Verb("rollback", "Goes back to a version that is kept.", "piship rollback hello")
      .Positional(rollback.id, "<id>", "The distribution.", Need::kRequired)
      .Option(rollback.to, "--to", "<version>", "The version; the one that was active before, where it is not given.")
      .Flag(rollback.accept_state, "--accept-state",
            "Also to a version that can't read what the active one has stored.")
      .Flag(rollback.json, "--json", "Prints the result as JSON.")
      .Flag(rollback.quiet, "--quiet", "Says nothing but errors.")
      .Flag(rollback.dry_run, "--dry-run", "Says what would be done, without doing it.");
}

void AddKeep(CommandLine& line, KeepOptions& keep) {
  line.Verb("keep", "Says or sets how many versions stay installed beside the active one.", "piship keep hello 2")
      .Positional(keep.id, "<id>", "The distribution.", Need::kRequired)
      .Positional(keep.versions, "<versions>", "A number from 0 to 99, or 'default' for what its owner has chosen.",
                  Need::kOptional)
      .Flag(keep.json, "--json", "Prints the result as JSON.")
      .Flag(keep.quiet, "--quiet", "Says nothing but errors.");
}

void AddRepair(CommandLine& line, RepairOptions& repair) {
  AddLimits(line.Verb("repair", "Writes anew what differs in an installed version.", "piship repair hello")
                .Positional(repair.id, "<id>", "The distribution.", Need::kRequired)
                .Option(repair.from, "--from", "<archive|directory>",
                        "The release; its channel's archive where it is not given.")
                .Option(repair.version, "--release-version", "<version>",
                        "A version that is kept; the active one where it is not given.")
                .Flag(repair.json, "--json", "Prints the result as JSON.")
                .Flag(repair.quiet, "--quiet", "Says nothing but errors."),
            repair.limits);
}

void AddDoctor(CommandLine& line, DoctorOptions& doctor) {
  line.Verb("doctor", "Says what is well and what is not, and what to do.", "piship doctor hello")
      .Positional(doctor.id, "<id>", "The distribution; all of them where it is not given.", Need::kOptional)
      .Flag(doctor.fix, "--fix", "First mends what needs no release, and frees what nothing needs any more.")
      .Flag(doctor.json, "--json", "Prints the checks as JSON.");
}

void AddUninstall(CommandLine& line, UninstallOptions& uninstall) {
  line.Verb("uninstall", "Removes an installed distribution.", "piship uninstall hello")
      .Positional(uninstall.id, "<id>", "The distribution.", Need::kRequired)
      .Flag(uninstall.purge, "--purge", "Removes what the application has stored in the state home, too.")
      .Flag(uninstall.json, "--json", "Prints the result as JSON.")
      .Flag(uninstall.quiet, "--quiet", "Says nothing but errors.")
      .Flag(uninstall.dry_run, "--dry-run", "Says what would be removed, without removing it.");
}

constexpr std::string_view kOwnVerbs = "--piship";

bool TakesId(const CommandText& command, std::string_view verb) {
  for (const CommandText& text : command.verbs) {
    if (text.name() != verb) continue;
    return std::any_of(text.options.begin(), text.options.end(),
                       [](const OptionText& option) { return option.positional && option.name.starts_with("<id"); });
  }
  return false;
}

// "<command> --piship update --check" is "piship update <id> --check" in the install home that this launcher lies in:
// who has installed a command needs no other program to update or remove it.
std::vector<char*> OwnArguments(const CommandText& command, std::string& id, int argc, char** argv) {
  std::vector<char*> arguments = {argv[0]};
  for (int index = 2; index < argc; ++index) {
    arguments.push_back(argv[index]);
    if (index == 2 && TakesId(command, argv[index])) arguments.push_back(id.data());
  }
  arguments.push_back(nullptr);
  return arguments;
}

struct VerbOptions {
  InstallOptions install;
  ListOptions list;
  SubjectOptions inspect;
  SubjectOptions verify;
  UpdateOptions update;
  RollbackOptions rollback;
  KeepOptions keep;
  DoctorOptions doctor;
  RepairOptions repair;
  UninstallOptions uninstall;
  LaunchOptions launch;
  std::string shell;
};

void AddVerbs(CommandLine& line, VerbOptions& options) {
  AddInstall(line, options.install);
  AddReading(line, options.list, options.inspect, options.verify);
  AddUpdate(line, options.update);
  AddRollback(line, options.rollback);
  AddKeep(line, options.keep);
  AddDoctor(line, options.doctor);
  AddRepair(line, options.repair);
  AddUninstall(line, options.uninstall);
  line.Verb("launch", "Starts an installed distribution.", "piship launch hello -- --version")
      .Positional(options.launch.id, "<id>", "The distribution.", Need::kRequired)
      .Rest(options.launch.arguments, "<argument>", "For the application, after '--'.");
  line.Verb("completion", "Prints a script that completes piship in a shell.", "piship completion bash")
      .Positional(options.shell, "<bash|zsh|fish>", "The shell.", Need::kRequired);
  AddManSections(line);
}

Status RunVerb(const CommandLine& line, const VerbOptions& options) {
  const std::string_view verb = line.verb();
  OpenClosedStandardStreams();
  ReportFileSizeLimit();
  if (verb == "completion") return RunCompletion(line.Text(), options.shell);
  if (verb == "install") return RunInstall(options.install);
  if (verb == "list") return RunList(options.list);
  if (verb == "inspect") return RunInspect(options.inspect);
  if (verb == "verify") return RunVerify(options.verify);
  if (verb == "update") return RunUpdate(options.update);
  if (verb == "rollback") return RunRollback(options.rollback);
  if (verb == "keep") return RunKeep(options.keep);
  if (verb == "doctor") return RunDoctor(options.doctor);
  if (verb == "repair") return RunRepair(options.repair);
  return RunUninstall(options.uninstall);
}

// `own`: the launcher that was asked for a verb, if it was one.
int RunVerbs(int argc, char** argv, const LauncherPlace* own) {
  CommandLine line("piship", "Installs, checks, starts and removes distributions of JavaScript applications.",
                   "piship install hello-1.0.0-linux-x64.tar.zst");
  VerbOptions options;
  AddVerbs(line, options);
  std::string own_id;
  std::vector<char*> own_arguments;
  if (own != nullptr) {
    setenv("PISHIP_INSTALL_HOME", own->install_home.c_str(), 1);
    own_id = own->id;
    own_arguments = OwnArguments(line.Text(), own_id, argc, argv);
    argc = static_cast<int>(own_arguments.size()) - 1;
    argv = own_arguments.data();
  }
  int launch_status = 0;
  const int status = RunMain(argc, argv, line, [&]() -> Status {
    if (line.verb() != "launch") return RunVerb(line, options);
    launch_status = ReportLaunchFailure("piship launch", RunLaunch(options.launch).error());
    return {};
  });
  return launch_status != 0 ? launch_status : status;
}

}  // namespace
}  // namespace piship

int main(int argc, char** argv) {
  using namespace piship;
  if (const auto own_place = OwnPlace()) {
    if (const auto launcher = LauncherPlaceOf(*own_place)) {
      if (argc > 1 && std::string_view(argv[1]) == kOwnVerbs) return RunVerbs(argc, argv, &*launcher);
      return RunLauncher(*launcher, {argv + (argc > 0 ? 1 : 0), argv + argc});
    }
    const auto installs = IsSelfInstaller(*own_place);
    if (!installs) return ReportOwnDamage(*own_place, installs.error());
    if (*installs) return RunSelfInstaller(*own_place, argc, argv);
  }
  return RunVerbs(argc, argv, nullptr);
}
