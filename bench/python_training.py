#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps of training in a second, in Python with torch, beside those of training_bench.

usage: python_training.py [TRAINING_BENCH]

The same model: 2 layers, d = 64, 1 head, feed-forward 128, norms after each part, 50 positions,
batches of 32, Adam, gradient clipping, one thread. With the program training_bench the ratio of
ours to Python's is printed. Without the module torch it says so and ends.
"""

import json
import os
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # torch.set_num_threads() does not reach OpenBLAS

try:
    import torch
except ImportError:
    sys.exit("python3-torch is not installed: nothing to compare with")

STEPS, BATCH, LENGTH, DIM, HIDDEN = 100, 32, 50, 64, 128


def sinusoids():
    positions = torch.arange(LENGTH, dtype=torch.float32)[:, None]
    angles = positions * 10000.0 ** (-torch.arange(0, DIM, 2) / DIM)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).reshape(LENGTH, DIM)


def rotated(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (torch.nn.Linear(DIM, DIM) for _ in range(4))
        self.up, self.down = torch.nn.Linear(DIM, HIDDEN), torch.nn.Linear(HIDDEN, DIM)
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(DIM) for _ in range(2))

    def forward(self, x, turn, bias):
        q, k = self.query(x), self.key(x)
        if turn is not None:
            q, k = rotated(q, *turn), rotated(k, *turn)
        logits = q @ k.transpose(-1, -2) / DIM ** 0.5
        if bias is not None:
            logits = logits + bias
        x = self.norms[0](x + self.output(logits.softmax(-1) @ self.value(x)))
        return self.norms[1](x + self.down(self.up(x).relu()))


class Model(torch.nn.Module):
    def __init__(self, encoding):
        super().__init__()
        self.enter, self.leave = torch.nn.Linear(1, DIM), torch.nn.Linear(DIM, 1)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(2))
        self.rows = self.turn = self.bias = None
        if encoding == "sinusoidal":
            self.rows = sinusoids()
        elif encoding == "learned":
            self.rows = torch.nn.Parameter(0.02 * torch.randn(LENGTH, DIM))
        elif encoding == "rope":
            angles = torch.arange(LENGTH)[:, None] * 10000.0 ** (-torch.arange(0, DIM, 2) / DIM)
            self.turn = (angles.cos(), angles.sin())
        elif encoding == "alibi":
            at = torch.arange(LENGTH)
            self.bias = -(at[:, None] - at).abs() / 256.0

    def forward(self, x):
        x = self.enter(x[..., None])
        if self.rows is not None:
            x = x + self.rows
        for layer in self.layers:
            x = layer(x, self.turn, self.bias)
        return self.leave(x)[..., 0]


def steps_per_second(encoding):
    torch.manual_seed(1)
    model = Model(encoding)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = time.perf_counter()
    for _ in range(STEPS):
        x = torch.rand(BATCH, LENGTH)
        loss = (model(x) - x.cumsum(-1) / LENGTH).square().mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return STEPS / (time.perf_counter() - start)


def ours(program):
    """Steps per second by encoding, as training_bench counts them."""
    text = subprocess.run([program, "--benchmark_format=json"], check=True, capture_output=True,
                          text=True).stdout
    return {row["name"].split("/")[0]: row["steps_per_second"]
            for row in json.loads(text)["benchmarks"]}


def main():
    torch.set_num_threads(1)
    found = ours(sys.argv[1]) if len(sys.argv) > 1 else {}
    for encoding in ("none", "sinusoidal", "rope", "alibi", "learned"):
        python = max(steps_per_second(encoding) for _ in range(3))
        line = f"{encoding:12} python {python:7.1f} steps/s"
        if encoding in found:
            line += f", ours {found[encoding]:7.1f}, ratio {found[encoding] / python:.2f}"
        print(line)


if __name__ == "__main__":
    main()
