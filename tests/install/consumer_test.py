# SPDX-License-Identifier: Apache-2.0
"""The installed package serves find_package and pkg-config; the installed program runs from its prefix."""

import json
import math
import os
import re
import shutil

import attention
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

# The examples as a project of their own, in C++ and in C.
examples = options.scratch / "examples"
project.configure(options, options.source / "examples", examples, f"-DCMAKE_PREFIX_PATH={prefix}")
project.build(options, examples)
in_cpp = project.output_of(examples / "attention")
printed = [float(value) for value in re.findall(r"^head \d: (\S+)$", in_cpp, re.MULTILINE)]
expected = [attention.checksum(head) for head in range(attention.HEADS)]
project.check(len(printed) == attention.HEADS
              and all(abs(a - b) < 2e-3 for a, b in zip(printed, expected)),
              "attention with RoPE and ALiBi is that of the definitions")
project.check(project.output_of(examples / "attention_c") == in_cpp, "C prints what C++ prints")

# YaRN by 4: fast pairs stay, slow ones turn 4 times as slowly, cos and sin gain 0.1 ln 4 + 1.
config = options.scratch / "config.json"
config.write_text(json.dumps({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
                              "num_hidden_layers": 2, "max_position_embeddings": 2048,
                              "rope_theta": 10000.0}))
changes = project.output_of(examples / "patch_config", config, "4")
slowest = re.search(r"^  31 +(\S+)  (\S+)$", changes, re.MULTILINE)
project.check(slowest is not None and abs(float(slowest[2]) / float(slowest[1]) - 4) < 1e-3,
              "YaRN slows the slowest pair by its factor")
project.check(re.search(r"^   0 ", changes, re.MULTILINE) is None, "and leaves the fastest as it is")
project.check(f"1.000000 -> {0.1 * math.log(4) + 1:.6f}" in changes, "and says its magnitude")
project.check("usage" in project.output_of(examples / "patch_config", config, expected_status=2),
              "a wrong call ends with 2")
for factor in ("4x", "x", "", "1", "nan", "inf"):
    project.output_of(examples / "patch_config", config, factor, expected_status=2)
project.output_of(examples / "patch_config", options.scratch / "absent.json", "4",
                  expected_status=4)

# The C example without CMake: a C compiler and what pkg-config says.
os.environ["PKG_CONFIG_PATH"] = str(next(prefix.rglob("sextant.pc")).parent)
flags = project.output_of("pkg-config", "--static", "--cflags", "--libs", "sextant").split()
project.output_of("cc", "-std=c11", "-pedantic", "-Werror",
                  options.source / "examples" / "attention.c", *flags, "-o", options.scratch / "attention")
project.check(project.output_of(options.scratch / "attention") == in_cpp,
              "a C program built by pkg-config prints the same")
