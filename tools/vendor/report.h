// SPDX-License-Identifier: MIT
// The report of the vendor stage: what was placed, what was left out or skipped, and why. docs/formats/vendor-report.md
// has the format. It says nothing about where bytes came from, so equal inputs give equal reports.
#pragma once

#include <string>
#include <vector>

#include "vendor/package.h"
#include "vendor/selection.h"

namespace piship {

std::string VendorReport(const Selection& selection, const Platform& platform,
                         const std::vector<const Package*>& contents);

}  // namespace piship
