# SPDX-License-Identifier: Apache-2.0
"""The complete programs in the comments of the public headers compile and run as they stand."""

import re
import shutil

import project

PROGRAM = re.compile(r"^//   #include .*\n(?://(?:   .*)?\n)*?//   }\n", re.MULTILINE)


def programs(source):
    """Name of the header and text of each program in it."""
    for header in sorted((source / "include" / "sextant").glob("*.h")):
        for match in PROGRAM.finditer(header.read_text()):
            lines = [re.sub(r"^//(?:   )?", "", line) for line in match[0].splitlines()]
            yield header.stem, "\n".join(lines) + "\n"


options = project.arguments()
shutil.rmtree(options.scratch, ignore_errors=True)
source, prefix, folder = (options.scratch / name for name in ("source", "prefix", "build"))
source.mkdir(parents=True)

umbrella = (options.source / "include" / "sextant" / "sextant.h").read_text()
for header in re.findall(r'^#include "sextant/(\w+\.h)"', umbrella, re.MULTILINE):
    project.check(re.search(rf"^//.*\b{re.escape(header)}", umbrella, re.MULTILINE) is not None,
                  f"the reading order of sextant.h has {header}")

examples = dict(programs(options.source))
project.check({"rotary", "sextant"} <= set(examples), f"programs are in {', '.join(examples)}")
listing = ["cmake_minimum_required(VERSION 3.25)", "project(examples CXX)",
           "find_package(sextant 0.1 REQUIRED)"]
for name, text in examples.items():
    (source / f"{name}.cpp").write_text(text)
    listing += [f"add_executable({name}_example {name}.cpp)",
                f"target_link_libraries({name}_example PRIVATE sextant::sextant)",
                f"target_compile_options({name}_example PRIVATE -Wall -Wextra -Werror)"]
(source / "CMakeLists.txt").write_text("\n".join(listing) + "\n")

project.output_of(options.cmake, "--install", options.build, "--prefix", prefix)
project.configure(options, source, folder, f"-DCMAKE_PREFIX_PATH={prefix}")
project.build(options, folder)
for name in examples:
    project.output_of(folder / f"{name}_example")
    print(f"ok: the program in {name}.h runs")
