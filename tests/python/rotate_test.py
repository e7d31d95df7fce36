# SPDX-License-Identifier: Apache-2.0
"""Rotations are those of the published formula, in every type, layout and way of writing."""

import copy
import pickle
import unittest

import numpy as np

import sextant
from reference import from_bf16, pair_norms, random_heads, rotated, to_bf16

POSITIONS = [0, 7, 3, 100000, 12]


class Rotate(unittest.TestCase):
    def setUp(self):
        self.q = random_heads(1, 5, 6, 16)
        self.k = random_heads(2, 5, 2, 16)

    def near(self, got, x, positions=POSITIONS, base=10000.0):
        bound = 1.5e-7 * pair_norms(np.asarray(x, np.float64)) + 1e-12
        self.assertTrue((abs(got - rotated(x, positions, base)) <= bound).all())

    def test_float32_is_the_published_formula_with_fewer_key_heads(self):
        before = self.q.copy()
        q2, k2 = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        self.assertEqual((q2.dtype, q2.shape, k2.shape), (np.float32, self.q.shape, self.k.shape))
        self.near(q2, self.q)
        self.near(k2, self.k)
        np.testing.assert_array_equal(self.q, before)

    def test_the_spec_counts(self):
        q2, _ = sextant.rotate(self.q, self.k, POSITIONS, "rope(base=500000)")
        self.near(q2, self.q, base=500000.0)

    def test_interleaved_pairs_are_neighbours(self):
        q2, _ = sextant.rotate(self.q, self.k, POSITIONS, "rope(pairing=interleaved)")
        order = np.r_[0:16:2, 1:16:2]
        self.near(q2[..., order], self.q[..., order])

    def test_float16_is_within_a_rounding(self):
        q, k = self.q.astype(np.float16), self.k.astype(np.float16)
        q2, k2 = sextant.rotate(q, k, POSITIONS, "rope")
        self.assertEqual(q2.dtype, np.float16)
        self.assertTrue((abs(q2 - rotated(q, POSITIONS)) <= 0.52 * 2.0**-10 * pair_norms(q.astype(float))).all())
        self.assertEqual(k2.dtype, np.float16)

    def test_bf16_is_bit_patterns_in_uint16(self):
        q, k = to_bf16(self.q), to_bf16(self.k)
        q2, k2 = sextant.rotate(q, k, POSITIONS, "rope", dtype="bf16")
        self.assertEqual((q2.dtype, k2.dtype), (np.uint16, np.uint16))
        exact = rotated(from_bf16(q), POSITIONS)
        bound = 0.52 * 2.0**-7 * pair_norms(from_bf16(q).astype(float))
        self.assertTrue((abs(from_bf16(q2) - exact) <= bound).all())

    def test_out_and_in_place_give_the_same_bits(self):
        q2, k2 = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        out = np.empty_like(self.q), np.empty_like(self.k)
        got = sextant.rotate(self.q, self.k, POSITIONS, "rope", out=out)
        self.assertTrue(got[0] is out[0] and got[1] is out[1])
        np.testing.assert_array_equal(out[0], q2)
        np.testing.assert_array_equal(out[1], k2)
        sextant.rotate(self.q, self.k, POSITIONS, "rope", out=(self.q, self.k))
        np.testing.assert_array_equal(self.q, q2)
        np.testing.assert_array_equal(self.k, k2)

    def test_packed_projections_turn_in_place(self):
        packed = np.concatenate([self.q, self.k, self.k], axis=1)
        q2, k2 = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        q, k = packed[:, :6], packed[:, 6:8]
        sextant.rotate(q, k, POSITIONS, "rope", out=(q, k))
        np.testing.assert_array_equal(packed, np.concatenate([q2, k2, self.k], axis=1))

    def test_fused_projections_turn_in_place(self):
        packed = np.stack([self.q, self.q[::-1], self.q * 2], axis=2)  # [tokens, heads, 3, dim]
        expected = packed.copy()
        for side in (0, 1):
            expected[:, :, side] = sextant.rotate(packed[:, :, side], self.k, POSITIONS, "rope")[0]
        q, k = packed[:, :, 0], packed[:, :, 1]
        sextant.rotate(q, k, POSITIONS, "rope", out=(q, k))
        np.testing.assert_array_equal(packed, expected)
        with self.assertRaisesRegex(ValueError, "overlap"):
            sextant.rotate(q, k, POSITIONS, "rope", out=(k, q))

    def test_strides_and_layout_do_not_matter(self):
        q2, k2 = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        heads_first = self.q.swapaxes(0, 1), self.k.swapaxes(0, 1)
        for q, k in (heads_first, tuple(x.copy() for x in heads_first)):
            got = sextant.rotate(q, k, POSITIONS, "rope", layout="htd")
            np.testing.assert_array_equal(got[0].swapaxes(0, 1), q2)
            np.testing.assert_array_equal(got[1].swapaxes(0, 1), k2)
        wide = np.zeros((10, 12, 20), np.float32)
        view = wide[::2, ::2, :16]
        view[...] = self.q
        np.testing.assert_array_equal(sextant.rotate(view, self.k, POSITIONS, "rope")[0], q2)

    def test_threads_do_not_change_a_bit(self):
        one = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        two = sextant.rotate(self.q, self.k, POSITIONS, "rope", threads=2)
        np.testing.assert_array_equal(one[0], two[0])

    def test_backward_undoes_a_rotation(self):
        q2, k2 = sextant.rotate(self.q, self.k, POSITIONS, "rope")
        q3, k3 = sextant.rotate(q2, k2, POSITIONS, "rope", backward=True)
        np.testing.assert_allclose(q3, self.q, atol=1e-6)
        np.testing.assert_allclose(k3, self.k, atol=1e-6)

    def test_no_tokens_and_no_heads_give_empty_results(self):
        empty = np.zeros((0, 2, 8), np.float32)
        self.assertEqual(sextant.rotate(empty, empty, [], "rope")[0].shape, (0, 2, 8))
        headless = np.zeros((3, 0, 8), np.float32)
        self.assertEqual(sextant.rotate(headless, headless, [0, 1, 2], "rope")[1].shape, (3, 0, 8))


class RotaryRule(unittest.TestCase):
    def test_positions_may_be_any_integers_a_range_or_dlpack(self):
        rotary = sextant.Rotary("rope", 8)
        q = random_heads(3, 4, 1, 8)
        expected = rotary.range(5, 4).apply_to_queries(q)
        for positions in ([5, 6, 7, 8], np.arange(5, 9, dtype=np.uint8), np.arange(10, 18, 2)[:] // 2,
                          np.arange(5, 9, dtype=np.int32)):
            np.testing.assert_array_equal(rotary.at(positions).apply_to_queries(q), expected)
        self.assertEqual((rotary.dim, rotary.axes), (8, 1))

    def test_sections_take_a_coordinate_per_axis(self):
        rotary = sextant.Rotary("mrope", 128)
        self.assertEqual(rotary.axes, 3)
        x = random_heads(4, 2, 1, 128)
        equal = rotary.at([[9, 9, 9], [4, 4, 4]]).apply_to_keys(x)
        np.testing.assert_array_equal(equal, rotary.at([9, 4]).apply_to_keys(x))
        other = rotary.at([[9, 2, 9], [4, 4, 4]]).apply_to_keys(x)
        self.assertTrue((other[0] != equal[0]).any())

    def test_logits_depend_on_the_lag_alone_where_the_sides_differ(self):
        q, k = random_heads(5, 1, 1, 32), random_heads(6, 1, 1, 32)
        rotary = sextant.Rotary("xpos", 32)
        def logit(s, t):
            query = rotary.at([s], origin=500).apply_to_queries(q).astype(float)
            key = rotary.at([t], origin=500).apply_to_keys(k).astype(float)
            return float((query * key).sum())
        self.assertAlmostEqual(logit(510, 503), logit(497, 490), delta=1e-5)
        self.assertGreater(abs(logit(510, 503) - logit(510, 502)), 1e-3)

    def test_between_moves_a_cache_to_another_rule(self):
        old, new = sextant.Rotary("rope", 64), sextant.Rotary("rope(base=500000)", 64)
        k = random_heads(7, 9, 3, 64)
        cached = old.range(1000, 9).apply_to_keys(k)
        moved = sextant.Rotary.between(old, new).range(1000, 9).apply_to_keys(cached)
        np.testing.assert_allclose(moved, rotated(k, np.arange(1000, 1009), 500000.0), atol=2e-6)

    def test_a_rule_says_what_it_is_and_can_be_copied(self):
        rule = sextant.Rotary("rope(base=500000)", 8)
        moved = sextant.Rotary.between(sextant.Rotary("rope", 8), rule)
        self.assertEqual(repr(rule), "Rotary('rope(base=500000)', 8)")
        self.assertEqual(repr(moved), f"Rotary.between(Rotary('rope', 8), {rule!r})")
        k = random_heads(3, 4, 1, 8)
        for each in (rule, moved):
            expected = each.range(7, 4).apply_to_keys(k)
            for twin in (pickle.loads(pickle.dumps(each)), copy.deepcopy(each), copy.copy(each)):
                self.assertEqual(repr(twin), repr(each))
                np.testing.assert_array_equal(twin.range(7, 4).apply_to_keys(k), expected)

    def test_apply_is_at_and_apply(self):
        q, k = random_heads(8, 3, 2, 8), random_heads(9, 3, 1, 8)
        rotary = sextant.Rotary("rope", 8)
        for a, b in zip(rotary.apply(q, k, [4, 1, 2]), rotary.at([4, 1, 2]).apply(q, k)):
            np.testing.assert_array_equal(a, b)


if __name__ == "__main__":
    unittest.main()
