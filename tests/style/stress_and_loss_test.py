# SPDX-License-Identifier: Apache-2.0
"""The study of stress and loss on made-up numbers whose answer is known."""

import gzip
import pathlib
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import stress_and_loss as study
import stress_and_loss_text as text


def row(stress, scale=1.0):
    return {"scale": scale, "stress_raw": stress, "stress_scaled": stress, "stress_corrected": stress}


def encoding(name, stress, losses, drawn=False):
    numbers = None if stress is None else dict.fromkeys(study.STRESSES, stress)
    return {"encoding": name, "drawn": drawn, "losses": {"64": losses}, "profile": None,
            "outcomes": {"loss": losses, "growth": None},
            "stress": {"line": numbers, "brownian": numbers}}


def said(encodings, reorderings=5000):
    """(correlations, sentences) of a study of one task."""
    tables = [each["outcomes"]["loss"] for each in encodings]
    task = {"name": "lm", "encodings": encodings, "reliability": {"loss": study.rs.reliability(tables)}}
    found = study.correlated([task], reorderings, 50)
    document = {"setup": {"reorderings": reorderings}, "tasks": [task], "correlations": found}
    return found, text.sentences(document)["lm"]


class Answers(unittest.TestCase):
    def made(self, loss_of, noise=0.0, count=14):
        draw = random.Random(1)
        return [encoding(f"e{i}", i / count,
                         [loss_of(i / count) + seed + noise * draw.gauss(0, 1) for seed in range(3)])
                for i in range(count)]

    def test_stress_that_predicts_is_found(self):
        found, sentences = said(self.made(lambda stress: 5 + stress ** 3))
        self.assertIn("lower corrected stress goes with lower loss", sentences[0])
        self.assertTrue(all(abs(each["value"] - 1) < 1e-12 for each in found
                            if each["kind"] == "Spearman"))
        # Three stresses, three readings, two kinds, one outcome.
        self.assertEqual(len(found), 18)

    def test_the_opposite_is_called_so(self):
        sentences = said(self.made(lambda stress: 5 - stress))[1]
        self.assertIn("goes with higher loss", sentences[0])

    def test_noise_shows_nothing(self):
        found, sentences = said(self.made(lambda stress: 5, noise=1.0))
        self.assertIn("does not show", sentences[0])
        self.assertTrue(all(each["p_holm"] > 0.05 for each in found))

    def test_drawn_values_can_decide(self):
        # All order is in the drawn ones: without them one loss is like the other.
        same = [encoding(f"f{i}", 0.5 + 0.01 * (i * 5 % 7), [5 + 0.001 * i] * 2) for i in range(7)]
        drawn = [encoding(f"d{i}", 0.6 + 0.1 * i, [6 + i] * 2, drawn=True) for i in range(12)]
        self.assertIn("depends on the reading", said(same + drawn)[1][0])

    def test_what_has_no_stress_is_in_no_correlation(self):
        made = self.made(lambda stress: 5 + stress) + [encoding("none", None, [9.0] * 3)]
        self.assertEqual({each["n"] for each in said(made)[0]}, {14})


class Reading(unittest.TestCase):
    def test_biases_have_two_rules_and_others_one(self):
        rules = {"line": row(0.1), "brownian": row(0.2)}
        self.assertEqual(study.stress_of(rules, "line")["raw"], 0.1)
        self.assertEqual(study.stress_of(rules, "brownian")["raw"], 0.2)
        self.assertEqual(study.stress_of({"rows": row(0.3)}, "brownian")["raw"], 0.3)

    def test_no_distances_no_stress(self):
        self.assertIsNone(study.stress_of({"kernel": row(1.0, scale=0.0)}, "line"))
        self.assertIsNone(study.stress_of({}, "line"))

    def test_a_seed_without_a_loss_leaves_the_length_out(self):
        rows = [{"encoding": "rope", "seed": seed, "length": length, "end": "finished", "fault": "",
                 "loss": None if (seed, length) == (2, 128) else 5.0 + seed}
                for seed in (1, 2) for length in (64, 128)]
        losses, missing = study.losses_of({"rows": rows}, 2)
        self.assertEqual(losses, {"rope": {64: [6.0, 7.0]}})
        self.assertEqual([(each["seed"], each["length"]) for each in missing], [(2, 128)])

    def test_widths_follow_the_site(self):
        sites = {"rope": ["query_key"], "learned": ["input"], "none": []}
        (rows, tables), (head, others) = study.by_width(["none", "rope", "learned:x.npy"], sites)
        self.assertEqual((rows, tables), (study.DIM, ["learned:x.npy"]))
        self.assertEqual((head, others), (study.DIM // study.HEADS, ["none", "rope"]))


class Files(unittest.TestCase):
    def test_rare_words_share_a_name_and_texts_are_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "a.tsv.gz"), pathlib.Path(folder, "b.tsv")
            with gzip.open(source, "wt") as out:
                out.write("1\tA a b c\n0\tb a  d b\n1\te\n")
            study.write_corpus(source, target, 2, 3, 2)
            self.assertEqual(target.read_text(), "1\ta a b\n0\tb a <rare>\n")

    def test_arrays_are_npy(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "a.npy")
            study.write_npy(file, 2, 3, 1.0, random.Random(1))
            data, draw = file.read_bytes(), random.Random(1)
            self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
            self.assertEqual(struct.unpack("<H", data[8:10])[0] + 10, 128)
            self.assertIn(b"'shape': (2, 3)", data[:128])
            self.assertEqual(data[127:128], b"\n")
            self.assertEqual(list(struct.unpack("<6d", data[128:])), [draw.gauss(0, 1) for _ in range(6)])

    def test_encodings_are_enough_and_each_draw_is_used(self):
        self.assertEqual(len(set(study.ENCODINGS)), len(study.ENCODINGS))
        self.assertGreaterEqual(len(study.ENCODINGS), 12)
        for name in study.DRAWS:
            self.assertTrue(any(f"{{task}}-{name}.npy" in spec for spec in study.ENCODINGS), name)


if __name__ == "__main__":
    unittest.main()
