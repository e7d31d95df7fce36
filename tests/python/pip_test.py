# SPDX-License-Identifier: Apache-2.0
"""pip installs the package from the source tree; what it installs works without that tree."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["SEXTANT_SOURCE_DIR"])
PROGRAM = """
import numpy, sextant
q = numpy.ones((2, 1, 8), numpy.float32)
q2, k2 = sextant.rotate(q, q, [0, 1], "rope")
assert abs(float(q2[1, 0, 0]) - (numpy.cos(1) - numpy.sin(1))) < 1e-6
print(sextant.__file__, sextant.__version__)
"""


class Pip(unittest.TestCase):
    def test_installs_into_a_folder_and_works_there(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "source")
            shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
            shutil.copy2(ROOT / "CMakeLists.txt", source)
            target = pathlib.Path(folder, "target")
            # The build at hand has the same sources: SEXTANT_BUILD_DIR is set.
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps",
                                   "--no-index", "--disable-pip-version-check", "--target", target,
                                   source / "python"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            names = {path.name for path in (target / "sextant").iterdir()}
            self.assertTrue({"__init__.py", "__init__.pyi", "py.typed"} <= names, names)
            shutil.rmtree(source)
            environment = {**os.environ, "PYTHONPATH": str(target)}
            ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                                 env=environment, cwd=folder)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn(str(target), ran.stdout)


if __name__ == "__main__":
    unittest.main()
