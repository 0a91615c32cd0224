// SPDX-License-Identifier: MIT
// A response means the same in whatever pieces it arrives. The first byte of the input is the size of the pieces.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/response_reader.h"

namespace {

struct Outcome {
  bool good = true;
  bool done = false;
  int status = 0;
  std::size_t headers = 0;
  std::string body;
};

Outcome Read(std::string_view bytes, std::size_t step) {
  Outcome outcome;
  piship::ResponseReader reader(
      piship::ResponseReader::Request::kGet,
      [&](const piship::ResponseHead& head) -> piship::Status {
        outcome.status = head.status;
        outcome.headers = head.headers.size();
        return {};
      },
      [&](std::string_view piece) -> piship::Status {
        outcome.body.append(piece);
        return {};
      });
  while (outcome.good && !bytes.empty() && !reader.done()) {
    outcome.good = reader.Feed(bytes.substr(0, step)).has_value();
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
  if (outcome.good) outcome.good = reader.FeedEnd().has_value();
  outcome.done = reader.done();
  if (outcome.good != outcome.done) std::abort();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = Read(bytes, bytes.size() + 1);
  const Outcome pieces = Read(bytes, std::size_t{data[0]} + 1);
  if (whole.good != pieces.good) std::abort();
  if (!whole.good) return 0;
  if (whole.status != pieces.status || whole.headers != pieces.headers || whole.body != pieces.body) std::abort();
  return 0;
}
