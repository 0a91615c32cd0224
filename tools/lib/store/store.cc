// SPDX-License-Identifier: MIT
// How the store stays right without locks and without syncing:
// - An object appears by rename, complete, under the name that its bytes have; so two writers of one object write the
// same
//   thing, and it does not matter who is last. A killed writer leaves a file whose name begins with ".tmp-".
// - Nothing that is read is trusted: Read hashes. So a power cut, which may leave a name without its bytes, is found.
// - Removal is what could make another process's finished work wrong: Ninja thinks an edge done whose objects are gone.
//   Every such edge depends on the epoch, so whoever removes rewrites the epoch first. Killed between the two, some
//   edges run again for nothing; the other way round they would not run when they must.
#include "store/store.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "os/beneath.h"
#include "store/impl.h"

namespace piship {
namespace {

constexpr std::string_view kEpochStart = "piship-store ";
constexpr int kFormat = 1;
constexpr unsigned kStoreMode = 0700;  // sources may be private
constexpr unsigned kFileMode = 0444;
constexpr unsigned kEpochMode = 0644;
constexpr std::uint64_t kWholeFile = std::uint64_t{8} << 20;  // up to here a file is read at once

std::string RandomHex() {
  std::array<char, 16> random{};
  // Never fails for so few bytes once the system's generator is up.
  static_cast<void>(getrandom(random.data(), random.size(), 0));
  return HexOf({random.data(), random.size()});
}

// What an epoch says: its format, or 0 where it is not an epoch.
int EpochFormat(std::string_view text) {
  if (!text.starts_with(kEpochStart)) return 0;
  text.remove_prefix(kEpochStart.size());
  int format = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), format);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return 0;
  return format;
}

std::string NewEpoch() { return std::string(kEpochStart) + std::to_string(kFormat) + " " + RandomHex() + "\n"; }

}  // namespace

std::string ObjectPath(const Digest& digest) {
  std::string path = "objects/";
  path.reserve(8 + Digest::kHexSize + 1);
  digest.AppendHex(path);
  path.insert(10, 1, '/');
  return path;
}

bool IsStale(const struct stat& status) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  const std::int64_t age = now.tv_sec - status.st_mtim.tv_sec;
  return age > kDay || age < -kDay;
}

void MarkUsed(int root, const char* path) {
  // Best effort: a store that may only be read still serves.
  static_cast<void>(utimensat(root, path, nullptr, AT_SYMLINK_NOFOLLOW));
}

std::shared_ptr<UniqueFd> Store::Impl::Root() const {
  const std::lock_guard lock(mutex);
  return root;
}

std::string Store::Impl::Subject(std::string_view path) const { return "'" + JoinPath(directory, path) + "'"; }

std::string Store::Impl::TemporaryBeside(std::string_view path) const {
  std::string name(path.substr(0, path.rfind('/') + 1));
  name += kTemporaryPrefix;
  name += tag;
  name += '-';
  name += std::to_string(temporaries.fetch_add(1, std::memory_order_relaxed));
  return name;
}

Status Store::Impl::OpenRoot() const {
  PISHIP_CHECK(MakeDirectories(directory, kStoreMode));
  PISHIP_TRY(UniqueFd opened, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  {
    const std::lock_guard lock(mutex);
    root = std::make_shared<UniqueFd>(std::move(opened));
  }
  const auto epoch = ReadFile(epoch_path, 4096);
  const int format = epoch ? EpochFormat(*epoch) : 0;
  if (format > kFormat) {
    return Fail(ErrorCode::kFormatNewer,
                "the store '" + directory + "' has format " + std::to_string(format) + ", this PiShip reads 1",
                "use a newer PiShip, or another store");
  }
  if (format == kFormat) return {};
  if (!epoch && epoch.error().code == ErrorCode::kPermissionDenied) return Fail(epoch.error());
  if (epoch || epoch.error().code != ErrorCode::kFileNotFound) return TouchEpoch();
  // Of several that find a new store the first makes the epoch. A second one would be younger than what the first has
  // built meanwhile, and that would be built again for nothing.
  PISHIP_CHECK(CreateFileAtomically(epoch_path, NewEpoch(), kEpochMode));
  return {};
}

Result<bool> Store::Impl::Reopen() const {
  struct stat open_one {};
  struct stat named {};
  if (fstat(Root()->get(), &open_one) == 0 && stat(directory.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
      open_one.st_dev == named.st_dev) {
    return false;
  }
  PISHIP_CHECK(OpenRoot());
  return true;
}

Result<Store> Store::Open(const std::string& directory) {
  auto impl = std::make_shared<Impl>();
  PISHIP_TRY(impl->directory, AbsolutePath(directory));
  while (impl->directory.size() > 1 && impl->directory.ends_with('/')) impl->directory.pop_back();
  impl->epoch_path = JoinPath(impl->directory, "epoch");
  impl->tag = RandomHex();
  if (auto opened = impl->OpenRoot(); !opened) {
    return Fail(std::move(opened).error().While("opening the content store '" + impl->directory + "'"));
  }
  return Store(std::move(impl));
}

const std::string& Store::epoch_path() const { return impl_->epoch_path; }

Status Store::Impl::TouchEpoch() const {
  // A new file each time: its time of modification is what Ninja compares.
  return WriteFileAtomically(epoch_path, NewEpoch(), kEpochMode);
}

Status Store::TouchEpoch() const { return impl_->TouchEpoch(); }

Status Store::Impl::MakeParents(const std::string& path) const {
  const std::string parent = ParentPath(path);
  int error = MakeDirectoriesBeneath(Root()->get(), parent);
  if (error == -ENOENT) {
    PISHIP_TRY(const bool reopened, Reopen());
    if (reopened) error = MakeDirectoriesBeneath(Root()->get(), parent);
  }
  if (error != 0) return Fail(SystemError("make the directory " + Subject(parent), -error));
  return {};
}

Result<UniqueFd> Store::Impl::CreateTemporary(const std::string& path, std::string& temporary) const {
  for (int attempt = 0;; ++attempt) {
    temporary = TemporaryBeside(path);
    const int fd =
        openat(Root()->get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode);
    if (fd >= 0) return UniqueFd(fd);
    const int error_number = errno;
    if (error_number == EINTR || (error_number == EEXIST && attempt < 1000))
      continue;  // a forked sibling was there first
    if (error_number != ENOENT || attempt > 8) return Fail(SystemError("write " + Subject(path), error_number));
    PISHIP_CHECK(MakeParents(path));
  }
}

Status Store::Impl::Commit(const std::string& temporary, const std::string& path) const {
  const auto held = Root();
  if (renameat(held->get(), temporary.c_str(), held->get(), path.c_str()) == 0) return {};
  int error_number = errno;
  if (error_number == EISDIR || error_number == ENOTEMPTY || error_number == EEXIST) {
    PISHIP_CHECK(TouchEpoch());
    const int error = RemoveBeneath(held->get(), path.c_str());
    if (error == 0 && renameat(held->get(), temporary.c_str(), held->get(), path.c_str()) == 0) return {};
    error_number = error != 0 ? -error : errno;
  }
  unlinkat(held->get(), temporary.c_str(), 0);
  return Fail(SystemError("write " + Subject(path), error_number));
}

Status Store::Impl::Write(const std::string& path, std::string_view bytes) const {
  for (int attempt = 0;; ++attempt) {
    std::string temporary;
    PISHIP_TRY(UniqueFd fd, CreateTemporary(path, temporary));
    Status written = WriteAll(fd.get(), bytes, JoinPath(directory, path));
    if (written && close(fd.Release()) != 0 && errno != EINTR) {
      written = Fail(SystemError("write " + Subject(path), errno));
    }
    if (!written) {
      unlinkat(Root()->get(), temporary.c_str(), 0);
      return written;
    }
    written = Commit(temporary, path);
    // Not found: somebody has deleted the store meanwhile.
    if (written || written.error().code != ErrorCode::kFileNotFound || attempt > 2) return written;
  }
}

bool Store::Impl::IsPresent(const std::string& path, std::uint64_t size) const {
  struct stat status {};
  const auto held = Root();
  if (fstatat(held->get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) return false;
  if (IsStale(status)) MarkUsed(held->get(), path.c_str());
  return true;
}

Result<Digest> Store::Put(std::string_view bytes) const { return PutAs(Digest::Of(bytes), bytes); }

Result<Digest> Store::PutAs(const Digest& digest, std::string_view bytes) const {
  const std::string path = ObjectPath(digest);
  if (!impl_->IsPresent(path, bytes.size())) PISHIP_CHECK(impl_->Write(path, bytes));
  return digest;
}

Result<StoredObject> Store::PutFile(const std::string& path) const {
  // O_NONBLOCK: a pipe must not make us wait for a writer; it is refused below.
  PISHIP_TRY(const UniqueFd fd, OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  return PutOpenFile(fd.get(), path);
}

Result<StoredObject> Store::PutOpenFile(int fd, std::string_view name) const {
  struct stat status {};
  if (fstat(fd, &status) != 0) return Fail(SystemError("read '" + std::string(name) + "'", errno));
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorCode::kFileInvalid, "'" + std::string(name) + "' is not a regular file");
  }
  if (static_cast<std::uint64_t>(status.st_size) <= kWholeFile) {
    PISHIP_TRY(const std::string bytes, ReadAll(fd, name));
    PISHIP_TRY(const Digest digest, Put(bytes));
    return StoredObject{digest, bytes.size()};
  }
  std::string temporary;
  PISHIP_TRY(UniqueFd out, impl_->CreateTemporary("objects/large", temporary));
  StoredObject object;
  const auto copy = [&]() -> Status {
    std::string buffer(kPiece, '\0');
    Sha256 hasher;
    for (;;) {
      PISHIP_TRY(const std::size_t count, ReadSome(fd, buffer.data(), buffer.size(), name));
      const std::string_view piece(buffer.data(), count);
      hasher.Update(piece);
      object.size += count;
      PISHIP_CHECK(WriteAll(out.get(), piece, JoinPath(impl_->directory, temporary)));
      if (count < buffer.size()) break;
    }
    if (close(out.Release()) != 0 && errno != EINTR)
      return Fail(SystemError("write " + impl_->Subject(temporary), errno));
    object.digest = hasher.Finish();
    return {};
  };
  const Status copied = copy();
  const std::string path = ObjectPath(object.digest);
  if (!copied || impl_->IsPresent(path, object.size)) {
    unlinkat(impl_->Root()->get(), temporary.c_str(), 0);
    if (!copied) return Fail(copied.error());
    return object;
  }
  PISHIP_CHECK(impl_->MakeParents(path));
  PISHIP_CHECK(impl_->Commit(temporary, path));
  return object;
}

}  // namespace piship
