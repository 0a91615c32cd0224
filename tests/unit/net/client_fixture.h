// SPDX-License-Identifier: MIT
// A client with short times, and a sink that counts its beginnings.
#pragma once

#include <gtest/gtest.h>

#include "net/http_client.h"
#include "support/http_server.h"
#include "support/result_matchers.h"

namespace piship {

using Milliseconds = std::chrono::milliseconds;

// Quick to try again, and patient, so that no machine is too busy for a test.
inline HttpOptions QuickRetries() {
  HttpOptions options;
  options.retries = {2, 2, Milliseconds(1), Milliseconds(50)};
  return options;
}

// For tests of the time limits themselves.
inline HttpOptions ShortTimes() {
  HttpOptions options = QuickRetries();
  options.timeouts.connect = Milliseconds(2000);
  options.timeouts.idle = Milliseconds(300);
  options.timeouts.total = Milliseconds(5000);
  options.timeouts.slow_window = Milliseconds(200);
  options.timeouts.slow_bytes = 100;
  return options;
}

class CollectingSink : public BodySink {
 public:
  Status Begin(const ResponseHead&) override {
    ++begun;
    body.clear();
    return {};
  }
  Status Take(std::string_view bytes) override {
    body.append(bytes);
    return {};
  }
  int begun = 0;
  std::string body;
};

inline HttpRequest RequestFor(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  request.body_limit = 1'000'000;
  return request;
}

}  // namespace piship
