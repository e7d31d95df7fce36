# SPDX-License-Identifier: Apache-2.0
"""What rotations and conversions must give, from their formulas, in double."""

import numpy as np


def frequencies(dim, base=10000.0):
    return base ** (-2.0 * np.arange(dim // 2) / dim)


def rotated(x, positions, base=10000.0):
    """RoPE of [tokens, heads, dim] with coordinates i and i + dim/2 as a pair: x cos - y sin, x sin + y cos."""
    x = np.asarray(x, np.float64)
    half = x.shape[2] // 2
    angle = np.asarray(positions, np.float64)[:, None, None] * frequencies(x.shape[2], base)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], -1)


def pair_norms(x):
    """The norm of the pair of each value."""
    half = x.shape[-1] // 2
    norm = np.hypot(x[..., :half], x[..., half:])
    return np.concatenate([norm, norm], -1)


def to_bf16(x):
    """float32 to the nearest bfloat16, ties to even, as bit patterns."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def random_heads(seed, tokens, heads, dim, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal((tokens, heads, dim)).astype(dtype)
