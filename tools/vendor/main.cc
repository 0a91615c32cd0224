// SPDX-License-Identifier: MIT
// piship-vendor: an npm lock becomes the inventory of its node_modules; or an engine package becomes engine/.
#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "os/run_tool.h"
#include "vendor/vendor.h"

namespace {

using piship::ErrorCode;
using piship::Fail;
using piship::Need;
using piship::Result;
using piship::Status;

struct Arguments {
  std::optional<std::string> package_json;
  std::optional<std::string> lockfile;
  std::optional<std::string> platform;
  std::optional<std::string> node_version;
  std::optional<std::string> engine_package;
  std::optional<std::string> engine_version;
  std::optional<std::string> engine_integrity;
  std::optional<std::string> executable;
  std::string store;
  std::string tarballs;
  std::string output;
  std::string depfile;
  std::optional<std::string> report;
  std::optional<std::string> registry;
  bool offline = false;
  std::vector<std::string> allow_missing_integrity;
};

void Describe(piship::CommandLine& line, Arguments& arguments) {
  line.Option(arguments.package_json, "--package-json", "<file>", "The project's package.json.")
      .Option(arguments.lockfile, "--lockfile", "<file>", "Its package-lock.json (lockfileVersion 2 or 3).")
      .Option(arguments.platform, "--platform", "<platform>", "The platform to choose optional packages for.")
      .Option(arguments.node_version, "--node-version", "<version>",
              "Leave out optional packages whose engines exclude this version of Node.")
      .Option(arguments.allow_missing_integrity, "--allow-missing-integrity", "<package>",
              "Accept this package's lock entry without integrity; may be repeated.")
      .Option(arguments.engine_package, "--engine-package", "<name>",
              "Instead of a lock: the npm package that brings the JavaScript engine.")
      .Option(arguments.engine_version, "--engine-version", "<version>", "Its exact version.")
      .Option(arguments.engine_integrity, "--engine-integrity", "<integrity>", "Its integrity as npm writes it.")
      .Option(arguments.executable, "--executable", "<path>",
              "Instead of an engine: this one file of that package, a tool of the build.")
      .Option(arguments.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(arguments.tarballs, "--tarballs", "<directory>", "The tarball cache.", Need::kRequired)
      .Option(arguments.output, "--output", "<file>", "The inventory to write.", Need::kRequired)
      .Option(arguments.depfile, "--depfile", "<file>", "The depfile to write.", Need::kRequired)
      .Option(arguments.report, "--report", "<file>", "A JSON report of what was placed, left out and skipped.")
      .Option(arguments.registry, "--registry", "<url>", "The registry where no npm configuration names one.")
      .Flag(arguments.offline, "--offline", "Refuse the network.");
}

piship::FetchOptions FetchOptionsOf(const Arguments& arguments, std::string project_directory) {
  piship::FetchOptions fetch;
  fetch.tarballs = arguments.tarballs;
  fetch.project_directory = std::move(project_directory);
  fetch.registry = arguments.registry.value_or("");
  fetch.network = arguments.offline ? piship::NetworkUse::kRefused : piship::NetworkUse::kAllowed;
  for (char** variable = environ; *variable != nullptr; ++variable) fetch.environment.emplace_back(*variable);
  fetch.progress_fd = STDERR_FILENO;
  return fetch;
}

Result<std::vector<std::string>> RunEngine(const Arguments& arguments) {
  if (!arguments.engine_version || !arguments.engine_integrity) {
    return Fail(ErrorCode::kUsage, "--engine-package needs --engine-version and --engine-integrity");
  }
  if (arguments.package_json || arguments.lockfile || arguments.platform || arguments.node_version ||
      arguments.report || !arguments.allow_missing_integrity.empty()) {
    return Fail(ErrorCode::kUsage, "--engine-package takes no option that is about a lock");
  }
  PISHIP_CHECK(piship::Version::Parse(*arguments.engine_version));
  piship::EngineOptions options;
  options.package = *arguments.engine_package;
  options.version = *arguments.engine_version;
  options.integrity = *arguments.engine_integrity;
  options.executable = arguments.executable;
  options.store = arguments.store;
  options.fetch = FetchOptionsOf(arguments, ".");
  options.output = arguments.output;
  options.depfile = arguments.depfile;
  if (!piship::IsPackageName(options.package)) {
    return Fail(ErrorCode::kUsage, "'" + piship::Printable(options.package) + "' is not the name of an npm package");
  }
  if (options.integrity.empty()) return Fail(ErrorCode::kUsage, "--engine-integrity must not be empty");
  return piship::VendorEngine(options);
}

Result<std::vector<std::string>> RunLock(const Arguments& arguments) {
  if (!arguments.package_json || !arguments.lockfile || !arguments.platform) {
    return Fail(ErrorCode::kUsage, "--package-json, --lockfile and --platform are needed",
                "or name an engine with --engine-package");
  }
  if (arguments.engine_version || arguments.engine_integrity || arguments.executable) {
    return Fail(ErrorCode::kUsage, "--engine-version, --engine-integrity and --executable go with --engine-package");
  }
  piship::VendorOptions options;
  options.package_json = *arguments.package_json;
  options.lockfile = *arguments.lockfile;
  PISHIP_TRY(options.selection.platform, piship::Platform::Parse(*arguments.platform));
  if (arguments.node_version) {
    PISHIP_TRY(options.selection.node, piship::Version::Parse(*arguments.node_version));
  }
  options.selection.without_integrity = arguments.allow_missing_integrity;
  options.store = arguments.store;
  options.fetch = FetchOptionsOf(arguments, piship::ParentPath(options.package_json));
  options.output = arguments.output;
  options.depfile = arguments.depfile;
  options.report = arguments.report;
  return piship::Vendor(options);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  piship::CommandLine line(
      "piship-vendor", "Makes the inventory of node_modules from an npm lock.",
      "piship-vendor --package-json package.json --lockfile package-lock.json --platform linux-x64 "
      "--store store --tarballs tarballs --output packages.inventory --depfile packages.d");
  Describe(line, arguments);
  return piship::RunTool(argc, argv, line, [&]() -> Status {
    PISHIP_TRY(const auto warnings, arguments.engine_package ? RunEngine(arguments) : RunLock(arguments));
    for (const std::string& warning : warnings) {
      std::fprintf(stderr, "piship-vendor: warning: %s\n", piship::Printable(warning).c_str());
    }
    return {};
  });
}
