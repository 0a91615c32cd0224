// SPDX-License-Identifier: MIT
// The search through PATH is the execution itself: each candidate is handed to execve, and what does not execute is
// skipped, as a shell does it. So the usual case costs nothing beyond the one call that counts, and only after no
// candidate could be executed are the files looked at, to say what is wrong with them. The engine's version is judged
// inside the engine (docs/adr/0009), since a `node` of PATH may be a script that picks another one.
#include "launch/engine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/files.h"

namespace piship {
namespace {

constexpr char kEngineName[] = "node";
// What a system without the variable searches.
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

void Execute(const std::string& path, const std::vector<const char*>& argv) {
  // execve does not write to what it gets; its type is older than const.
  execve(path.c_str(), const_cast<char* const*>(argv.data()),
         environ);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Error EngineError(ErrorCode code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

bool IsExecutableFile(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// execve says ENOENT also where the file is there and the loader or interpreter that it names is not.
Error InterpreterMissing(const std::string& path, std::string hint) {
  return EngineError(ErrorCode::kEngineUnsuitable,
                     "'" + path + "' exists, but the loader or interpreter that it needs does not", std::move(hint));
}

Error ExecutionFailed(const std::string& path, int error_number) {
  Error error = SystemError("execute '" + path + "'", error_number);
  if (error_number == E2BIG) {
    error.code = ErrorCode::kUsage;
    error.hint = "give fewer or shorter arguments, or a smaller environment";
  } else if (error_number == ENOEXEC || error_number == EACCES || error_number == EPERM) {
    error.code = ErrorCode::kEngineUnsuitable;
    error.hint = {};
  }
  return error;
}

Error ExecutePayloadEngine(const DistributionLock& lock, const std::string& payload, std::vector<const char*> argv) {
  const std::string path = JoinPath(payload, lock.engine.executable.str());
  argv[0] = path.c_str();
  Execute(path, argv);
  const int error_number = errno;
  if (error_number != ENOENT) {
    Error error = ExecutionFailed(path, error_number);
    if (error_number == EACCES) error.hint = "is the file system mounted with 'noexec'?";
    return error;
  }
  if (IsExecutableFile(path)) {
    return InterpreterMissing(path, "the engine " + lock.engine.package + " " + lock.engine.version + " is for " +
                                        lock.platform.str() + " and needs that system's C library");
  }
  return EngineError(
      ErrorCode::kEngineMissing, "the payload's engine '" + path + "' is missing",
      "'piship verify " + lock.id + "' shows what else is; 'piship repair " + lock.id + "' writes that anew");
}

// Why none of the candidates could be executed.
Error ExplainSearch(const DistributionLock& lock, std::string_view search) {
  const std::string needed = "install Node.js " + lock.engine.range.str() + " or put it on PATH";
  std::string found;
  while (true) {
    const std::size_t end = search.find(':');
    const std::string_view directory = search.substr(0, end);
    const std::string candidate = JoinPath(directory.empty() ? "." : directory, kEngineName);
    struct stat status {};
    if (IsExecutableFile(candidate)) return InterpreterMissing(candidate, needed);
    if (found.empty() && stat(candidate.c_str(), &status) == 0) found = candidate;
    if (end == std::string_view::npos) break;
    search.remove_prefix(end + 1);
  }
  const std::string wants = lock.name + " needs Node.js " + lock.engine.range.str();
  if (!found.empty()) {
    return EngineError(ErrorCode::kEngineUnsuitable, wants + "; '" + found + "' is not an executable file", needed);
  }
  return EngineError(ErrorCode::kEngineMissing, wants + "; there is no '" + kEngineName + "' on PATH", needed);
}

Error ExecuteSystemEngine(const DistributionLock& lock, const std::vector<const char*>& argv) {
  const char* path_variable = std::getenv("PATH");
  const std::string_view all = path_variable != nullptr ? std::string_view(path_variable) : kDefaultPath;
  std::string_view search = all;
  while (true) {
    const std::size_t end = search.find(':');
    const std::string_view directory = search.substr(0, end);
    const std::string candidate = JoinPath(directory.empty() ? "." : directory, kEngineName);
    Execute(candidate, argv);
    switch (errno) {
      case ENOENT:
      case ENOTDIR:
      case EACCES:  // also what a directory gives
      case ELOOP:
      case ENAMETOOLONG:
      case ESTALE:
      case ENODEV:
      case ETIMEDOUT:
        break;
      default:
        return ExecutionFailed(candidate, errno);
    }
    if (end == std::string_view::npos) break;
    search.remove_prefix(end + 1);
  }
  return ExplainSearch(lock, all);
}

}  // namespace

Error ExecuteEngine(const DistributionLock& lock, const std::string& payload, const EngineStart& start,
                    const std::vector<const char*>& user_arguments) {
  const std::string entry = JoinPath(payload, lock.entry.str());
  const bool system = lock.engine.kind == EngineKind::kSystem;
  std::string script;
  if (system) {
    script = JoinPath(payload, lock.engine.check.str());
  } else if (start.prepares) {
    script = JoinPath(payload, lock.engine.prepare->str());
  }
  std::vector<const char*> argv = {kEngineName};
  argv.reserve(start.flags.size() + start.arguments.size() + user_arguments.size() + 5);
  for (const std::string& flag : start.flags) argv.push_back(flag.c_str());
  if (!script.empty()) {
    argv.push_back("--require");
    argv.push_back(script.c_str());
  }
  argv.push_back(entry.c_str());
  for (const std::string& argument : start.arguments) argv.push_back(argument.c_str());
  argv.insert(argv.end(), user_arguments.begin(), user_arguments.end());
  argv.push_back(nullptr);
  return system ? ExecuteSystemEngine(lock, argv) : ExecutePayloadEngine(lock, payload, std::move(argv));
}

}  // namespace piship
