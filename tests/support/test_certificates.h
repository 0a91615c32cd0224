// SPDX-License-Identifier: MIT
// A certificate authority for one test, and what it issues. Keys are elliptic, so making them costs no time.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace piship {

struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  // For host names and addresses ("localhost", "127.0.0.1"), valid from `from_days` to `to_days` around now.
  TestCertificate Issue(const std::vector<std::string>& names, int from_days = -1, int to_days = 1) const;
  // Signed by itself and by nobody else.
  static TestCertificate SelfSigned(const std::vector<std::string>& names);
  const std::string& certificate_pem() const { return certificate_pem_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string certificate_pem_;
};

}  // namespace piship
