#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small BERT in numpy, from the paper's formulas and the published names of its weights.

usage: bert_reference.py FOLDER

Leaves FOLDER/model.safetensors (float32, positions for 16 tokens) with the names of the first
checkpoints, FOLDER/encoder.safetensors, the same encoder with the names of later ones, and
FOLDER/expected.safetensors (float64): tokens, present, and what BERT makes of them: hidden
[batch, n, d], pooled [batch, d], logits [batch, n, vocabulary].
"""
import json
import math
import struct
import sys

import numpy as np

VOCABULARY, WIDTH, HEADS, LAYERS, INNER, PLACES, TYPES = 50, 32, 4, 2, 64, 16, 2
EPSILON = 1e-12


def write_safetensors(path, arrays):
    """Eight bytes with the length of a JSON header, the header, the data without gaps."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, array in arrays.items():
        kind = {"float32": "F32", "float64": "F64"}[array.dtype.name]
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())


def random_weights(rng):
    weights = {}

    def dense(name, inputs, outputs):
        weights[name + ".weight"] = rng.normal(0.0, 1.0 / math.sqrt(inputs), (outputs, inputs))
        weights[name + ".bias"] = rng.normal(0.0, 0.3, outputs)

    def norm(name):
        weights[name + ".gamma"] = rng.normal(1.0, 0.2, WIDTH)
        weights[name + ".beta"] = rng.normal(0.0, 0.2, WIDTH)

    for name, rows in (("word", VOCABULARY), ("position", PLACES), ("token_type", TYPES)):
        weights[f"bert.embeddings.{name}_embeddings.weight"] = rng.normal(0.0, 0.7, (rows, WIDTH))
    norm("bert.embeddings.LayerNorm")
    for i in range(LAYERS):
        layer = f"bert.encoder.layer.{i}."
        for name in ("query", "key", "value"):
            dense(layer + "attention.self." + name, WIDTH, WIDTH)
        dense(layer + "attention.output.dense", WIDTH, WIDTH)
        norm(layer + "attention.output.LayerNorm")
        dense(layer + "intermediate.dense", WIDTH, INNER)
        dense(layer + "output.dense", INNER, WIDTH)
        norm(layer + "output.LayerNorm")
    dense("bert.pooler.dense", WIDTH, WIDTH)
    dense("cls.predictions.transform.dense", WIDTH, WIDTH)
    norm("cls.predictions.transform.LayerNorm")
    weights["cls.predictions.bias"] = rng.normal(0.0, 0.3, VOCABULARY)
    dense("cls.seq_relationship", WIDTH, 2)
    return {name: value.astype(np.float32) for name, value in weights.items()}


def later_names(weights):
    """Norms have a weight and a bias, and a model without heads has no prefix."""
    return {
        name[len("bert.") :].replace("gamma", "weight").replace("beta", "bias"): value
        for name, value in weights.items()
        if name.startswith("bert.")
    }


class Bert:
    def __init__(self, weights):
        self.weights = {name: value.astype(np.float64) for name, value in weights.items()}

    def dense(self, name, x):
        product = np.einsum("...i,oi->...o", x, self.weights[name + ".weight"])
        return product + self.weights[name + ".bias"]

    def norm(self, name, x):
        centred = x - np.mean(x, axis=-1, keepdims=True)
        scale = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + EPSILON)
        return self.weights[name + ".gamma"] * (centred / scale) + self.weights[name + ".beta"]

    @staticmethod
    def gelu(x):
        return x * 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))

    def attention(self, name, x, penalty):
        batch, n, _ = x.shape
        size = WIDTH // HEADS
        query, key, value = (
            self.dense(name + "self." + part, x).reshape(batch, n, HEADS, size)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("bshw,bthw->bhst", query, key) / math.sqrt(size) + penalty
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        mixed = np.einsum("bhst,bthw->bshw", shares, value).reshape(batch, n, WIDTH)
        return self.norm(name + "output.LayerNorm", self.dense(name + "output.dense", mixed) + x)

    def hidden(self, tokens, present):
        n = tokens.shape[1]
        table = lambda name: self.weights[f"bert.embeddings.{name}_embeddings.weight"]
        x = table("word")[tokens] + table("position")[np.arange(n)] + table("token_type")[0]
        x = self.norm("bert.embeddings.LayerNorm", x)
        penalty = np.where(present, 0.0, -10000.0)[:, None, None, :]
        for i in range(LAYERS):
            layer = f"bert.encoder.layer.{i}."
            x = self.attention(layer + "attention.", x, penalty)
            inner = self.gelu(self.dense(layer + "intermediate.dense", x))
            x = self.norm(layer + "output.LayerNorm", self.dense(layer + "output.dense", inner) + x)
        return x

    def pooled(self, hidden):
        return np.tanh(self.dense("bert.pooler.dense", hidden[:, 0]))

    def logits(self, hidden):
        x = self.gelu(self.dense("cls.predictions.transform.dense", hidden))
        x = self.norm("cls.predictions.transform.LayerNorm", x)
        words = self.weights["bert.embeddings.word_embeddings.weight"]
        return x @ words.T + self.weights["cls.predictions.bias"]


def main():
    folder = sys.argv[1]
    rng = np.random.default_rng(7)
    weights = random_weights(rng)
    tokens = rng.integers(0, VOCABULARY, (3, 9))
    present = np.arange(9) < np.array([[9], [5], [1]])
    bert = Bert(weights)
    hidden = bert.hidden(tokens, present)
    write_safetensors(folder + "/model.safetensors", weights)
    write_safetensors(folder + "/encoder.safetensors", later_names(weights))
    write_safetensors(
        folder + "/expected.safetensors",
        {
            "tokens": tokens.astype(np.float64),
            "present": present.astype(np.float64),
            "hidden": hidden,
            "pooled": bert.pooled(hidden),
            "logits": bert.logits(hidden),
        },
    )


if __name__ == "__main__":
    main()
