# SPDX-License-Identifier: Apache-2.0
"""Nothing of a cluster is left when its test fails, is stopped or is killed."""

import argparse
import pathlib
import signal
import subprocess
import sys

import machines
import slurm

parser = argparse.ArgumentParser()
parser.add_argument("--sextant", type=pathlib.Path)  # given to every test of clusters
parser.add_argument("--scratch", type=pathlib.Path, required=True)
parser.add_argument("--below", action="store_true")
options = parser.parse_args()

if options.below:
    machines.isolate(options.scratch)
    slurm.Slurm(machines.Cluster(2, options.scratch))
    print("up", flush=True)
    if sys.stdin.readline() == "fail\n":
        sys.exit("FAILED: as asked")
    sys.exit("FAILED: nobody asked")


def state() -> tuple[str, str]:
    """Interfaces and mounts of this machine."""
    return machines.run("ip", "-oneline", "link"), pathlib.Path("/proc/self/mounts").read_text()


def left() -> list[int]:
    """Processes that were started inside."""
    marked = []
    for file in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{machines.INSIDE}={options.scratch}".encode() in file.read_bytes():
                marked.append(int(file.parent.name))
        except OSError:
            continue
    return marked


machines.need(slurm.PROGRAMS)
for end, status in (("fail", 1), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
    before = state()
    test = subprocess.Popen([sys.executable, __file__, "--below", "--scratch", str(options.scratch)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = test.stdout.readline()
    if said.startswith("skipped: "):
        machines.skip(said.removeprefix("skipped: ").strip())
    machines.check(said == "up\n" and len(left()) > 5, f"a cluster says {said}".strip())
    if end == "fail":
        test.stdin.write("fail\n")
        test.stdin.flush()
    else:
        test.send_signal(end)
    machines.check(test.wait(timeout=30) == status, f"{end}: the test ends with {test.returncode}")
    machines.until(lambda: not left(), 10, f"{end}: no process is left", lambda: str(left()))
    machines.check(state() == before, f"{end}: interfaces and mounts are those of before")
