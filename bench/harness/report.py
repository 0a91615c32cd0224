# SPDX-License-Identifier: MIT
"""The results as a table for people, as Markdown for docs/performance.md, and as JSON."""


def seconds(number):
    return f"{number * 1000:.1f} ms" if number < 1 else f"{number:.2f} s"


def amount(number, unit):
    if unit == "s":
        return seconds(number)
    if unit == "bytes":
        return f"{number / 1e6:.2f} MB" if number >= 100_000 else f"{number:,} bytes"
    if unit == "times":
        return f"{number:.3f}"
    return f"{number:,} {unit}"


def goal_text(item, unit):
    if item["goal"] is None:
        return ""
    return f"at most {amount(item['goal'], unit)}: {'met' if item['met'] else 'MISSED'}"


def contender_row(contender):
    wall = contender["wall"]
    return [contender["name"], *(seconds(wall[key]) for key in ("min", "median", "p95", "max")), seconds(contender["cpu"]["median"]),
            amount(contender["peak"]["max"], "bytes"), str(len(contender["samples"]))]


HEADER = ["", "min", "median", "p95", "max", "user+system", "memory", "runs"]


def table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def figures(result):
    """(name, figure, goal) for what is said about the times."""
    for item in result.get("ratios", []):
        kind = "" if item["what"] == "wall" else f" ({'user+system' if item['what'] == 'cpu' else item['what']})"
        yield f"{item['of']} / {item['to']}{kind}", f"{item['value']:.3f}", goal_text(item, "times")
    for item in result.get("values", []):
        yield item["name"], amount(item["value"], item["unit"]), goal_text(item, item["unit"])


def as_text(report):
    parts = []
    for result in report["results"]:
        parts.append(f"\n{result['title']}\n{table([HEADER] + [contender_row(c) for c in result['contenders']])}")
        parts += [f"  {name}: {figure}{'   (' + goal + ')' if goal else ''}" for name, figure, goal in figures(result)]
    parts += [""] + [f"note: {note}" for note in report["notes"]]
    return "\n".join(parts)


def as_markdown(report):
    machine = report["machine"]
    state = " with changes" if report["dirty"] else ""
    lines = [f"Revision {report['revision'][:12]}{state}; {machine['processor']}, {machine['cores']} cores"
             f"{', SHA instructions' if machine['sha_instructions'] else ''}, {machine['memory_bytes'] / 2**30:.0f} GiB, "
             f"{machine['system']}, Linux {machine['kernel']}, {machine['file_system']['type']}; load at the start "
             f"{machine['load_before'][0]:.1f}; {', '.join(v for v in machine['peers'].values() if v)}.", ""]
    for result in report["results"]:
        lines += [f"**{result['title']}**", "", "| " + " | ".join(HEADER) + " |", "|" + " --- |" * len(HEADER)]
        lines += ["| " + " | ".join(contender_row(c)).replace("tar | ", "tar \\| ").replace("cat | ", "cat \\| ") + " |" for c in result["contenders"]]
        lines += [""] + [f"- {name}: {figure}{', ' + goal if goal else ''}" for name, figure, goal in figures(result)] + [""]
    return "\n".join(lines + [f"- {note}" for note in report["notes"]]).rstrip() + "\n"
