#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions per element of the rotation in place, 32 heads of 128 floats, by callgrind.

usage: rotary_instructions.py PROGRAM [--most 0.75]

PROGRAM is rotary_instructions of the build. Two runs that differ only in how often they turn give the
cost of a turn without its set-up; counts repeat exactly. Exit status 1 where a pairing takes more than
`--most`.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ELEMENTS = 64 * 32 * 128  # per turn of the program
FEW, MANY = 2, 12


def instructions(program: pathlib.Path, pairing: str, times: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out",
             str(program), pairing, str(times)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"Collected : (\d+)", done.stdout)
    if done.returncode != 0 or found is None:
        sys.exit(f"{program} {pairing} {times} failed:\n{done.stdout}")
    return int(found[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=0.75, help="instructions per element")
    options = parser.parse_args()
    bad = 0
    for pairing in ("half", "interleaved"):
        extra = (instructions(options.program, pairing, MANY)
                 - instructions(options.program, pairing, FEW))
        each = extra / ((MANY - FEW) * ELEMENTS)
        print(f"{pairing:12} {each:.4f} instructions per element")
        bad += each > options.most
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
