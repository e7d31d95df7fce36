# SPDX-License-Identifier: Apache-2.0
"""Correlations of a few values, their p by permutation, and what noise allows of them.

Pure functions of lists. A correlation with a constant is None: it has no value.
"""

import itertools
import math
import operator
import random


def mean(values):
    return math.fsum(values) / len(values)


def ranks(values):
    """1 for the least; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order, 1), key=lambda each: values[each[1]]):
        group = list(group)
        shared = mean([rank for rank, _ in group])
        for _, index in group:
            result[index] = shared
    return result


def standardised(values):
    """Mean 0 and sum of squares 1; None if all are equal to rounding."""
    centre = mean(values)
    apart = [value - centre for value in values]
    norm = math.sqrt(math.fsum(each * each for each in apart))
    if norm <= 1e-12 * max(abs(value) for value in values) or norm == 0.0:
        return None
    return [each / norm for each in apart]


def pearson(x, y):
    x, y = standardised(x), standardised(y)
    if x is None or y is None:
        return None
    return max(-1.0, min(1.0, math.fsum(map(operator.mul, x, y))))


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


def reorderings(n, most, seed):
    """(functions that reorder n >= 2 values, whether these are all n! of them)."""
    if math.factorial(n) <= most:
        return [operator.itemgetter(*each) for each in itertools.permutations(range(n))], True
    draw, indices = random.Random(seed), list(range(n))
    return [operator.itemgetter(*draw.sample(indices, n)) for _ in range(most)], False


def permutation_test(x, y, orders, exact):
    """(two-sided p of pearson(x, y), the |r| that chance exceeds once in twenty).

    Spearman's p is that of the ranks. A draw of orders counts the one observed as well, so that p
    is never 0.
    """
    x, y = standardised(x), standardised(y)
    if x is None or y is None:
        return None, None
    seen = abs(math.fsum(map(operator.mul, x, y))) - 1e-12
    chance = sorted(abs(sum(map(operator.mul, x, order(y)))) for order in orders)
    as_far = sum(each >= seen for each in chance)
    p = as_far / len(chance) if exact else (as_far + 1) / (len(chance) + 1)
    return p, min(1.0, chance[math.ceil(0.95 * len(chance)) - 1])


def bootstrap_interval(x, y, correlation, draws, seed):
    """95 % of the correlations of resampled pairs, percentiles; None if most have no value."""
    draw, indices, found = random.Random(seed), range(len(x)), []
    for _ in range(draws):
        chosen = draw.choices(indices, k=len(x))
        value = correlation([x[i] for i in chosen], [y[i] for i in chosen])
        if value is not None:
            found.append(value)
    if 2 * len(found) < draws:
        return None
    found.sort()
    last = len(found) - 1
    return [found[round(0.025 * last)], found[round(0.975 * last)]]


def holm(ps):
    """p with Holm's correction over all that are not None."""
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    result, largest = [None] * len(ps), 0.0
    for done, (p, index) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - done)))
        result[index] = largest
    return result


def reliability(table):
    """Share of the variance between the means of rows that is not noise, 1 - MS(rest) / MS(rows).

    table[i][j] is row i (an encoding) under column j (a seed). What a column adds to all rows is no
    noise: seeds are paired. At most sqrt(reliability) of a perfect correlation can be seen. None
    with fewer than two rows or columns, or if all means are equal; below 0 where the means differ
    by less than noise alone lets expect.
    """
    rows, columns = len(table), len(table[0]) if table else 0
    if rows < 2 or columns < 2:
        return None
    total = mean([mean(row) for row in table])
    by_row = [mean(row) - total for row in table]
    by_column = [mean(column) - total for column in zip(*table)]
    between = columns * math.fsum(each * each for each in by_row) / (rows - 1)
    rest = math.fsum((table[i][j] - total - by_row[i] - by_column[j]) ** 2
                     for i in range(rows) for j in range(columns)) / ((rows - 1) * (columns - 1))
    return None if between == 0.0 else 1.0 - rest / between
