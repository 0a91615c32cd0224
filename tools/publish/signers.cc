// SPDX-License-Identifier: MIT
#include "publish/signers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "base/files.h"
#include "os/process.h"
#include "os/sync.h"
#include "tuf/key.h"

namespace piship::publish {
namespace {

constexpr std::size_t kMaxPem = std::size_t{64} * 1024;
constexpr std::size_t kMaxSignature = std::size_t{64} * 1024;

class KeySigner : public Signer {
 public:
  explicit KeySigner(tuf::SigningKey key) : key_(std::move(key)) {}
  const tuf::PublicKey& public_key() const override { return key_.public_key(); }
  Result<std::string> Sign(std::string_view message) const override { return key_.Sign(message); }

 private:
  tuf::SigningKey key_;
};

std::string Member(const json::Value& object, std::string_view name) { return object.Find(name)->string(); }

class ProgramSigner : public Signer {
 public:
  ProgramSigner(std::string program, tuf::PublicKey key) : program_(std::move(program)), key_(std::move(key)) {}
  const tuf::PublicKey& public_key() const override { return key_; }

  Result<std::string> Sign(std::string_view message) const override {
    PISHIP_TRY(const ProcessResult result,
               RunProcess({.argv = {program_}, .input = message, .output_limit = kMaxSignature}));
    if (result.status != 0) {
      return Fail(ErrorCode::kKeyInvalid,
                  "the signer '" + program_ + "' failed with status " + std::to_string(result.status));
    }
    // The raw signature, or its hexadecimal digits with white space around them; whichever the key verifies.
    const json::Value& object = key_.object;
    const auto key = tuf::Key::From(Member(object, "keytype"), Member(object, "scheme"),
                                    object.Find("keyval")->Find("public")->string());
    if (key && key->Verify(message, result.output)) return result.output;
    std::string digits = result.output;
    std::erase_if(digits, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
    const auto bytes = tuf::BytesOfHex(digits);
    if (key && bytes && key->Verify(message, *bytes)) return *bytes;
    return Fail(ErrorCode::kKeyInvalid, "what the signer '" + program_ + "' printed is no signature of its key");
  }

 private:
  std::string program_;
  tuf::PublicKey key_;
};

// Reads a line without showing it.
Result<std::optional<std::string>> AskTerminal(const std::string& what) {
  const auto terminal = OpenFile("/dev/tty", O_RDWR | O_NOCTTY);
  if (!terminal) return std::nullopt;
  const int fd = terminal->get();
  PISHIP_CHECK(WriteAll(fd, "passphrase for " + Printable(what) + ": ", "/dev/tty"));
  termios shown{};
  if (tcgetattr(fd, &shown) != 0) return Fail(SystemError("read a passphrase", errno));
  termios hidden = shown;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  tcsetattr(fd, TCSAFLUSH, &hidden);
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line += c;
  tcsetattr(fd, TCSAFLUSH, &shown);
  PISHIP_CHECK(WriteAll(fd, "\n", "/dev/tty"));
  return line;
}

Status CheckMode(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return Fail(SystemError("read '" + file + "'", errno));
  if ((status.st_mode & 077) == 0) return {};
  return Fail(ErrorCode::kKeyInvalid, "others than its owner may read or write the key '" + file + "'",
              "chmod 600 '" + file + "'");
}

bool IsPrivate(std::string_view pem) { return pem.find("PRIVATE KEY-----") != std::string_view::npos; }

Result<tuf::SigningKey> ReadKey(const std::string& file, const std::string& pem, const SignerOptions& options) {
  PISHIP_CHECK(CheckMode(file));
  return tuf::SigningKey::FromPem(pem, "'" + file + "'", [&]() -> Result<std::string> {
    PISHIP_TRY(std::optional<std::string> passphrase, PassphraseFor(options, file));
    if (!passphrase) {
      return Fail(ErrorCode::kKeyInvalid, "'" + file + "' needs a passphrase and there is no terminal to ask on",
                  "give --passphrase-fd or --passphrase-env");
    }
    return *std::move(passphrase);
  });
}

// Whether a new file there would appear among what git adds.
Result<bool> GitWouldTrack(const std::string& file) {
  PISHIP_TRY(const std::string absolute, AbsolutePath(file));
  std::string directory = ParentPath(absolute);
  while (access(JoinPath(directory, ".git").c_str(), F_OK) != 0) {
    if (directory == "/" || directory == ".") return false;
    directory = ParentPath(directory);
  }
  // From there and not from the file's own directory, which may not be there yet.
  const auto ignored =
      RunProcess({.argv = {"git", "-C", directory, "check-ignore", "-q", "--", absolute}, .output_limit = 4096});
  return !ignored || ignored->status != 0;
}

}  // namespace

std::unique_ptr<Signer> SignerOf(tuf::SigningKey key) { return std::make_unique<KeySigner>(std::move(key)); }

Result<std::optional<std::string>> PassphraseFor(const SignerOptions& options, const std::string& what) {
  if (options.passphrase_env) {
    const char* value = std::getenv(options.passphrase_env->c_str());
    if (value == nullptr) return Fail(ErrorCode::kUsage, "the variable " + *options.passphrase_env + " is not set");
    return std::string(value);
  }
  if (!options.passphrase_fd) return AskTerminal(what);
  int fd = -1;
  const std::string& text = *options.passphrase_fd;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc() || end != text.data() + text.size() || fd < 0) {
    return Fail(ErrorCode::kUsage, "--passphrase-fd is not the number of a descriptor");
  }
  // Once: a pipe gives its content a single time, and several keys may need it.
  static std::optional<std::string> line;
  if (!line) {
    PISHIP_TRY(const std::string all, ReadAll(fd, "the passphrase's descriptor", kMaxPem));
    line = all.substr(0, all.find('\n'));
  }
  return line;
}

Result<Signers> OpenSigners(const SignerOptions& options) {
  Signers signers;
  for (const std::string& file : options.keys) {
    PISHIP_TRY(const std::string pem, ReadFile(file, kMaxPem));
    PISHIP_TRY(tuf::SigningKey key, ReadKey(file, pem, options));
    signers.push_back(SignerOf(std::move(key)));
  }
  if (options.programs.size() != options.program_keys.size()) {
    return Fail(ErrorCode::kUsage, "each --signer needs one --signer-key: the public key of what it signs with");
  }
  for (std::size_t index = 0; index < options.programs.size(); ++index) {
    PISHIP_TRY(tuf::PublicKey key, PublicKeyIn(options.program_keys[index], options));
    signers.push_back(std::make_unique<ProgramSigner>(options.programs[index], std::move(key)));
  }
  return signers;
}

Result<tuf::PublicKey> PublicKeyIn(const std::string& file, const SignerOptions& options) {
  PISHIP_TRY(const std::string pem, ReadFile(file, kMaxPem));
  if (!IsPrivate(pem)) return tuf::ReadPublicPem(pem, "'" + file + "'");
  PISHIP_TRY(const tuf::SigningKey key, ReadKey(file, pem, options));
  return key.public_key();
}

Status WritePrivateKey(const std::string& file, const std::string& pem) {
  PISHIP_TRY(const bool tracked, GitWouldTrack(file));
  if (tracked) {
    return Fail(ErrorCode::kKeyInvalid, "git would track the private key '" + file + "'",
                "keep keys outside the repository, or name them in .gitignore first");
  }
  PISHIP_CHECK(MakeDirectories(ParentPath(file), 0700));
  PISHIP_TRY(const UniqueFd opened, OpenFile(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  PISHIP_CHECK(WriteAll(opened.get(), pem, file));
  return SyncFile(opened.get(), file);
}

}  // namespace piship::publish
