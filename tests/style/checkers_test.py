# SPDX-License-Identifier: Apache-2.0
"""The checkers accept a clean tree and reject each fault they know: a check must be able to fail."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


def output_of(checker: str, tree: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(TOOLS / checker), folder],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class CheckerCase(unittest.TestCase):
    checker = ""

    def accepts(self, tree):
        status, output = output_of(self.checker, tree)
        self.assertEqual((status, output), (0, ""))

    def rejects(self, name, text, fault, line=None):
        status, output = output_of(self.checker, {name: text})
        self.assertEqual(status, 1, output)
        self.assertIn(fault, output)
        self.assertTrue(output.startswith(f"{name}:{line or ''}"), output)
        self.assertEqual(output.count("\n"), 1, "one fault, one line: " + output)


class Layers(CheckerCase):
    checker = "check_layers.py"

    def test_accepts_a_clean_tree(self):
        self.accepts({
            "include/sextant/group.h": '#include "sextant/matrix.h"\n',
            "include/sextant/sextant.h": '#include "sextant/table.h"\n',
            "src/base/check.h": "#include <fmt/format.h>\nthrow Error(code, text);\n",
            "src/io/json.h": "#include <nlohmann/json.hpp>\n",
            "src/io/npy.cpp": '#include "base/check.h"\n// std::cout and throw in a comment\n'
                              'const char* a = "throw x; printf(1)";\nfoo.puts(1); throw;\n'
                              "std::snprintf(b, 9, c);\n",
            "src/math/exp.cpp": "#include <Eigen/Core>\n",
            "src/kernels/rotary.cpp": '#include <hwy/highway.h>\n#include "math/elementary.h"\n',
            "src/cli/main.cpp": '#include <iostream>\n#include <CLI/CLI.hpp>\n#include "report/plot.h"\n'
                                "std::cerr << 1;\n",
            "python/src/table.cpp": '#include <pybind11/numpy.h>\n#include "run/study.h"\n#include "options.h"\n',
            "tests/unit/io/json_test.cpp": "#include <nlohmann/json.hpp>\nstd::cout << 1; throw 1;\n",
        })

    def test_rejects_an_include_against_the_order(self):
        self.rejects("src/base/a.cpp", '\n#include "io/npy.h"\n', "'base' may not include 'io'", 2)
        self.rejects("src/math/a.cpp", '#include "sextant/group.h"\n',
                     "'math' may not include 'encoding'")
        self.rejects("src/encoding/a.cpp", '#include "sextant/table.h"\n',
                     "'encoding' may not include 'kernels'")
        self.rejects("python/src/a.cpp", '#include "cli/output.h"\n',
                     "'python' may not include 'cli'")
        self.rejects("include/sextant/matrix.h", '#include "sextant/encoding.h"\n',
                     "'base' may not include 'encoding'")

    def test_rejects_a_member_of_a_catalogue(self):
        for file in ("src/cli/main.cpp", "tests/unit/a_test.cpp", "bench/a_bench.cpp"):
            self.rejects(file, '#include "encodings/rope.h"\n', "reached through its registry")
        self.rejects("src/cli/main.cpp", '#include "cli/verbs/table.h"\n', "its registry")

    def test_rejects_third_party_headers_outside_their_place(self):
        for file, name in (("src/math/a.cpp", "hwy/highway.h"),
                           ("src/report/a.cpp", "CLI/CLI.hpp"),
                           ("src/io/safetensors.cpp", "nlohmann/json.hpp"),
                           ("include/sextant/matrix.h", "Eigen/Core"),
                           ("include/sextant/error.h", "fmt/core.h"),
                           ("src/run/a.cpp", "pybind11/pybind11.h"),
                           ("src/cli/mpi_main.cpp", "mpi.h"),
                           ("python/src/a.cpp", "CLI/CLI.hpp")):
            self.rejects(file, f"#include <{name}>\n", f"<{name}> belongs in")

    def test_rejects_private_and_unknown_headers_in_the_public_ones(self):
        self.rejects("include/sextant/group.h", '#include "math/exp.h"\n', "the private 'math/exp.h'")
        self.rejects("include/sextant/news.h", "\n", "no layer")
        self.rejects("src/utils/a.h", "\n", "'utils' is no layer")
        self.rejects("src/cli/a.cpp", '#include "sextant/sextant.h"\n', "umbrella")

    def test_rejects_writing_to_a_stream(self):
        for line in ("std::cout << 1;", "std::cerr << 1;", 'fmt::print("x");', 'printf("x");',
                     "std::fprintf(stderr, a);", "puts(a);"):
            self.rejects("src/encoding/a.cpp", line + "\n", "write to a stream", 1)
        self.rejects("src/io/a.cpp", "#include <iostream>\n", "<iostream>")

    def test_rejects_a_throw(self):
        self.rejects("src/cli/main.cpp", "\nthrow Error(code);\n", "only src/base/check.h throws", 2)

    def test_rejects_an_empty_tree(self):
        status, output = output_of(self.checker, {})
        self.assertEqual(status, 1, output)


class Style(CheckerCase):
    checker = "check_style.py"

    def function(self, lines):
        return "int f(int x) {\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"

    def test_accepts_a_clean_tree(self):
        long_table = "constexpr int kTable[] = {\n" + "    1,\n" * 80 + "};\n"
        self.accepts({
            "src/a.cpp": SPDX + self.function(60) + self.function(60),
            "src/b.cpp": SPDX + long_table,
            "src/c.h": SPDX + "namespace a {\nclass B {\n" + "  int f() { return 1; }\n" * 80 + "};\n}\n",
            "docs/a.md": "Caf\u00e9\n",
            "tests/CMakeLists.txt": "sextant_tests(unit)\n",
            "tests/unit/a_test.cpp": SPDX,
            "tests/install/main.cpp": SPDX,
            "run": "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n",
            "build/junk.cpp": "\t",
            "web/src/a.ts": SPDX + "const a = 1;\n",
            "web/node_modules/a/a.ts": "\t",
            "web/dist/a.html": "\t",
        })

    def test_rejects_a_long_function(self):
        fault = "function of 61 lines"
        self.rejects("src/a.cpp", SPDX + self.function(61), fault, 2)
        self.rejects("src/a.cpp", SPDX + self.function(9) + self.function(61), fault, 11)
        self.rejects("src/a.cpp", SPDX + "namespace a {\nclass B {\n public:\n" +
                     "  B() : b_{1} {\n" + "  // {\n" * 59 + "  }\n};\n}\n", fault)
        self.rejects("src/a.cpp", SPDX + "#define X(a) \\\n  {\ntemplate <class T>\nvoid f(T) {\n" +
                     "  if (a) { g(); }\n" * 58 + "}\n", fault, 4)

    def test_rejects_a_long_file(self):
        self.rejects("src/a.cpp", SPDX + "int a;\n" * 400, "file of 401 lines", 401)

    def test_rejects_a_large_file(self):
        self.rejects("tests/golden/a.npy", "x" * 200_001, "file of 200001 bytes")

    def test_rejects_a_missing_licence_line(self):
        self.rejects("src/a.cpp", "int a;\n", "first line must be", 1)
        self.rejects("tools/a.py", "import sys\n", "first line must be", 1)
        self.rejects("web/src/a.ts", "const a = 1;\n", "first line must be", 1)
        self.rejects("run", "#!/usr/bin/env bash\nset -e\n", "first line must be", 1)

    def test_rejects_what_is_not_ascii(self):
        self.rejects("src/a.h", SPDX + "// caf\u00e9\n", "not ASCII", 2)

    def test_rejects_blanks_that_nobody_sees(self):
        self.rejects("src/a.h", SPDX + "int a; \n", "blank at the end", 2)
        self.rejects("src/a.h", SPDX + "\tint a;\n", "tab", 2)
        self.rejects("docs/a.md", "word", "ends in one newline")
        self.rejects("docs/a.md", "word\n\n", "ends in one newline")

    def test_rejects_marks_of_a_merge(self):
        for mark in ("<" * 7 + " main", "=" * 7, ">" * 7 + " topic"):
            self.rejects("docs/a.md", f"one\n{mark}\n", "merge", 2)

    def test_rejects_unfinished_work(self):
        for word in ("TO" "DO", "FIX" "ME"):
            self.rejects("src/a.h", SPDX + f"// {word}: later\n", "unfinished", 2)

    def test_rejects_the_path_of_a_machine(self):
        for path in ("/ho" "me/me/x", "/tm" "p/x", "/ro" "ot/x"):
            self.rejects("docs/a.md", f"see {path}\n", "path of one machine", 1)

    def test_rejects_a_test_that_is_not_built(self):
        built = "sextant_tests(unit)\n"
        for name, fault in (("tests/laws/a_test.cpp", "tests/laws is not built"),
                            ("tests/unit/a.cpp", "ends in _test.cpp")):
            status, output = output_of(self.checker, {"tests/CMakeLists.txt": built, name: SPDX})
            self.assertEqual(status, 1)
            self.assertIn(f"{name}:1: ", output)
            self.assertIn(fault, output)


if __name__ == "__main__":
    unittest.main()
