# SPDX-License-Identifier: Apache-2.0
"""What the tests of clusters hand to the program, and what they hold against each other."""

import filecmp
import pathlib
import random

import machines

# Small analyses of a text that takes some seconds to count. Threads of one machine are shared.
SCORING = ["--encodings", "rope,alibi,sinusoidal,mds(rank=4)"]
OPTIONS = ["--positions", "24", "--shuffles", "6", "--threads", "1", "--quiet", *SCORING]


def write(folder: pathlib.Path, lines: int) -> list[pathlib.Path]:
    """Three texts of unequal size, the same on every run; positions differ in their words."""
    folder.mkdir()
    files = [folder / name for name in ("large.txt", "middle.jsonl", "small.txt")]
    draw = random.Random(1)
    words = [f"word{i}" for i in range(20000)]
    for file, share in zip(files, (6, 3, 1)):
        with open(file, "w") as out:
            for _ in range(lines * share // 10):
                text = " ".join(words[min(len(words) - 1, int(draw.paretovariate(0.7 + min(at, 30) / 100)))]
                                for at in range(draw.randint(20, 60)))
                out.write(f'{{"text": "{text}"}}\n' if file.suffix == ".jsonl" else f"{text}\n")
    return files


def outputs(folder: pathlib.Path) -> list[str]:
    """Files of a report. Checkpoints, locks and what a dead writer left have hidden names."""
    return sorted(file.name for file in folder.glob("[!.]*"))


def different(made: pathlib.Path, expected: pathlib.Path) -> list[str]:
    """Files of a report that are there and are not the expected ones."""
    _, wrong, unread = filecmp.cmpfiles(made, expected, outputs(made), shallow=False)
    return wrong + unread


def check_equal(made: pathlib.Path, expected: pathlib.Path, what: str):
    names = outputs(expected)
    machines.check("report.json" in names and outputs(made) == names, f"{what}: the same files", outputs(made))
    machines.check(not different(made, expected), f"{what}: the same bytes", different(made, expected))
    left = [file.name for file in made.glob(".*") if file.name != ".sextant-lock"]
    machines.check(left == [], f"{what}: nothing is left over", left)


def check_unfinished(made: pathlib.Path, expected: pathlib.Path, what: str) -> bool:
    """A job that was ended left no report, or, at its very end, a whole one: False."""
    machines.check(not different(made, expected), f"{what}: no file is half-written", different(made, expected))
    return "report.json" not in outputs(made)
