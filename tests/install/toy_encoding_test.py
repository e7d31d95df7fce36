# SPDX-License-Identifier: Apache-2.0
"""One file and one line add an encoding to the program, the laws, the benchmarks and the manual.

The copy is configured whole. Of it only the new file and the catalogue are compiled; the rest of each
program is taken from the build at hand, which has the same sources.
"""

import filecmp
import json
import pathlib
import re
import shlex
import shutil

import project

PARTS = ("CMakeLists.txt", "cmake", "include", "src", "python", "tests", "bench", "examples")
NEW_FILE = pathlib.Path("src/encodings/toy.cpp")
CATALOGUE = pathlib.Path("src/encodings/CMakeLists.txt")
COMPILED = (NEW_FILE, pathlib.Path("src/encoding/registry.cpp"))
PROGRAMS = ("sextant", "sextant_laws_tests", "encoding_bench")


def files_below(root: pathlib.Path) -> set[pathlib.Path]:
    found = set()
    for part in PARTS:
        paths = [root / part] if (root / part).is_file() else (root / part).rglob("*")
        found |= {path.relative_to(root) for path in paths
                  if path.is_file() and "__pycache__" not in path.parts}
    return found


def same(a: pathlib.Path, b: pathlib.Path) -> bool:
    return b.exists() and filecmp.cmp(a, b, shallow=False)


def refresh(source: pathlib.Path, copy: pathlib.Path):
    """Makes `copy` equal to `source` plus the toy. Files that are right keep their time stamps."""
    wanted = files_below(source)
    for path in files_below(copy) - wanted - {NEW_FILE}:
        (copy / path).unlink()
    for path in wanted - {CATALOGUE}:
        if not same(source / path, copy / path):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / path, copy / path)
    toy = source / "tests" / "install" / "toy_encoding" / "toy.cpp"
    if not same(toy, copy / NEW_FILE):
        shutil.copy2(toy, copy / NEW_FILE)

    catalogue = (source / CATALOGUE).read_text()
    extended, count = re.subn(r"^(sextant_catalogue\(.*\n)", r"\1  toy\n", catalogue,
                              flags=re.MULTILINE)
    project.check(count == 1, "the catalogue takes one more line")
    if not (copy / CATALOGUE).exists() or (copy / CATALOGUE).read_text() != extended:
        (copy / CATALOGUE).write_text(extended)


def link(build: pathlib.Path, program: str, objects: list[pathlib.Path], target: pathlib.Path):
    """Links a program of `build` once more, with `objects` in the place of those in the library."""
    made = f"bin/{program}"
    command = project.output_of("ninja", "-C", build, "-t", "commands", made).splitlines()[-1]
    words = shlex.split(command)
    words = words[words.index("&&") + 1:]
    words = words[:words.index("&&")] if "&&" in words else words
    where = words.index("-o")
    project.check(words[where + 1] == made, f"{program} is linked by one command")
    words[where + 1:where + 2] = [str(target), *map(str, objects)]
    project.output_of(*words, folder=build)


options = project.arguments()
copy = options.scratch / "source"
folder = options.scratch / "build"
refresh(options.source, copy)
added = files_below(copy) - files_below(options.source)
changed = {path for path in files_below(options.source) if not same(options.source / path, copy / path)}
project.check((added, changed) == ({NEW_FILE}, {CATALOGUE}), "nothing else is touched")

project.configure(options, copy, folder, "-DCMAKE_BUILD_TYPE=Release")
objects = [pathlib.Path("CMakeFiles/sextant.dir") / f"{path}.o" for path in COMPILED]
project.build(options, folder, *objects)
programs = options.scratch / "bin"
programs.mkdir(exist_ok=True)
for program in PROGRAMS:
    link(options.build, program, [folder / path for path in objects], programs / program)
sextant = programs / "sextant"

listed = json.loads(project.output_of(sextant, "encodings", "--json"))["encodings"]
toy = [entry for entry in listed if entry["name"] == "toy"]
project.check(len(toy) == 1 and toy[0]["title"] == "Toy saturating bias",
              "sextant encodings --json lists it")

laws = project.output_of(programs / "sextant_laws_tests", "--gtest_list_tests")
count = len(re.findall(r"^  \S*/toy(?:$|[ _])", laws, flags=re.MULTILINE))
project.check(count > 0, f"{count} laws apply to it")
verdict = project.output_of(programs / "sextant_laws_tests", "--gtest_filter=*/toy:*/toy_*")
project.check("[  PASSED  ]" in verdict, "it obeys them")

timed = project.output_of(programs / "encoding_bench", "--benchmark_list_tests")
project.check(re.search(r"/toy/", timed) is not None, "the benchmark times it")

manual = options.scratch / "manual"
shutil.rmtree(manual, ignore_errors=True)
project.output_of(sextant, "docs", "-o", manual)
pages = [path for path in manual.rglob("*toy*") if "Toy saturating bias" in path.read_text()]
project.check(len(pages) == 1, "the manual has a page on it")
