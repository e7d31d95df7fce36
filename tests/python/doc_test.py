# SPDX-License-Identifier: Apache-2.0
"""Every example of the documentation runs and prints what it says."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import sys
import unittest

import sextant

ROOT = pathlib.Path(os.environ["SEXTANT_SOURCE_DIR"])


class Examples(unittest.TestCase):
    def test_docstrings_run_as_printed(self):
        attempted = 0
        for info in pkgutil.iter_modules(sextant.__path__):
            if info.name == "_core":
                continue
            result = doctest.testmod(importlib.import_module(f"sextant.{info.name}"))
            self.assertEqual(result.failed, 0, info.name)
            attempted += result.attempted
        attempted += doctest.testmod(sextant).attempted
        self.assertGreater(attempted, 30)

    def test_every_public_name_has_an_example(self):
        for name in sextant.__all__:
            thing = getattr(sextant, name)
            self.assertTrue(thing.__doc__, name)
            if not (isinstance(thing, type) and issubclass(thing, sextant.Error)):
                self.assertIn(">>> ", thing.__doc__, name)

    def test_readme_and_manual_run_as_printed(self):
        for file in ("README.md", "docs/python.md"):
            text = (ROOT / file).read_text()
            blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
            self.assertTrue(blocks, file)
            parser, globs = doctest.DocTestParser(), {}
            for block in blocks:
                if ">>>" not in block:
                    exec(compile(block, file, "exec"), globs)
                    continue
                test = parser.get_doctest(block, globs, file, file, 0)
                runner = doctest.DocTestRunner()
                runner.run(test, clear_globs=False)
                globs = test.globs
                self.assertEqual(runner.failures, 0, file)


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main()
