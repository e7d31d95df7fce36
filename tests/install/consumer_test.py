# SPDX-License-Identifier: Apache-2.0
"""The installed package serves find_package, and the installed program runs from its prefix."""

import re
import shutil

import project

options = project.arguments()
prefix = options.scratch / "prefix"
folder = options.scratch / "build"
shutil.rmtree(options.scratch, ignore_errors=True)

project.output_of(options.cmake, "--install", options.build, "--prefix", prefix)
version = project.output_of(prefix / "bin" / "sextant", "--version")
project.check(re.match(r"sextant \d+\.\d+\.\d+\b", version) is not None, "sextant --version runs")

project.configure(options, options.source / "tests" / "install" / "consumer", folder,
                  f"-DCMAKE_PREFIX_PATH={prefix}")
project.build(options, folder)
answer = project.output_of(folder / "consumer").split("\n")
project.check(answer == ["6", "3 x 2", "2", ""], "a consumer gets a logit, a table and an error")
