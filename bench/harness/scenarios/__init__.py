# SPDX-License-Identifier: MIT
"""The scenarios. Each module has run(context), which gives what report.py prints: comparisons (Runner.compare) with the
ratios that matter, and values that are no times."""


def ratio(comparison, of, to, key="wall", goal=None):
    """The quotient of two contenders' medians, with what it should be at most."""
    medians = {c["name"]: c[key]["median"] for c in comparison["contenders"]}
    if of not in medians or to not in medians or not medians[to]:
        return
    value = medians[of] / medians[to]
    comparison.setdefault("ratios", []).append(
        {"of": of, "to": to, "what": key, "value": value, "goal": goal, "met": None if goal is None else value <= goal})


def value(comparison, name, number, unit, goal=None):
    """A figure that is no time of a contender."""
    comparison.setdefault("values", []).append(
        {"name": name, "value": number, "unit": unit, "goal": goal, "met": None if goal is None else number <= goal})
