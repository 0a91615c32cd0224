// SPDX-License-Identifier: MIT
// Every stage reads and writes inventories, so this is what a no-op stage costs at least. The budget: an inventory of
// 30,000 entries parses in under 20 ms and is written in under 20 ms.
#include <benchmark/benchmark.h>

#include <string>

#include "model/inventory.h"

namespace piship {
namespace {

// Paths as an npm tree has them: three levels of packages, some nested, a few files in each directory.
std::vector<InventoryEntry> TreeOf(std::size_t files) {
  std::vector<InventoryEntry> entries;
  entries.reserve(files);
  for (std::size_t index = 0; index < files; ++index) {
    std::string path =
        "app/node_modules/@scope" + std::to_string(index / 4000) + "/package-" + std::to_string(index / 100 % 40);
    if (index % 7 == 0) path += "/node_modules/nested-package";
    path += "/dist/lib" + std::to_string(index / 10 % 10) + "/module-" + std::to_string(index) + ".js";
    entries.push_back({Digest::Of(path), 1000 + index, index % 50 == 0 ? FileMode::kExecutable : FileMode::kPlain,
                       RelativePath::Parse(path).value()});
  }
  return entries;
}

void ParseInventory(benchmark::State& state) {
  const std::string text = Inventory::FromEntries(TreeOf(static_cast<std::size_t>(state.range(0)))).value().Text();
  for (auto round : state) {
    static_cast<void>(round);
    auto inventory = Inventory::Parse(text, "bench");
    benchmark::DoNotOptimize(inventory);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(ParseInventory)->Arg(30'000)->Unit(benchmark::kMillisecond);

void WriteInventory(benchmark::State& state) {
  const Inventory inventory = Inventory::FromEntries(TreeOf(static_cast<std::size_t>(state.range(0)))).value();
  for (auto round : state) {
    static_cast<void>(round);
    std::string text = inventory.Text();
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(WriteInventory)->Arg(30'000)->Unit(benchmark::kMillisecond);

void SortAndCheckInventory(benchmark::State& state) {
  const std::vector<InventoryEntry> entries = TreeOf(static_cast<std::size_t>(state.range(0)));
  for (auto round : state) {
    static_cast<void>(round);
    auto inventory = Inventory::FromEntries(entries);
    benchmark::DoNotOptimize(inventory);
  }
}
BENCHMARK(SortAndCheckInventory)->Arg(30'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace piship
