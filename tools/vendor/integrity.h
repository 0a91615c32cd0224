// SPDX-License-Identifier: MIT
// Subresource Integrity values (W3C SRI, section 3.5) as npm writes them into "integrity": one or more
// "<algorithm>-<base64>[?<options>]", separated by white space. Of several the strongest algorithm alone counts; any
// one of its digests may match. Options are read and ignored, as the specification asks; unknown algorithms are ignored
// too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace piship {

// "sha512"
std::string_view HashAlgorithmName(HashAlgorithm algorithm);

class Integrity {
 public:
  // kLockfileInvalid where `text` holds no digest that can be checked, or a malformed one. Accepts sha1, sha256, sha384
  // and sha512; npm still meets sha1 in the metadata of packages from before 2017.
  static Result<Integrity> Parse(std::string_view text);

  HashAlgorithm algorithm() const { return algorithm_; }
  // The raw digests of the strongest algorithm, in the order of the text, each once; never empty.
  const std::vector<std::string>& digests() const { return digests_; }
  bool Matches(std::string_view raw_digest) const;
  // One "<algorithm>-<base64>" per digest, joined by spaces: equal values have equal canonical texts.
  std::string Canonical() const;

 private:
  HashAlgorithm algorithm_ = HashAlgorithm::kSha512;
  std::vector<std::string> digests_;
};

// "sha512-<base64>" of raw digest bytes.
std::string FormatIntegrity(HashAlgorithm algorithm, std::string_view raw_digest);

}  // namespace piship
