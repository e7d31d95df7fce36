# SPDX-License-Identifier: Apache-2.0
"""What the install tests share: their arguments, running a command, configuring a project."""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("cmake", "generator", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    return parser.parse_args()


def output_of(*command, expected_status=0, folder=None) -> str:
    """stdout and stderr of a command; ends the test where the status is another."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=folder)
    if done.returncode != expected_status:
        print(f"$ {shlex.join(command)}\n{done.stdout}")
        sys.exit(f"exit status {done.returncode}, expected {expected_status}")
    return done.stdout


def check(holds: bool, what: str):
    if not holds:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def configure(options, source, build, *settings, expected_status=0) -> str:
    return output_of(options.cmake, "-G", options.generator, "-S", source, "-B", build,
                     f"-DCMAKE_CXX_COMPILER={options.compiler}", *settings,
                     expected_status=expected_status)


def build(options, folder, *targets) -> str:
    chosen = ["--target", *targets] if targets else []
    return output_of(options.cmake, "--build", folder, "--parallel", os.cpu_count() or 1, *chosen)
