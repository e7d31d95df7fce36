# SPDX-License-Identifier: Apache-2.0
"""Every mutant still applies and names a bug and a test; docs/bugs.md knows every bug and every test."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "tools" / "mutants"))
TOOL = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", LOADER))
LOADER.exec_module(TOOL)

BUGS = [f"{letter}{n}" for letter, last in (("P", 11), ("S", 29), ("L", 16), ("I", 14))
        for n in range(1, last + 1)]
TESTS = {f"{suite}.{name}" for path in (ROOT / "tests" / "regressions").glob("*_test.cpp")
         for suite, name in re.findall(r"^TEST\((\w+), (\w+)\)", path.read_text(), re.MULTILINE)}


def matches(pattern: str, name: str) -> bool:
    return re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*").replace("?", "."), name) is not None


class Mutants(unittest.TestCase):
    def test_apply_and_change_the_sources(self):
        mutants = TOOL.mutants([])
        self.assertGreaterEqual(len(mutants), 25)
        for mutant in mutants:
            for path, text in mutant.changed(ROOT).items():
                self.assertNotEqual(text, path.read_text(), mutant.name)
                self.assertEqual(path.relative_to(ROOT).parts[0], "src", mutant.name)

    def test_name_a_bug_and_a_test_of_it(self):
        for mutant in TOOL.mutants([]):
            self.assertIn(mutant.bug, BUGS)
            named = [test for test in TESTS if matches(mutant.filter, test)]
            self.assertTrue(named, f"{mutant.name}: {mutant.filter}")

    def test_that_no_longer_apply_are_found(self):
        mutant = TOOL.mutants(["log_twice"])[0]
        mutant.files = [(name, hunks.replace("-  return", "-  retrun")) for name, hunks in mutant.files]
        with self.assertRaises(ValueError):
            mutant.changed(ROOT)


class Bugs(unittest.TestCase):
    def test_are_all_in_the_table_with_their_tests(self):
        rows = re.findall(r"^\| ([PSLI]\d+) \| (.*) \|$", (ROOT / "docs" / "bugs.md").read_text(), re.MULTILINE)
        self.assertEqual([bug for bug, _ in rows], BUGS)
        held = {test for _, row in rows for test in re.findall(r"`(\w+Bugs\.\w+)`", row)}
        self.assertEqual(held, TESTS)


if __name__ == "__main__":
    unittest.main()
