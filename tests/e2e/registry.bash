# SPDX-License-Identifier: MIT
# For scenarios that fetch packages: skips where npm's configured registry does not answer.
command -v npm > /dev/null || skip "npm is not there to say which registry is configured"
npm ping > "$SCRATCH/ping.log" 2>&1 || skip "npm's configured registry does not answer"
