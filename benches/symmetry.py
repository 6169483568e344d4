#!/usr/bin/env python3
"""Levels of symmetry on bundled models: how many states, how long, how much memory.

    benches/symmetry.py [--time SECONDS] [--memory SIZE] [--quotient PROGRAM] [--write]

Runs the build for releases depth first to the end for every model below and every level. A run that does not finish within the
limits is shown as a dash. Time is that of the processor, so that other work on the machine matters little. Prints
Markdown; with --write it also goes into the page of the book that shows it. Without --quotient, the program is built first.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "book/src/checking/measured.md"
START, END = "<!-- benches/symmetry.py -->", "<!-- end -->"

LEVELS = ["none", "heap", "pc", "bots", "full"]

# Sizes at which `full` ends within the limit.
MODELS = [
    ("philosophers", "N=10"),
    ("philosophers", "N=12"),
    ("bounded_buffer", "N=4 M=3"),
    ("bounded_buffer", "N=5 M=2"),
    ("ordered_list", "N=4 MAX=4 KEYS=2"),
    ("ordered_list", "N=6 MAX=5 KEYS=1"),
    ("treiber_stack", "N=3 OPS=2"),
    ("barrier", "N=8"),
    ("readers_writers", "READERS=4 WRITERS=3"),
    ("message_queue", "CLIENTS=4"),
    ("thread_pool", "TASKS=6 WORKERS=4"),
    ("actors", "NUMBER=4"),
    ("chat", "CLIENTS=5"),
    ("set_of_sets", "MAX=8"),
    ("two_phase_commit", "N=7"),
    ("two_phase_commit", "N=12"),
    ("peterson", "N=4"),
]


def check(quotient, model, sizes, level, limits, folder):
    """The report of one run with its time, or None if it did not get to the end."""
    command = [quotient, "check", ROOT / f"models/{model}.bir", "--symmetry", level, "--por", "off", "--search", "dfs", "--continue"]
    command += [part for size in sizes.split() for part in ("-D", size)]
    command += ["--format", "json", "--quiet", "--memory", limits.memory]

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (limits.time, limits.time))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Trails go to the folder.
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    if run.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(map(str, command))}\n{run.stderr}")
    report = json.loads(run.stdout)
    report["processor_seconds"] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return report if report["exhaustive"] else None


def grouped(number):
    return f"{number:,}".replace(",", " ")


def states(report):
    return grouped(report["states"])


def seconds(report):
    return f"{report['processor_seconds']:.2f}"


def memory(report):
    return f"{report['store']['bytes'] / 2**20:.1f}"


def searched(report):
    """Which part of the steps led to a state whose names took a search."""
    ties, steps = report["symmetry"]["ties_searched"], report["transitions"]
    return "0" if ties == 0 else f"{100 * ties / steps:.2g} %"


def table(title, rows, columns):
    """A table of models by columns; `columns` are pairs of a title and a function of the reports of a row."""
    lines = [title, ""]
    lines.append("| model | size | " + " | ".join(name for name, _ in columns) + " |")
    lines.append("|---|---|" + "---:|" * len(columns))
    for model, sizes, reports in rows:
        cells = [show(reports) for _, show in columns]
        size = ", ".join(size.replace("=", " = ") for size in sizes.split())
        lines.append(f"| `{model}` | {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_level(show):
    def of(level):
        return lambda reports: show(reports[level]) if reports[level] else "—"

    return [(f"`{level}`", of(level)) for level in LEVELS]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--time", type=int, default=8, help="seconds for each run")
    arguments.add_argument("--memory", default="4G", help="memory for each run")
    arguments.add_argument("--quotient", help="the program to run")
    arguments.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.relative_to(ROOT)}")
    arguments = arguments.parse_args()
    quotient = arguments.quotient and Path(arguments.quotient).resolve()
    if not quotient:
        subprocess.run(["cargo", "build", "--profile", "dist", "--quiet", "-p", "quotient-cli"], cwd=ROOT, check=True)
        quotient = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "dist/quotient"

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for model, sizes in MODELS:
            reports = {}
            for level in LEVELS:
                print(f"{model} {sizes} {level}", file=sys.stderr)
                reports[level] = check(quotient, model, sizes, level, arguments, folder)
            rows.append((model, sizes, reports))
    not_exact = [model for model, _, reports in rows if reports["full"] and not reports["full"]["symmetry"]["canonical"]]
    if not_exact:
        sys.exit(f"full was not canonical for {', '.join(not_exact)}")

    share = ("searches", lambda reports: searched(reports["full"]) if reports["full"] else "—")
    tables = [
        table("States:", rows, by_level(states)),
        table("Seconds, and in the last column which part of the steps took a search at the level `full`:", rows,
              [*by_level(seconds), share]),
        table("Memory of the store, in MiB:", rows, by_level(memory)),
    ]
    text = "\n\n".join(tables)
    print(text)
    if arguments.write:
        page = PAGE.read_text()
        before, rest = page.split(START)
        _, after = rest.split(END)
        PAGE.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    main()
