// SPDX-License-Identifier: MIT
// Not made to fail, only killed at:
//   arch_prctl, set_tid_address, set_robust_list, rseq, rt_sigaction, rt_sigprocmask, gettid, getpid, geteuid, ...:
//     with right arguments they never fail;
//   exit, exit_group: they do not return;
//   brk: it tells a failure by the old end, not by an error; the C library then asks mmap, which is made to fail;
//   mprotect, munmap, madvise: the C library's own bookkeeping, after which memory is only less well used.
// EINTR is given to the calls that signal(7) lists as interruptible by a handler, to those for network file systems
// too.
#include "tool/runtime/call_faults.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <map>

namespace piship {
namespace {

const std::map<long, CallFaults>& Table() {
  static const std::map<long, CallFaults> table = {
#if defined(SYS_open)
    {SYS_access, {"access", {EACCES, EIO}}},
    {SYS_arch_prctl, {"arch_prctl"}},
    {SYS_chmod, {"chmod", {EACCES, EIO}}},
    {SYS_getdents, {"getdents", {EIO}}},
    {SYS_lstat, {"lstat", {EACCES, EIO}}},
    {SYS_mkdir, {"mkdir", {ENOSPC, EACCES, EIO}}},
    {SYS_open, {"open", {EACCES, EMFILE, EIO, EINTR}}},
    {SYS_poll, {"poll", {EINTR, ENOMEM}}},
    {SYS_readlink, {"readlink", {EACCES, EIO}}},
    {SYS_rename, {"rename", {ENOSPC, EACCES, EIO}}},
    {SYS_rmdir, {"rmdir", {EACCES, EIO}}},
    {SYS_stat, {"stat", {EACCES, EIO}}},
    {SYS_symlink, {"symlink", {ENOSPC, EACCES, EIO}}},
    {SYS_unlink, {"unlink", {EACCES, EIO}}},
#endif
    {SYS_brk, {"brk"}},
    {SYS_clock_nanosleep, {"clock_nanosleep", {EINTR}}},
    {SYS_clone, {"clone", {EAGAIN}}},
    {SYS_clone3, {"clone3", {EAGAIN}}},
    {SYS_close, {"close", {ENOSPC, EIO, EINTR}}},
    {SYS_connect, {"connect", {ECONNREFUSED, ENETUNREACH, ETIMEDOUT}}},
    {SYS_execve, {"execve", {EACCES, EIO, EMFILE}}},
    {SYS_exit, {"exit"}},
    {SYS_exit_group, {"exit_group"}},
    {SYS_faccessat, {"faccessat", {EACCES, EIO}}},
    {SYS_faccessat2, {"faccessat2", {EACCES, EIO}}},
    {SYS_fadvise64, {"fadvise64", {EIO}}},
    {SYS_fallocate, {"fallocate", {ENOSPC, EIO, EINTR, EOPNOTSUPP}}},
    {SYS_fchmod, {"fchmod", {EACCES, EIO}}},
    {SYS_fchmodat, {"fchmodat", {EACCES, EIO}}},
    {SYS_fcntl, {"fcntl", {EMFILE}}},
    {SYS_flock, {"flock", {EINTR, EIO, ENOLCK}}},
    {SYS_fstat, {"fstat", {EIO}}},
    {SYS_fstatfs, {"fstatfs", {EIO}}},
    {SYS_fsync, {"fsync", {EIO, ENOSPC, EINTR}}},
    {SYS_ftruncate, {"ftruncate", {EIO, ENOSPC}}},
    {SYS_futex, {"futex", {EINTR}}},
    {SYS_getcwd, {"getcwd", {EACCES}}},
    {SYS_getdents64, {"getdents64", {EIO}}},
    {SYS_getegid, {"getegid"}},
    {SYS_geteuid, {"geteuid"}},
    {SYS_getgid, {"getgid"}},
    {SYS_getpid, {"getpid"}},
    {SYS_getrandom, {"getrandom", {EINTR}}},
    {SYS_getsockopt, {"getsockopt", {ENOBUFS}}},
    {SYS_gettid, {"gettid"}},
    {SYS_getuid, {"getuid"}},
    {SYS_ioctl, {"ioctl", {EIO}}},
    {SYS_lseek, {"lseek", {EIO}}},
    {SYS_madvise, {"madvise"}},
    {SYS_mkdirat, {"mkdirat", {ENOSPC, EACCES, EIO}}},
    {SYS_mmap, {.name = "mmap", .errors = {ENOMEM}, .memory = true}},
    {SYS_mprotect, {"mprotect"}},
    {SYS_mremap, {.name = "mremap", .errors = {ENOMEM}, .memory = true}},
    {SYS_munmap, {"munmap"}},
    {SYS_newfstatat, {"newfstatat", {EACCES, EIO}}},
    {SYS_openat, {"openat", {EACCES, EMFILE, EIO, EINTR}}},
    {SYS_openat2, {"openat2", {EACCES, EMFILE, EIO, EINTR}}},
    {SYS_ppoll, {"ppoll", {EINTR, ENOMEM}}},
    {SYS_pread64, {"pread64", {EIO, EINTR}, true}},
    {SYS_prlimit64, {"prlimit64", {EACCES}}},
    {SYS_pwrite64, {"pwrite64", {ENOSPC, EIO, EINTR}, true}},
    {SYS_read, {"read", {EIO, EINTR}, true}},
    {SYS_readlinkat, {"readlinkat", {EACCES, EIO}}},
    {SYS_recvfrom, {"recvfrom", {ECONNRESET, ENOMEM, EINTR}, true}},
    {SYS_renameat, {"renameat", {ENOSPC, EACCES, EIO}}},
    {SYS_renameat2, {"renameat2", {ENOSPC, EACCES, EIO}}},
    {SYS_rseq, {"rseq"}},
    {SYS_rt_sigaction, {"rt_sigaction"}},
    {SYS_rt_sigprocmask, {"rt_sigprocmask"}},
    {SYS_sched_getaffinity, {"sched_getaffinity", {EIO}}},
    {SYS_sendto, {"sendto", {EPIPE, ECONNRESET, ENOBUFS, EINTR}, true}},
    {SYS_set_robust_list, {"set_robust_list"}},
    {SYS_set_tid_address, {"set_tid_address"}},
    {SYS_setsockopt, {"setsockopt", {ENOBUFS}}},
    {SYS_socket, {"socket", {EMFILE, ENOBUFS, EACCES}}},
    {SYS_statfs, {"statfs", {EACCES, EIO}}},
    {SYS_statx, {"statx", {EACCES, EIO}}},
    {SYS_symlinkat, {"symlinkat", {ENOSPC, EACCES, EIO}}},
    {SYS_sync_file_range, {"sync_file_range", {EIO, ENOSPC}}},
    {SYS_syncfs, {"syncfs", {EIO, ENOSPC}}},
    {SYS_sysinfo, {"sysinfo", {EIO}}},
    {SYS_uname, {"uname", {EIO}}},
    {SYS_unlinkat, {"unlinkat", {EACCES, EIO}}},
    {SYS_write, {"write", {ENOSPC, EIO, EINTR}, true}},
    {SYS_writev, {"writev", {ENOSPC, EIO, EINTR}}},
  };
  return table;
}

}  // namespace

CallFaults FaultsOf(const SystemCall& call) {
  const auto found = Table().find(call.number);
  if (found == Table().end()) return {};
  CallFaults faults = found->second;
  const bool creates = (call.number == SYS_openat && (call.arguments[2] & O_CREAT) != 0) || call.number == SYS_openat2;
  if (creates) faults.errors.push_back(ENOSPC);
  // Asking for a descriptor's flags can't fail; only copying one can.
  if (call.number == SYS_fcntl && call.arguments[1] != F_DUPFD && call.arguments[1] != F_DUPFD_CLOEXEC)
    faults.errors = {};
  // Waking a thread is not interrupted.
  if (call.number == SYS_futex && (call.arguments[1] & 127U) != 0 && (call.arguments[1] & 127U) != 9)
    faults.errors = {};
  // Half of one byte is none, which is the end of a file.
  if (faults.shortens && call.arguments[2] < 2) faults.shortens = false;
  return faults;
}

}  // namespace piship
