// SPDX-License-Identifier: MIT
#include "base/cli.h"
#include "bundle/bundle.h"

int main(int argc, char** argv) {
  piship::bundle::Options o;
  piship::CommandLine line(
      "piship-bundle", "Bundles an application's modules into a few files.",
      "piship-bundle --packages stripped.inventory --package-json package.json --entry-package hello "
      "--engines '>=20.6' --bundler esbuild.inventory --store ~/.cache/piship/store --work bundle "
      "--output bundled.inventory --report bundle.json --depfile bundled.d");
  using piship::Need;
  line.Option(o.packages, "--packages", "<inventory>", "The npm packages, paths node_modules/...")
      .Option(o.sources, "--sources", "<inventory>", "Own files of the application.")
      .Option(o.package_json, "--package-json", "<file>", "The application's package.json.")
      .Option(o.entry.point, "--entry-point", "<path>", "The file that starts the application.")
      .Option(o.entry.package, "--entry-package", "<name>", "Instead: the npm package whose program it is.")
      .Option(o.entry.bin, "--entry-bin", "<name>", "Which of that package's programs.")
      .Option(o.public_modules, "--public-module", "<specifier>", "A module that stays importable from its old place.")
      .Option(o.keep, "--keep", "<pattern>", "Files that stay files: '*' within a component, '**' for any components.")
      .Option(o.external, "--external", "<specifier>", "What stays an import of whatever is there at run time.")
      .Option(o.engines, "--engines", "<range>", "The versions of the engine that may run the application.",
              Need::kRequired)
      .Option(o.platform, "--platform", "<platform>", "The platform of the payload.", Need::kRequired)
      .Flag(o.prune, "--prune", "Leave out what no module of the bundle can reach, as far as is known.")
      .Flag(o.strict, "--strict", "Refuse to keep a module that --keep does not name.")
      .Option(o.bundler, "--bundler", "<inventory>", "esbuild, as piship-vendor --tool-package gives it.",
              Need::kRequired)
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(o.work, "--work", "<directory>", "Where the files lie that esbuild reads; kept between builds.",
              Need::kRequired)
      .Option(o.output, "--output", "<inventory>", "The application's files.", Need::kRequired)
      .Option(o.report, "--report", "<file>", "What was bundled and what was kept, by reason.", Need::kRequired)
      .Option(o.depfile, "--depfile", "<file>", "For Ninja: the files that were read.", Need::kRequired);
  return piship::RunMain(argc, argv, line, [&] { return piship::bundle::Run(o); });
}
