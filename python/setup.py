# SPDX-License-Identifier: Apache-2.0
"""Builds the module with CMake: in build/pip, or in SEXTANT_BUILD_DIR, a build that is there.

Relative folders are those of the project, one above this one, whatever folder pip runs in.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parents[1]
SETTINGS = {
    "CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": "-O3 -DNDEBUG",
    "SEXTANT_BUILD_PYTHON": "ON", "SEXTANT_PYTHON": sys.executable, "SEXTANT_UNITY_BUILD": "ON",
    "SEXTANT_BUILD_BENCH": "OFF", "SEXTANT_BUILD_LAB": "OFF", "SEXTANT_BUILD_PAGE": "OFF",
    "SEXTANT_BUILD_TESTS": "OFF",
}
if platform.machine() in ("x86_64", "AMD64"):
    SETTINGS["CMAKE_CXX_FLAGS"] = "-march=x86-64-v2"


def version():
    return re.search(r"project\(sextant VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeModule(build_ext):
    def build_extension(self, ext):
        there = os.environ.get("SEXTANT_BUILD_DIR")
        folder = (ROOT / (there or "build/pip")).resolve()
        if not there:
            settings = [f"-D{name}={value}" for name, value in SETTINGS.items()]
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, *settings], check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "sextant_core", "--parallel", jobs], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        made = folder / "python" / "sextant" / target.name
        if not made.exists():
            sys.exit(f"{made} was not built; {folder} may be of another Python than {sys.executable}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, target)


setup(version=version(), ext_modules=[Extension("sextant._core", sources=[])],
      cmdclass={"build_ext": CMakeModule})
