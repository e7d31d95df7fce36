# SPDX-License-Identifier: Apache-2.0
"""The statistics of tools/rank_statistics.py give what mathematics says."""

import math
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import rank_statistics as rs


class Correlation(unittest.TestCase):
    def test_ranks_share_ties(self):
        self.assertEqual(rs.ranks([10, 30, 20, 20]), [1, 4, 2.5, 2.5])
        self.assertEqual(rs.ranks([7, 7, 7]), [2, 2, 2])

    def test_spearman_sees_only_the_order(self):
        x = [0.1, 3.0, -2.0, 8.0, 1.5]
        self.assertAlmostEqual(rs.spearman(x, [math.exp(each) for each in x]), 1.0, 14)
        self.assertAlmostEqual(rs.spearman(x, [-each ** 3 for each in x]), -1.0, 14)
        self.assertLess(rs.pearson(x, [math.exp(each) for each in x]), 0.9)

    def test_spearman_without_ties_is_the_formula_of_squared_differences(self):
        # 1 - 6 sum d^2 / (n (n^2 - 1)) with d = (1, -1, 0, 0): 1 - 12 / 60.
        self.assertAlmostEqual(rs.spearman([1, 2, 3, 4], [2, 1, 3, 4]), 0.8, 14)

    def test_pearson_is_the_cosine_of_what_is_left_of_the_mean(self):
        self.assertAlmostEqual(rs.pearson([1, 2, 3], [1, 2, 2]), math.sqrt(3) / 2, 14)
        self.assertAlmostEqual(rs.pearson([1, 2, 4], [5, 7, 11]), 1.0, 14)

    def test_a_constant_has_no_correlation(self):
        self.assertIsNone(rs.pearson([1, 2, 3], [0.1 + 0.2] * 3))
        self.assertIsNone(rs.spearman([5, 5, 5], [1, 2, 3]))
        self.assertEqual(rs.permutation_test([1, 2], [3, 3], *rs.reorderings(2, 10, 1)), (None, None))


class Permutations(unittest.TestCase):
    def p(self, x, y, most=100000):
        return rs.permutation_test(x, y, *rs.reorderings(len(x), most, 1))

    def test_perfect_order_of_four_is_two_of_twenty_four(self):
        p, critical = self.p([1, 2, 3, 4], [1, 2, 3, 4])
        self.assertAlmostEqual(p, 2 / 24, 14)
        # 2 of 24 reach 1: 22/24 < .95 of all are below, so chance exceeds nothing less than 1.
        self.assertAlmostEqual(critical, 1.0, 12)

    def test_no_correlation_has_p_one(self):
        self.assertEqual(self.p([1, 2, 3, 4], [2, 4, 1, 3])[0], 1.0)

    def test_ties_count_every_order(self):
        # y has 3 distinct orders of equal share; two of them have |r| as large as the first.
        self.assertAlmostEqual(self.p([1, 2, 3], [0, 0, 1])[0], 2 / 3, 14)

    def test_drawn_orders_agree_with_all(self):
        x, y = [1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 3, 7, 5, 6]
        self.assertTrue(rs.reorderings(7, 5040, 1)[1])
        orders, exact = rs.reorderings(7, 5039, 1)
        self.assertFalse(exact)
        self.assertEqual(len(orders), 5039)
        self.assertAlmostEqual(rs.permutation_test(x, y, orders, exact)[0], self.p(x, y)[0], delta=.005)

    def test_drawn_p_is_never_zero(self):
        x = list(range(20))
        self.assertEqual(self.p(x, x, most=999)[0], 1 / 1000)

    def test_critical_value_of_many_is_that_of_the_normal_law(self):
        draw = random.Random(3)
        x, y = ([draw.gauss(0, 1) for _ in range(60)] for _ in range(2))
        self.assertAlmostEqual(self.p(x, y, most=20000)[1], 1.96 / math.sqrt(59), delta=0.012)


class Interval(unittest.TestCase):
    def test_a_perfect_correlation_has_no_width(self):
        x = list(range(12))
        low, high = rs.bootstrap_interval(x, [3 * each for each in x], rs.pearson, 500, 1)
        self.assertAlmostEqual(low, 1.0, 12)
        self.assertAlmostEqual(high, 1.0, 12)

    def test_width_is_that_of_fishers_z_for_normal_pairs(self):
        draw, x, y = random.Random(5), [], []
        for _ in range(400):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            x.append(a)
            y.append(0.6 * a + 0.8 * b)
        low, high = rs.bootstrap_interval(x, y, rs.pearson, 1000, 1)
        r = rs.pearson(x, y)
        for end, sign in ((low, -1), (high, 1)):
            self.assertAlmostEqual(end, math.tanh(math.atanh(r) + sign * 1.96 / math.sqrt(397)),
                                   delta=0.025)


class Holm(unittest.TestCase):
    def test_example_by_hand(self):
        # Sorted .005 .01 .03 .04: times 4, 3, 2, 1 is .02 .03 .06 .04, and never less than before.
        for found, expected in zip(rs.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]):
            self.assertAlmostEqual(found, expected, 14)

    def test_never_above_one_and_nothing_stays_nothing(self):
        self.assertEqual(rs.holm([0.6, None, 0.9]), [1.0, None, 1.0])
        self.assertEqual(rs.holm([0.04]), [0.04])
        self.assertEqual(rs.holm([]), [])


class Reliability(unittest.TestCase):
    def test_without_noise_it_is_one(self):
        # Every column adds its own constant: paired seeds, no noise.
        self.assertAlmostEqual(rs.reliability([[1, 11, 4], [2, 12, 5], [5, 15, 8]]), 1.0, 12)

    def test_two_by_two_by_hand(self):
        # Row means 1 and 3, MS(rows) = 4; the rest is +-1/2 in four cells, MS(rest) = 1.
        self.assertAlmostEqual(rs.reliability([[0.5, 1.5], [3.5, 2.5]]), 1 - 1 / 4, 14)

    def test_known_variances_are_found(self):
        # Deviation 1 between rows, 2 within, 4 columns: 1 / (1 + 4 / 4).
        draw = random.Random(7)
        table = []
        for _ in range(4000):
            level = draw.gauss(0, 1)
            table.append([level + draw.gauss(0, 2) for _ in range(4)])
        self.assertAlmostEqual(rs.reliability(table), 0.5, delta=0.03)

    def test_one_seed_says_nothing(self):
        self.assertIsNone(rs.reliability([[1], [2]]))
        self.assertIsNone(rs.reliability([]))
        self.assertIsNone(rs.reliability([[1, 2], [1, 2]]))


if __name__ == "__main__":
    unittest.main()
