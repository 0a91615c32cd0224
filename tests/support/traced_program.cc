// SPDX-License-Identifier: MIT
// ptrace(2): PTRACE_GET_SYSCALL_INFO tells entry from exit on every processor; only taking a call back, giving another
// result and shortening a count need its registers.
#include "support/traced_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>

namespace piship {
namespace {

constexpr unsigned kPatience = 60;  // seconds
constexpr int kSystemCallStop = SIGTRAP | 0x80;

#if defined(__x86_64__)
using Registers = user_regs_struct;
auto& CountArgument(Registers& registers) { return registers.rdx; }
bool SetResult(pid_t thread, std::int64_t result) {
  return ptrace(PTRACE_POKEUSER, thread, offsetof(user, regs.rax), result) == 0;
}
bool TakeBack(pid_t thread) { return ptrace(PTRACE_POKEUSER, thread, offsetof(user, regs.orig_rax), -1L) == 0; }
#elif defined(__aarch64__)
using Registers = user_regs_struct;
auto& CountArgument(Registers& registers) { return registers.regs[2]; }
bool SetRegisters(pid_t thread, Registers& registers) {
  iovec place{&registers, sizeof registers};
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &place) == 0;
}
bool SetResult(pid_t thread, std::int64_t result) {
  Registers registers;
  iovec place{&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) != 0) return false;
  registers.regs[0] = static_cast<std::uint64_t>(result);
  return SetRegisters(thread, registers);
}
bool TakeBack(pid_t thread) {
  int number = -1;
  iovec place{&number, sizeof number};
  return ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &place) == 0;
}
#else
#error "say here how a system call is taken back"
#endif

bool SetCount(pid_t thread, std::uint64_t count) {
  Registers registers;
  iovec place{&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) != 0) return false;
  CountArgument(registers) = count;
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &place) == 0;
}

// Of the calls that change or sync the content of the open file that their first argument names.
bool IsOfAFile(const SystemCall& call) {
  switch (call.number) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ioctl:
      return true;
    default:
      return false;
  }
}

class Tracer {
 public:
  Tracer(pid_t process, const Intervention& intervention, Traced& traced)
      : process_(process), intervention_(intervention), traced_(traced) {}

  // Until the process has ended.
  void Run() {
    int status = 0;
    // The stop after execve.
    if (!Wait(process_, status) || !WIFSTOPPED(status)) return End(status);
    ptrace(PTRACE_SETOPTIONS, process_, nullptr,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    threads_[process_] = {};
    ptrace(PTRACE_SYSCALL, process_, nullptr, nullptr);
    for (;;) {
      const pid_t thread = Wait(-1, status);
      if (thread == 0) return;
      if (WIFSTOPPED(status)) {
        Stopped(thread, status);
      } else {
        threads_.erase(thread);
        if (thread == process_) return End(status);
      }
    }
  }

 private:
  struct Thread {
    bool seen = false;
    std::size_t call = SIZE_MAX;  // that it is in
    std::uint64_t count = 0;      // to be put back
  };

  // 0 where there is nothing more to wait for. An alarm interrupts it once the program has had all the time that it
  // may.
  pid_t Wait(pid_t which, int& status) {
    for (;;) {
      const pid_t found = waitpid(which, &status, __WALL);
      if (found > 0) return found;
      if (errno != EINTR) return 0;
      traced_.hung = true;
      kill(process_, SIGKILL);
    }
  }

  void End(int status) { traced_.ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

  void Stopped(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (signal == kSystemCallStop) {
      __ptrace_syscall_info info{};
      if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0) {
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) Enter(thread, info);
        if (info.op == PTRACE_SYSCALL_INFO_EXIT) Leave(thread, info);
      }
      ptrace(PTRACE_SYSCALL, thread, nullptr, nullptr);
    } else if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) {
      traced_.became_another = true;
      ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
    } else {
      const bool born = signal == SIGSTOP && !threads_[thread].seen && thread != process_;
      threads_[thread].seen = true;
      const bool event = status >> 16 != 0;
      ptrace(PTRACE_SYSCALL, thread, nullptr, event || born ? 0 : signal);
    }
  }

  void Enter(pid_t thread, const __ptrace_syscall_info& info) {
    Thread& state = threads_[thread];
    state.seen = true;
    state.call = traced_.calls.size();
    SystemCall call;
    call.number = static_cast<long>(info.entry.nr);
    for (int index = 0; index < 6; ++index) call.arguments[index] = info.entry.args[index];
    if (IsOfAFile(call)) NameFile(thread, call);
    traced_.calls.push_back(call);
    if (!IsMeant(call)) return;
    hit_ = state.call;
    switch (intervention_.fault) {
      case Fault::kNone:
        break;
      case Fault::kKill:
        kill(process_, SIGKILL);
        break;
      case Fault::kFail:
        if (call.number != SYS_close && !TakeBack(thread)) std::abort();
        break;
      case Fault::kShorten:
        state.count = call.arguments[2];
        if (!SetCount(thread, (state.count + 1) / 2)) std::abort();
        break;
    }
  }

  static void NameFile(pid_t thread, SystemCall& call) {
    struct stat status {};
    const std::string path = "/proc/" + std::to_string(thread) + "/fd/" + std::to_string(call.arguments[0]);
    if (stat(path.c_str(), &status) != 0) return;
    call.device = status.st_dev;
    call.inode = status.st_ino;
  }

  // The call is the last one.
  bool IsMeant(const SystemCall& call) {
    if (intervention_.of < 0) return traced_.calls.size() - 1 == intervention_.at;
    return call.number == intervention_.of && counted_++ == intervention_.at;
  }

  void Leave(pid_t thread, const __ptrace_syscall_info& info) {
    const std::size_t number = threads_[thread].call;
    if (number >= traced_.calls.size()) return;
    traced_.calls[number].result = info.exit.rval;
    traced_.calls[number].ended = true;
    threads_[thread].call = SIZE_MAX;
    if (number != hit_) return;
    if (intervention_.fault == Fault::kFail) {
      traced_.calls[number].result = -intervention_.error;
      if (!SetResult(thread, -intervention_.error)) std::abort();
    }
    // A program may rely on the registers of arguments being as they were.
    if (intervention_.fault == Fault::kShorten && !SetCount(thread, threads_[thread].count)) std::abort();
  }

  pid_t process_;
  const Intervention& intervention_;
  Traced& traced_;
  std::map<pid_t, Thread> threads_;
  std::size_t counted_ = 0;     // of the calls that are counted alone
  std::size_t hit_ = SIZE_MAX;  // the call that the fault has hit
};

std::string Drain(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(fd);
  return text;
}

void UseOneProcessor() {
  cpu_set_t all;
  cpu_set_t one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  for (std::size_t number = 0; number < CPU_SETSIZE; ++number) {
    if (CPU_ISSET(number, &all)) CPU_SET(number, &one);
    if (CPU_COUNT(&one) == 1) break;
  }
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

Traced RunTraced(const Program& program, const Intervention& intervention) {
  // What a program prints here is far less than a pipe holds, so it can be read afterwards.
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) std::abort();
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t pid = fork();
  if (pid == 0) {
    if (intervention.one_processor) UseOneProcessor();
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    BecomeProgram(program, in, out[1], err[1]);
  }
  close(in);
  close(out[1]);
  close(err[1]);
  struct sigaction interrupt {};
  struct sigaction before {};
  interrupt.sa_handler = [](int) {};
  sigaction(SIGALRM, &interrupt, &before);
  alarm(kPatience);
  Traced traced;
  Tracer(pid, intervention, traced).Run();
  alarm(0);
  sigaction(SIGALRM, &before, nullptr);
  traced.ran.out = Drain(out[0]);
  traced.ran.err = Drain(err[0]);
  return traced;
}

std::string WhyNotTraceable() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "a sanitizer looks for leaks with ptrace itself, and does not bear that its own system calls fail";
#else
  const Traced traced = RunTraced({.argv = {"/bin/sh", "-c", "exit 7"}}, {});
  if (traced.ran.status == 7 && !traced.calls.empty()) return {};
  return "no program can be traced here (ptrace is refused, or the kernel is older than 5.3)";
#endif
}

}  // namespace piship
