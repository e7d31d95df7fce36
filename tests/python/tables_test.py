# SPDX-License-Identifier: Apache-2.0
"""Tables and biases are what the formulas give and what the program prints."""

import json
import os
import subprocess
import unittest

import numpy as np

import sextant
from reference import frequencies, from_bf16, to_bf16

BINARY = os.environ["SEXTANT_BINARY"]


def printed(*words):
    return json.loads(subprocess.run([BINARY, *words, "--json"], check=True, capture_output=True).stdout)


class Catalogue(unittest.TestCase):
    def test_is_that_of_the_program(self):
        self.assertEqual(sextant.encodings(), printed("encodings")["encodings"])

    def test_has_the_facts_of_each(self):
        for each in sextant.encodings():
            for key in ("name", "title", "formula", "reference", "notes", "sites", "params", "claims"):
                self.assertIn(key, each)

    def test_every_encoding_has_a_table_or_says_what_it_needs(self):
        kinds = set()
        for each in sextant.encodings():
            try:
                made = sextant.table(each["name"], positions=4, what=None)
            except sextant.UsageError as error:
                self.assertRegex(str(error), "needs file|has no table|must be given|must")
                continue
            kinds.add(made.ndim)
            self.assertTrue(made.size > 0)
        self.assertEqual(kinds, {2, 3})


class Tables(unittest.TestCase):
    def test_rows_are_the_sinusoids(self):
        got = sextant.table("sinusoidal", positions=50, dim=16, dtype="f64")
        angle = np.arange(50)[:, None] * frequencies(16)
        expected = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(50, 16)
        np.testing.assert_allclose(got, expected, atol=1e-12)

    def test_cosines_are_right_in_every_type(self):
        exact = np.cos(np.arange(7, 27)[:, None] * frequencies(32))
        for dtype, kind, bound in (("f64", np.float64, 1e-13), ("f32", np.float32, 2.0**-24),
                                   ("f16", np.float16, 2.0**-11)):
            got = sextant.table("rope", positions=20, dim=32, offset=7, what="cos", dtype=dtype)
            self.assertEqual((got.dtype, got.shape), (kind, (20, 16)))
            self.assertLess(abs(got - exact).max(), bound)
        bits = sextant.table("rope", positions=20, dim=32, offset=7, what="cos", dtype="bf16")
        self.assertEqual(bits.dtype, np.uint16)
        self.assertLess(abs(from_bf16(bits) - exact).max(), 2.0**-8)
        np.testing.assert_array_equal(bits, to_bf16(exact.astype(np.float32)))

    def test_positions_may_be_an_array(self):
        got = sextant.table("rope", [3, 0.5, -2], dim=8, what="sin", dtype="f64")
        np.testing.assert_allclose(got, np.sin(np.array([[3], [0.5], [-2]]) * frequencies(8)), atol=1e-14)
        np.testing.assert_array_equal(sextant.table("rope", np.arange(4), dim=8, what="sin"),
                                      sextant.table("rope", 4, dim=8, what="sin"))

    def test_none_picks_the_kind_that_shows_most(self):
        self.assertEqual(sextant.table("rope", 4, dim=8, what=None).shape, (4, 4))
        self.assertEqual(sextant.table("alibi", 4, heads=3, what=None).shape, (3, 4, 4))

    def test_the_default_is_rows_and_the_error_names_what_there_is(self):
        with self.assertRaisesRegex(sextant.UsageError, "rope: has no rows; .* has cos, sin, inv_freq, matrix"):
            sextant.table("rope")
        with self.assertRaisesRegex(sextant.UsageError, "alibi: has no rows; .* has bias"):
            sextant.table("alibi")

    def test_a_table_can_be_changed_and_outlives_its_maker(self):
        made = sextant.table("sinusoidal", 2, dim=4)
        made[0, 0] = 5
        self.assertEqual(made[0, 0], 5)


class Biases(unittest.TestCase):
    def test_alibi_is_its_formula(self):
        slopes = 2.0 ** -np.arange(1, 9)
        np.testing.assert_array_equal(sextant.slopes("alibi", 8), slopes.astype(np.float32))
        got = sextant.bias("alibi", 8, 3, 10, first_query=7)
        lag = np.arange(7, 10)[:, None] - np.arange(10)[None, :]
        np.testing.assert_array_equal(got, (-slopes[:, None, None] * abs(lag)).astype(np.float32))

    def test_a_matrix_is_the_table_of_the_bias(self):
        for spec in ("alibi", "t5", "kerple", "t5+rope"):
            got = sextant.bias(spec, 4, 6, 6, threads=2)
            np.testing.assert_array_equal(got, sextant.table(spec, 6, heads=4, what="bias", dim=64))


if __name__ == "__main__":
    unittest.main()
