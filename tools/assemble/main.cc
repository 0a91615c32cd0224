// SPDX-License-Identifier: MIT
#include "assemble/assemble.h"
#include "os/run_tool.h"

int main(int argc, char** argv) {
  piship::assembly::Options o;
  piship::CommandLine line(
      "piship-assemble", "Joins the parts of a distribution into the inventory of its payload and writes piship.lock.",
      "piship-assemble --sources sources.inventory --runtime bin/piship --id hello --command hello "
      "--distribution-version 1.0.0 "
      "--platform linux-x64 --entry-point main.js --engine-range '>=18' --store ~/.cache/piship/store "
      "--output payload.inventory --lock-output piship.lock --depfile payload.d");
  using piship::Need;
  line.Option(o.packages, "--packages", "<inventory>", "The npm packages, paths node_modules/...")
      .Option(o.sources, "--sources", "<inventory>", "Own files of the application; they go below app/.")
      .Option(o.resources, "--resources", "<kind>=<inventory>", "Resources; they go below resources/<kind>/.")
      .Option(o.package_json, "--package-json", "<file>",
              "The application's package.json; it becomes app/package.json.")
      .Option(o.engine, "--engine", "<inventory>", "The engine of the payload, paths engine/...")
      .Option(o.engine_package, "--engine-package", "<name>", "The npm package that the engine comes from.")
      .Option(o.engine_version, "--engine-version", "<version>", "The version of that package.")
      .Option(o.engine_range, "--engine-range", "<range>",
              "Instead of an engine: the versions of the user's node that do.")
      .Option(o.runtime, "--runtime", "<file>", "The piship program for the payload's platform.", Need::kRequired)
      .Option(o.reports, "--report", "<name>=<file>", "A report; it becomes metadata/<name>.")
      .Option(o.id, "--id", "<id>", "The distribution's id.", Need::kRequired)
      .Option(o.name, "--name", "<text>", "Its name for people; the id where none is given.")
      .Option(o.command, "--command", "<name>", "The command that an installation offers.", Need::kRequired)
      .Option(o.version, "--distribution-version", "<version>", "The distribution's version (Semantic Versioning).",
              Need::kRequired)
      .Option(o.platform, "--platform", "<platform>", "The platform that the payload is for.", Need::kRequired)
      .Option(o.entry.point, "--entry-point", "<path>", "The file that starts the application, below app/.")
      .Option(o.entry.package, "--entry-package", "<name>", "Instead: the npm package whose program it is.")
      .Option(o.entry.bin, "--entry-bin", "<name>", "Which of that package's programs.")
      .Option(o.environment, "--environment", "<name>=<value>", "A variable of the application's environment.")
      .Option(o.arguments, "--argument", "<text>", "An argument that comes before the user's.")
      .Option(o.engine_flags, "--engine-flag", "<flag>",
              "An option of the engine itself, --<name> or --<name>=<value>.")
      .Flag(o.compile_cache, "--compile-cache",
            "Starts remember the modules that the engine has compiled, in the user's state home.")
      .Option(o.npm_lockfile, "--npm-lockfile", "<file>", "The package-lock.json, whose digest the lock records.")
      .Flag(o.verify_at_launch, "--verify-at-launch", "Each start checks the whole payload.")
      .Option(o.channel_url, "--channel-url", "<url>", "The repository that updates come from.")
      .Option(o.channel, "--channel", "<name>", "Its channel.")
      .Option(o.channel_root, "--channel-root", "<file>", "Its root.json, which updates are verified with.")
      .Option(o.keep_versions, "--keep-versions", "<number>",
              "How many versions stay installed beside the active one; 1 where it is not given.")
      .Option(o.state_schema, "--state-schema", "<number>",
              "The form in which the application stores its data; 0 where it is not given.")
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(o.output, "--output", "<inventory>", "The payload's inventory.", Need::kRequired)
      .Option(o.lock_output, "--lock-output", "<file>", "A copy of the payload's piship.lock.", Need::kRequired)
      .Option(o.depfile, "--depfile", "<file>", "For Ninja: the files that were read.", Need::kRequired);
  return piship::RunTool(argc, argv, line, [&] { return piship::assembly::Assemble(o); });
}
