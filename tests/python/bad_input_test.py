# SPDX-License-Identifier: Apache-2.0
"""A wrong call is one error that names the argument; nothing crashes and nothing is written."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import sextant
from reference import random_heads


class BadInput(unittest.TestCase):
    def setUp(self):
        self.q = random_heads(1, 4, 3, 8)
        self.k = random_heads(2, 4, 1, 8)

    def refused(self, text, call, kind=ValueError):
        with self.assertRaisesRegex(kind, text) as caught:
            call()
        self.assertIsInstance(caught.exception, sextant.Error)
        self.assertNotIn("\n", str(caught.exception))

    def rotation(self, text, q=None, k=None, positions=(0, 1, 2, 3), spec="rope", **options):
        q = self.q if q is None else q
        k = self.k if k is None else k
        self.refused(text, lambda: sextant.rotate(q, k, positions, spec, **options))

    def test_names_an_array_that_is_none(self):
        self.refused("^q: must be an array", lambda: sextant.rotate(None, self.k, [0], "rope"))
        self.refused("^k: must be an array", lambda: sextant.rotate(self.q, None, range(4), "rope"))
        self.rotation("^q: must be an array of numpy or have __dlpack__ but is a 'list'", q=[[[1.0, 2.0]]])

    def test_names_an_array_of_another_type(self):
        self.rotation("^q: must be float32, float16 or bf16 but is float64", q=self.q.astype(float))
        self.rotation("^k: must be .* but is int32", k=self.k.astype(np.int32))
        self.rotation("^q: must be .* but is >f4", q=self.q.astype(">f4"))
        self.rotation("^q: uint16 needs dtype='bf16'", q=self.q.astype(np.uint16))
        self.rotation("^q: must be uint16 with .* but is float32", dtype="bf16")
        self.rotation("^dtype: must be 'f32', 'f16' or 'bf16' but got 'f8'", dtype="f8")

    def test_refuses_an_array_with_a_mask(self):
        masked = np.ma.masked_array(self.q, mask=self.q > 0)
        self.rotation("^q: must not be a masked array", q=masked)
        places = np.ma.masked_array([0, 1, 2, 3], mask=[0, 1, 0, 0])
        self.rotation("^positions: must not be a masked array", positions=places)
        self.refused("^X: must not be a masked array", lambda: sextant.classify(np.ma.masked_array(np.eye(2))))

    def test_names_a_wrong_shape(self):
        self.rotation(r"^q: must have the shape \[tokens, heads, dim\] but has 2 axes", q=self.q[0])
        self.rotation(r"^q: must have the shape \[heads, tokens, dim\] but has 4 axes", q=self.q[None], layout="htd")
        self.rotation("^q: must have the 3 tokens", positions=[0, 1, 2])
        self.rotation("^k: must have the dim 8 .* but has 4", k=self.k[..., :4])
        self.rotation("^layout: must be 'thd' or 'htd' but got 'bhtd'", layout="bhtd")

    def test_names_an_odd_or_empty_width(self):
        self.rotation("dim", q=self.q[..., :7], k=self.k[..., :7])
        self.rotation("^dim: must be 1 to", q=self.q[..., :0], k=self.k[..., :0])

    def test_names_a_last_axis_with_gaps(self):
        self.rotation("^q: the last axis must be contiguous", q=random_heads(1, 4, 3, 16)[..., ::2])
        self.rotation("^k: the last axis must be contiguous", k=np.asfortranarray(random_heads(1, 4, 2, 8)))
        self.rotation("^q: .*negative", q=self.q[::-1])

    def test_names_positions_that_do_not_count(self):
        self.rotation("^positions: must be whole numbers but are float64", positions=[0.5, 1, 2, 3])
        self.rotation("^positions: must be whole numbers", positions=[0.0, 1.0, 2.0, 3.0])
        self.rotation("^positions: must be whole numbers", positions=[True, False, True, False])
        self.rotation("^positions: must be whole numbers", positions=[2**70, 1, 2, 3])
        self.rotation("^positions: .*18446744073709551615", positions=np.array([2**64 - 1] * 4, np.uint64))
        self.rotation("position.*-1", positions=[0, 1, -1, 3])
        self.rotation("position.*2147483648", positions=[0, 1, 2**31, 3])
        self.rotation("^positions: must be an array", positions=[[0, 1], [2]])
        self.rotation("^positions: .* 3 axes", positions=np.zeros((4, 1, 1), int))
        self.rotation("^positions: must have 1 coordinates", positions=np.zeros((4, 2), int))
        self.refused("count", lambda: sextant.Rotary("rope", 8).range(0, -1))
        self.refused("^first: must be a whole number", lambda: sextant.Rotary("rope", 8).range(0.5, 1))
        self.refused("2147483648", lambda: sextant.Rotary("rope", 8).range(2**31 - 2, 4))

    def test_names_a_spec_that_cannot_turn(self):
        self.rotation("alibi", spec="alibi")
        self.rotation("did you mean 'rope'", spec="rop")
        self.rotation("^spec: must be a text", spec=5)

    def test_names_an_out_that_cannot_be_written(self):
        q, k = np.zeros_like(self.q), np.zeros_like(self.k)
        q.flags.writeable = False
        self.rotation(r"^out\[0\]: must not be read-only", out=(q, k))
        self.rotation(r"^out\[1\]: must be .* but is float64", out=(np.zeros_like(self.q), k.astype(float)))
        self.rotation(r"^out\[0\]: must have 3 heads", out=(np.zeros_like(self.k), k))
        for out in (q, (q,), (q, None), 5, np.zeros((2, 4, 3, 8), np.float32)):
            self.rotation("^out: must be a pair of arrays", out=out)

    def test_names_an_out_that_overlaps(self):
        buffer = np.zeros(4 * 3 * 8 + 8, np.float32)
        q, shifted = buffer[:96].reshape(4, 3, 8), buffer[8:].reshape(4, 3, 8)
        before = buffer.copy()
        self.rotation(r"^out\[0\]: must be in to the letter or not overlap it", q=q, out=(shifted, self.k))
        q, k = random_heads(1, 4, 1, 8), random_heads(2, 4, 1, 8)
        self.rotation(r"^out\[0\]: must not overlap k", q=q, k=k, out=(k, np.zeros_like(k)))
        self.rotation(r"^out\[1\]: must not overlap q", q=q, k=k, out=(np.zeros_like(q), q))
        same = np.zeros_like(q)
        self.rotation(r"^out\[0\]: must not overlap out\[1\]", q=q, k=k, out=(same, same))
        np.testing.assert_array_equal(buffer, before)

    def test_a_failed_call_leaves_both_sides_as_they_were(self):
        before = self.q.copy(), self.k.copy()
        for k in (self.k[:3], random_heads(2, 4, 1, 6), self.k.astype(np.float64)):
            self.rotation("^k: must", k=k, out=(self.q, k))
        overlapping = np.lib.stride_tricks.as_strided(self.k, (4, 2, 8), (32, 16, 4))
        self.rotation("^k: strides must", k=overlapping, out=(self.q, overlapping))
        self.rotation(r"^out\[1\]: must have 1 heads", out=(self.q, np.zeros_like(self.q)))
        np.testing.assert_array_equal(self.q, before[0])
        np.testing.assert_array_equal(self.k, before[1])

    def test_names_threads(self):
        self.rotation("^threads: must be 1 to 4096 but got 0", threads=0)
        self.rotation("^threads: must be a whole number but got 1.5", threads=1.5)
        self.rotation("^threads: must be a whole number but got None", threads=None)

    def test_tables_name_their_argument(self):
        self.refused("^positions: must be 1 to", lambda: sextant.table("sinusoidal", positions=0))
        self.refused("^positions: must be a whole number", lambda: sextant.table("sinusoidal", positions=2.5))
        self.refused("^dim: must be 1 to", lambda: sextant.table("sinusoidal", dim=-4))
        self.refused("^dim: must be a number of 64 bits", lambda: sextant.table("sinusoidal", dim=2**80))
        self.refused("^what: must be one of rows, cos", lambda: sextant.table("rope", what="cosine"))
        self.refused("^dtype: must be one of f32", lambda: sextant.table("rope", what="cos", dtype="float32"))
        self.refused("^offset: must be a number", lambda: sextant.table("sinusoidal", offset="far"))
        self.refused("^offset: goes with", lambda: sextant.table("sinusoidal", [1, 2], offset=3))
        self.refused("^positions: ", lambda: sextant.table("sinusoidal", []))
        self.refused("^positions: must be an array of real", lambda: sextant.table("sinusoidal", ["a"]))
        self.refused("finite", lambda: sextant.table("sinusoidal", [np.nan]), ArithmeticError)
        self.refused("GB", lambda: sextant.table("sinusoidal", positions=2**50), MemoryError)
        self.refused("GB", lambda: sextant.table("alibi", positions=2**21, what="bias"), MemoryError)

    def test_biases_name_their_argument(self):
        self.refused("^heads: must be 1 to", lambda: sextant.bias("alibi", 0, 4, 4))
        self.refused("^queries: must be 1 to", lambda: sextant.bias("alibi", 2, -1, 4))
        self.refused("^first_key: must be 0 to", lambda: sextant.bias("alibi", 2, 1, 4, first_key=2**40))
        self.refused("rope: has no bias", lambda: sextant.bias("rope", 2, 4, 4))
        self.refused("GB", lambda: sextant.bias("alibi", 4096, 2**22, 2**22), MemoryError)
        self.refused("t5: has no slopes", lambda: sextant.slopes("t5", 8))

    def test_studies_name_their_argument(self):
        drift = "synthetic:drift"
        self.refused("^corpus: must be a path", lambda: sextant.score(None))
        self.refused("^corpus: must name at least one", lambda: sextant.score([]))
        self.refused("missing.txt", lambda: sextant.score("missing.txt"), OSError)
        self.refused("^positions: must be 1 to", lambda: sextant.score(drift, positions=0))
        self.refused("^positions: must be a whole number", lambda: sextant.score(drift, positions=2.5))
        self.refused("^encodings: must name", lambda: sextant.score(drift, []))
        self.refused("did you mean 'alibi'", lambda: sextant.score(drift, ["alibbi"]))
        self.refused("^metric: must be one of", lambda: sextant.geometry(drift, metric="euclid"))
        self.refused("^text_column: does nothing", lambda: sextant.geometry(drift, text_column="2"))
        self.refused("^mem: must be a whole number of at least 0", lambda: sextant.geometry(drift, mem=-1))
        self.refused("^method: must be", lambda: sextant.PositionalMDS(method="best").fit(drift))
        self.refused("^colour: is no parameter", lambda: sextant.PositionalMDS().set_params(colour=1))

    def test_classify_names_its_argument(self):
        self.refused("^classify: one of X, maps and kernel", lambda: sextant.classify())
        self.refused("^classify: one of X, maps and kernel", lambda: sextant.classify("rope", kernel=[1.0]))
        self.refused(r"^X: array must have the shape \[d, d\]", lambda: sextant.classify([[1.0, 2.0]]))
        self.refused("^X: must be an array of real numbers but is complex", lambda: sextant.classify([[1j]]))
        self.refused("finite", lambda: sextant.classify([[np.inf]]), sextant.Error)
        self.refused("^maps: must be a pair", lambda: sextant.classify(maps=[1]))
        self.refused("^at: goes with maps", lambda: sextant.classify("rope", at=[1]))
        self.refused("^dim: goes with a spec", lambda: sextant.classify([[0.0]], dim=4))
        self.refused("^noise: must be above 0", lambda: sextant.classify("rope", noise=0.0))
        self.refused("^nearest: must be one of", lambda: sextant.classify([[0.0]], nearest="helix"))

    def test_a_path_with_nul_is_no_path(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "text.txt")
            file.write_text("a b c d\n" * 40)
            for call in (sextant.geometry, sextant.score, sextant.lint, sextant.inspect,
                         sextant.PositionalMDS().fit):
                self.refused(": must not contain NUL", lambda: call(f"{file}\0.other"))
            self.refused("^against: must not contain NUL", lambda: sextant.geometry(file, 4, against=["a\0b"]))
            self.refused("^tokens: must not contain NUL", lambda: sextant.geometry(file, 4, tokens="bytes\0"))
        self.refused("^spec: must not contain NUL", lambda: sextant.Rotary("rope\0", 8))
        self.refused("^encodings: must not contain NUL", lambda: sextant.score("synthetic:drift", ["rope\0"]))
        self.refused("^X: must not contain NUL", lambda: sextant.classify("rope\0"))

    def test_a_text_that_is_not_unicode_is_an_error_of_its_argument(self):
        lone = "rope\ud800"
        self.refused("^spec: must be Unicode", lambda: sextant.Rotary(lone, 8))
        self.refused("^spec: must be Unicode", lambda: sextant.bias(lone, 1, 1, 1))
        self.refused("^X: must be Unicode", lambda: sextant.classify(lone))
        self.refused("^encodings: must be Unicode", lambda: sextant.score("synthetic:drift", [lone]))
        self.refused("^metric: must be Unicode", lambda: sextant.geometry("synthetic:drift", metric=lone))
        self.refused("^path: must be a name", lambda: sextant.lint(lone))
        self.refused("^corpus: must be a name", lambda: sextant.geometry([lone]))

    def test_file_names_need_not_be_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(os.fsencode(folder), b"caf\xe9.txt")
            with open(name, "wb") as file:
                file.write(b"a b c d\nb c d a\n" * 40)
            self.assertEqual(sextant.geometry(os.fsdecode(name), 4, shuffles=1, splits=1)["positions"], 4)
            self.refused("caf.*json", lambda: sextant.lint(os.fsdecode(name[:-4] + b".json")), OSError)
            self.refused("caf.*json", lambda: sextant.inspect(os.fsdecode(name[:-4] + b".json")), OSError)

    def test_the_standard_input_is_no_file(self):
        program = ("import sextant\nfor call in sextant.geometry, sextant.score, sextant.lint, sextant.inspect:\n"
                   "    try:\n        call('-')\n    except ValueError as error:\n        print(error)\n")
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as idle:
            limit = threading.Timer(30, idle.kill)
            limit.start()
            try:
                lines = idle.stdout.read().splitlines()  # its stdin stays open, and nothing comes
                self.assertEqual(len(lines), 4)
                for line in lines:
                    self.assertRegex(line, b"^(corpus|path): must be a file; '-' is the standard input")
            finally:
                limit.cancel()
                idle.kill()

    def test_numbers_flags_and_texts_are_not_each_other(self):
        drift = "synthetic:drift"
        self.rotation("^backward: must be True or False but got 'no'", backward="no")
        self.refused("^backward: ", lambda: sextant.Rotary("rope", 8).range(0, 4).apply_to_keys(self.k, backward=1))
        self.refused("^two_sided: ", lambda: sextant.classify(kernel=[1.0, 0.5, 0.2], two_sided="no"))
        self.refused("^windows: must be True or False but got 1", lambda: sextant.geometry(drift, windows=1))
        self.refused("^corrected: must be True", lambda: sextant.PositionalMDS(corrected="no").fit(drift))
        self.refused("^positions: must be a whole number but got True", lambda: sextant.geometry(drift, True))
        self.refused("^noise: must be a number but got True", lambda: sextant.classify("rope", noise=True))
        self.refused("^noise: must fit a double", lambda: sextant.classify("rope", noise=10**400))
        self.refused("^offset: must fit a double", lambda: sextant.table("sinusoidal", offset=10**5000))
        self.refused("^dim: must be a number of 64 bits", lambda: sextant.table("sinusoidal", dim=10**5000))
        self.refused("^positions: must be a whole number", lambda: sextant.geometry(drift, 10**5000))
        self.refused("^encodings: must be specs but got 5", lambda: sextant.score(drift, 5))
        self.refused("^encodings: must be specs", lambda: sextant.score(drift, [5]))
        self.refused("^rules: must be ids", lambda: sextant.lint("missing.json", rules=5))
        self.assertEqual(sextant.classify("rope", dim=4, noise=np.float32(0.5)), sextant.classify("rope", dim=4, noise=0.5))
        np.testing.assert_array_equal(sextant.rotate(self.q, self.k, range(4), "rope", backward=np.bool_(True))[0],
                                      sextant.rotate(self.q, self.k, range(4), "rope", backward=True)[0])

    def test_advice_is_in_words_of_python(self):
        with self.assertRaisesRegex(MemoryError, "use fewer positions, intervals=False, or fewer shuffles"):
            sextant.score("synthetic:drift", mem=10)

    def test_models_name_their_file(self):
        self.refused("missing.json", lambda: sextant.lint("missing.json"), OSError)
        self.refused("missing.json", lambda: sextant.inspect("missing.json"), OSError)
        self.refused("^path: must be a path", lambda: sextant.inspect(5))
        self.refused("^rules: must be ids", lambda: sextant.lint("missing.json", rules=[""]))
        found = sextant.lint(["missing.json"])
        self.assertIn("missing.json", found["models"][0]["error"])


if __name__ == "__main__":
    unittest.main()
