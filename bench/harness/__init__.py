# SPDX-License-Identifier: MIT
"""The benchmark harness. runner.py interleaves and measures; scenarios/ say what is run, against whom, and what must come
out; payload.py makes what they run on; machine.py and report.py describe."""
