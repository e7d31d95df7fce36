#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a file breaks a rule of form that a formatter cannot see.

usage: check_style.py ROOT

CONTRIBUTING.md lists the rules.
"""

import os
import pathlib
import re
import sys

from cpp_text import code_only, without_directives

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_FILE_BYTES = 200_000
SPDX = "SPDX-License-Identifier: Apache-2.0"

SKIPPED = {".git", "build", "__pycache__", "node_modules", "dist"}
CPP = {".h", ".cpp", ".c", ".inc"}
WEB = {".ts", ".mjs"}
SOURCE = CPP | WEB | {".py", ".pyi", ".cmake", ".in", ".sh", ".css", ".html"}
TEXT = SOURCE | {".md", ".json", ".txt", ".cff", ".yml", ".csv", ".svg", ""}

# Written so that this file does not break its own rules.
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)")
MACHINE_PATH = re.compile(r"(?<![\w.~:/])/(?:root|home|tmp|work|mnt|Users)/\w")

CONTAINER = re.compile(r"^(?:inline\s+|export\s+)*(?:namespace|class|struct|union|enum|extern)\b")
TEMPLATE = re.compile(r"^template\s*<(?:[^<>]|<[^<>]*>)*>\s*")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
KIND = re.compile(r"^\s*sextant_tests\(\s*(\w+)", re.MULTILINE)


def files(root: pathlib.Path):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED)
        for name in sorted(set(names) - SKIPPED):
            yield pathlib.Path(folder, name)


def function_lengths(text: str):
    """(first line, lines) of each function body at namespace or class level.

    A heuristic on braces: a block whose head has a parenthesis and is no type or namespace.
    Lambdas and control statements lie inside and count with their function.
    """
    code = without_directives(code_only(text))
    code = ACCESS.sub(lambda match: " " * len(match[0]), code)
    scopes = []  # "container", "data", or the first line of a function
    head, head_at = "", 0
    for at, char in enumerate(code):
        inside = bool(scopes) and scopes[-1] != "container"
        if char == "{":
            stripped = TEMPLATE.sub("", head.strip())
            if inside:
                scopes.append("data")
            elif CONTAINER.match(stripped):
                scopes.append("container")
            else:
                scopes.append(head_at if "(" in head else "data")
        elif char == "}" and scopes:
            opened = scopes.pop()
            # `Type() : member_{1} {`: the body is still to come.
            if isinstance(opened, int) and re.match(r"\s*[,{]", code[at + 1:]):
                continue
            if isinstance(opened, int):
                first = code.count("\n", 0, opened) + 1
                yield first, code.count("\n", 0, at) + 2 - first
        elif inside:
            continue
        if char in "{};" and not (scopes and scopes[-1] != "container"):
            head = ""
        elif not inside:
            if not head.strip():
                head_at = at
            head += char


def cpp_faults(text: str):
    for first, lines in function_lengths(text):
        if lines > MAX_FUNCTION_LINES:
            yield first, f"function of {lines} lines; at most {MAX_FUNCTION_LINES}"


def source_faults(file: pathlib.Path, text: str, lines: list[str]):
    if file.suffix in CPP | WEB | {".py", ".pyi", ".sh"} or lines[0].startswith("#!"):
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        mark = "// " if file.suffix in CPP | WEB else "# "
        if first != mark + SPDX:
            yield 1, f"first line must be '{mark}{SPDX}'"
    if len(lines) > MAX_FILE_LINES:
        yield MAX_FILE_LINES + 1, f"file of {len(lines)} lines; at most {MAX_FILE_LINES}"
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield number, "not ASCII"
    if file.suffix in CPP:
        yield from cpp_faults(text)


def text_faults(lines: list[str]):
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "blank at the end of the line"
        if UNFINISHED.search(line):
            yield number, "unfinished work belongs in an issue"
        if CONFLICT.match(line):
            yield number, "mark of a merge that was not finished"
        if MACHINE_PATH.search(line):
            yield number, "path of one machine"


def test_faults(root: pathlib.Path, kinds: set[str], path: pathlib.PurePath):
    """A C++ test file that no test program contains."""
    if path.parts[0] != "tests" or path.suffix != ".cpp":
        return
    if path.name.endswith("_test.cpp"):
        if path.parts[1] not in kinds:
            yield 1, f"tests/{path.parts[1]} is not built; see tests/CMakeLists.txt"
    elif path.parts[1] in kinds:
        yield 1, "not built: the name of a test file ends in _test.cpp"


def faults(root: pathlib.Path, kinds: set[str], file: pathlib.Path):
    """(line, message) of everything wrong with one file."""
    path = file.relative_to(root)
    if file.stat().st_size > MAX_FILE_BYTES:
        yield 1, f"file of {file.stat().st_size} bytes; at most {MAX_FILE_BYTES}"
    yield from test_faults(root, kinds, path)
    if file.suffix not in TEXT:
        return
    text = file.read_bytes().decode(errors="replace")
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield text.count("\n") + 1, "a file ends in one newline"
    lines = text.removesuffix("\n").split("\n")
    if file.suffix in SOURCE or file.name == "CMakeLists.txt" or lines[0].startswith("#!"):
        yield from source_faults(file, text, lines)
    yield from text_faults(lines)


def main(root: pathlib.Path) -> int:
    tests = root / "tests" / "CMakeLists.txt"
    kinds = set(KIND.findall(tests.read_text())) if tests.exists() else set()
    bad = 0
    for file in files(root):
        for number, fault in faults(root, kinds, file):
            print(f"{file.relative_to(root)}:{number}: {fault}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
