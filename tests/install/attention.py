# SPDX-License-Identifier: Apache-2.0
"""What examples/attention prints, from the definitions alone: complex numbers and exact slopes."""

import cmath
import math

TOKENS, HEADS, DIM, FIRST = 6, 2, 8, 100
SLOPES = [2.0**-4, 2.0**-8]  # ALiBi of two heads


def number(step: int, token: int, head: int, i: int) -> float:
    return ((token * HEADS + head) * DIM + i) * step % 17 / 8 - 1


def turned(step: int, token: int, head: int) -> list[complex]:
    """Coordinates j and j + d/2 as one complex number, turned by the position times 10000^(-2j/d)."""
    half = DIM // 2
    return [complex(number(step, token, head, j), number(step, token, head, j + half))
            * cmath.exp(1j * (FIRST + token) * 10000 ** (-2 * j / DIM)) for j in range(half)]


def logit(head: int, n: int, m: int) -> float:
    product = sum((q * k.conjugate()).real for q, k in zip(turned(5, n, head), turned(7, m, head)))
    return product / math.sqrt(DIM) - SLOPES[head] * (n - m)


def checksum(head: int) -> float:
    total = 0.0
    for n in range(TOKENS):
        weights = [math.exp(logit(head, n, m)) for m in range(n + 1)]
        for m, weight in enumerate(weights):
            total += sum((n + 1) * (i + 1) * number(11, m, head, i) * weight / sum(weights)
                         for i in range(DIM))
    return total
