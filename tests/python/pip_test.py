# SPDX-License-Identifier: Apache-2.0
"""pip installs the package from the source tree; what it installs works without that tree."""

import importlib.util
import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(os.environ["SEXTANT_SOURCE_DIR"])
PROGRAM = """
import numpy, sextant
q = numpy.ones((2, 1, 8), numpy.float32)
q2, k2 = sextant.rotate(q, q, [0, 1], "rope")
assert abs(float(q2[1, 0, 0]) - (numpy.cos(1) - numpy.sin(1))) < 1e-6
print(sextant.__file__, sextant.__version__)
"""


INSTALL = ["install", "--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]


class Pip(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name, "source")
        shutil.copytree(ROOT / "python", self.source / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
        shutil.copy2(ROOT / "CMakeLists.txt", self.source)

    def runs(self, *words, **environment):
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder.name,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_installs_into_a_folder_and_works_there(self):
        target = pathlib.Path(self.folder.name, "target")
        # The build at hand has the same sources: SEXTANT_BUILD_DIR is set.
        self.runs(sys.executable, "-m", "pip", *INSTALL, "--target", target, self.source / "python")
        names = {path.name for path in (target / "sextant").iterdir()}
        self.assertTrue({"__init__.py", "__init__.pyi", "py.typed"} <= names, names)
        shutil.rmtree(self.source)
        self.assertIn(str(target), self.runs(sys.executable, "-c", PROGRAM, PYTHONPATH=str(target)))

    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "needs python3-venv")
    def test_installs_into_an_environment_from_a_build_inside_the_project(self):
        (self.source / "build").mkdir()
        (self.source / "build" / "here").symlink_to(os.environ["SEXTANT_BUILD_DIR"])
        home = pathlib.Path(self.folder.name, "home")
        self.runs(sys.executable, "-m", "venv", "--system-site-packages", home)
        self.runs(home / "bin" / "pip", *INSTALL, self.source / "python", SEXTANT_BUILD_DIR="build/here", PYTHONPATH="")
        self.assertIn(str(home), self.runs(home / "bin" / "python", "-c", PROGRAM, PYTHONPATH=""))

    def test_the_instructions_are_those_of_the_machine(self):
        def flags(machine):
            with unittest.mock.patch("platform.machine", lambda: machine), unittest.mock.patch("setuptools.setup"):
                return runpy.run_path(str(self.source / "python" / "setup.py"))["SETTINGS"].get("CMAKE_CXX_FLAGS")

        self.assertEqual(flags("x86_64"), "-march=x86-64-v2")
        self.assertIsNone(flags("aarch64"))


if __name__ == "__main__":
    unittest.main()
