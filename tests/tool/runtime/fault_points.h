// SPDX-License-Identifier: MIT
// One operation on homes in a known state, repeated with a fault at one of its system calls: afterwards the old state
// or the new one, what is installed starts, and the next command works and leaves nothing behind.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/traced_program.h"
#include "tool/runtime/call_faults.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {

// What can be seen of "hello" in the homes.
struct SeenState {
  std::string receipt;  // without the note about what is synced; empty: not installed
  std::vector<std::string> commands;
  std::vector<std::string> data;  // names in its directory of the state home
  bool operator==(const SeenState&) const = default;
};

class FaultPoints : public RuntimeTest {
 protected:
  struct Operation {
    std::string name;
    Program program;
    std::vector<int> statuses = {1, 3, 4};  // that a failure may end with
    bool repairs = false;                   // the old state does not start
    bool starts = false;                    // the operation is a start
    bool network = false;  // how many calls it makes depends on how the bytes arrive, and it has a trust of its own
    std::string said_after = {};                // by what is installed once it has succeeded; empty: it does not start
    std::vector<std::string> names_after = {};  // in apps/hello
  };

  void SetUp() override;

  // A release whose runtime is a script that starts the runtime under test, so that a state is copied at once.
  TestRelease SmallRelease(const std::string& version) const;
  std::string ArchiveOf(const TestRelease& release);
  Program Installing(const TestRelease& release) { return Verb({"install", ArchiveOf(release)}); }
  void Do(const Program& program) {
    const Ran ran = RunProgram(program);
    ASSERT_EQ(ran.status, 0) << ran.err;
  }

  // Makes what is in the homes now the old state of the operation, and tries its points: each, or of a short run some.
  void TryPoints(const Operation& operation);

  // Another distribution and another's command, neither of which may change.
  void AddNeighbours();

  enum class Next : std::uint8_t { kSame, kUninstall };
  // Saves what is in the homes as the old state, and runs the operation once, which makes the new one.
  void Begin(const Operation& operation, Traced& clean);
  // Copies the homes to that directory, and makes them again what they were then.
  void Save(const std::string& place) const;
  void Restore(const std::string& place) const;
  // Nothing fails but what the operation has not mended yet; once it has succeeded, nothing is left to do.
  void ExpectContentDoctor(const Operation& operation, bool succeeded) const;
  void ExpectNext(const Operation& operation, Next next);
  SeenState See() const;
  std::set<std::string> Surroundings() const;
  static bool TriesAll();

  SeenState old_;
  SeenState new_;
  std::set<std::string> surroundings_;

 private:
  std::vector<Intervention> Points(const Operation& operation, const std::vector<SystemCall>& calls) const;
  // Whether the fault is one that the call can have.
  static bool Fits(const Intervention& point, const SystemCall& call);
  void TryPoint(const Operation& operation, const Intervention& point, const SystemCall& call, Next next);
  void ExpectAnswer(const Operation& operation, const Intervention& point, const SystemCall& call,
                    const Traced& traced);
  void ExpectOldOrNew(const Operation& operation, const Traced& traced);
  void ExpectPayloads(const Operation& operation) const;
};

}  // namespace piship
