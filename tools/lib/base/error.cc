// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <cerrno>
#include <cstring>

#include "base/utf8.h"

namespace piship {
namespace {

struct CodeRow {
  std::string_view name;
  int exit_status;
};

constexpr CodeRow kCodes[] = {
#define PISHIP_ERROR(name, code, exit_status, summary) {code, exit_status},
#include "base/errors.def"
#undef PISHIP_ERROR
};

void AppendHexEscape(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

}  // namespace

std::string_view ErrorCodeName(ErrorCode code) { return kCodes[static_cast<std::size_t>(code)].name; }

int ExitStatus(ErrorCode code) { return kCodes[static_cast<std::size_t>(code)].exit_status; }

Error Error::While(std::string operation) && {
  context.push_back(std::move(operation));
  return std::move(*this);
}

Error SystemError(std::string_view action, int error_number) {
  Error error;
  // strerrordesc_np needs no locale and no lock, and glibc's static libraries have it.
  const char* description = strerrordesc_np(error_number);
  error.message = "can't " + std::string(action) + ": " + (description != nullptr ? description : "unknown error");
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      error.code = ErrorCode::kFileNotFound;
      break;
    case EACCES:
    case EPERM:
      error.code = ErrorCode::kPermissionDenied;
      error.hint = "look at the permissions of the path and of the directories above it";
      break;
    case EROFS:
      error.code = ErrorCode::kPermissionDenied;
      error.hint = "its file system is mounted read-only";
      break;
    case ENOSPC:
    case EDQUOT:
      error.code = ErrorCode::kDiskFull;
      error.hint = "free some space and try again";
      break;
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      error.code = ErrorCode::kFileInvalid;
      break;
    case EMFILE:
    case ENFILE:
      error.code = ErrorCode::kIoFailed;
      error.hint = "raise the limit on open files ('ulimit -n') and try again";
      break;
    case EIO:
      error.code = ErrorCode::kIoFailed;
      error.hint = "the device or its file system fails; the system's log says more";
      break;
    case ENOMEM:
      error.code = ErrorCode::kIoFailed;
      error.hint = "end other programs, or raise the limit on memory, and try again";
      break;
    default:
      error.code = ErrorCode::kIoFailed;
  }
  return error;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = DecodeUtf8(text);
    const bool control = character.code_point < 0x20 || (character.code_point >= 0x7f && character.code_point < 0xa0);
    const bool reordering = IsBidirectionalControl(character.code_point);
    if (character.valid && !control && !reordering) {
      out.append(text.substr(0, character.length));
    } else {
      for (const char byte : text.substr(0, character.length)) AppendHexEscape(out, static_cast<unsigned char>(byte));
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string FormatError(std::string_view program, const Error& error) {
  std::string out = std::string(program) + ": error: " + Printable(error.message) + " [" +
                    std::string(ErrorCodeName(error.code)) + "]";
  for (const std::string& problem : error.problems) out += "\n  " + Printable(problem);
  for (const std::string& operation : error.context) out += "\n  while: " + Printable(operation);
  if (!error.hint.empty()) out += "\n  hint: " + Printable(error.hint);
  return out;
}

}  // namespace piship
