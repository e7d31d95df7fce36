# SPDX-License-Identifier: Apache-2.0
"""Documents are those that the program prints for the same words."""

import inspect
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import sextant

BINARY = os.environ["SEXTANT_BINARY"]
CONFIGS = pathlib.Path(os.environ["SEXTANT_SOURCE_DIR"], "tests", "data", "configs")


def printed(*words, status=(0,)):
    done = subprocess.run([BINARY, *map(str, words), "--json"], capture_output=True)
    assert done.returncode in status, done.stderr
    return json.loads(done.stdout)


class Studies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        rng = np.random.default_rng(5)
        words = [f"w{i}" for i in range(12)]
        lines = [" ".join(rng.choice(words, p=np.roll(np.arange(1, 13) / 78, i)) for i in range(6)) for _ in range(400)]
        cls.text = pathlib.Path(cls.folder.name, "text.txt")
        cls.text.write_text("\n".join(lines) + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_counts_stand_for_their_text(self):
        counts = pathlib.Path(self.folder.name, "text.counts")
        printed("count", self.text, "--positions", 5, "-o", counts)
        self.assertEqual(sextant.score(counts, ["rope"]), sextant.score(self.text, ["rope"], 5))
        with self.assertRaisesRegex(ValueError, "positions: is 4 but the counts were made with 5"):
            sextant.geometry(counts, 4)

    def test_score_is_the_document_of_the_program(self):
        got = sextant.score(self.text, ["rope", "alibi"], positions=6, dim=8, heads=2, seed=3, splits=4, shuffles=3)
        self.assertEqual(got, printed("score", self.text, "--encodings", "rope,alibi", "--positions", 6, "--dim", 8,
                                      "--heads", 2, "--seed", 3, "--splits", 4, "--shuffles", 3))

    def test_specs_may_be_one_text_and_files_a_list(self):
        a = sextant.score([str(self.text)], "rope,t5(buckets=8,distance=16)", 6, dim=8, intervals=False)
        b = printed("score", self.text, "--encodings", "rope,t5(buckets=8,distance=16)", "--positions", 6, "--dim", 8,
                    "--no-intervals")
        self.assertEqual(a, b)

    def test_geometry_is_the_document_of_the_program(self):
        got = sextant.geometry(self.text, 5, against="synthetic:drift", length="any", metric="fisher-rao", tokens="bytes")
        self.assertEqual(got, printed("geometry", self.text, "--positions", 5, "--against", "synthetic:drift",
                                      "--length", "any", "--metric", "fisher-rao", "--tokens", "bytes"))

    def test_mds_fits_what_the_program_fits(self):
        for method, corrected in (("classical", False), ("classical", True), ("smacof", False)):
            mds = sextant.PositionalMDS(3, positions=6, method=method, corrected=corrected)
            self.assertTrue(mds.fit(self.text) is mds)
            file = pathlib.Path(self.folder.name, f"{method}{corrected}.npy")
            document = printed("fit", self.text, "--rank", 3, "--positions", 6, "--method", method, "-o", file,
                               *(["--corrected"] if corrected else []))
            np.testing.assert_array_equal(mds.embedding_, np.load(file))
            np.testing.assert_array_equal(mds.eigenvalues_, document["eigenvalues"])
            self.assertEqual((mds.stress_, mds.converged_), (document["stress_raw"], document["converged"]))
            self.assertEqual((mds.rank_, mds.embedding_.shape), (3, (6, 3)))

    def test_mds_without_a_rank_takes_what_the_data_support(self):
        mds = sextant.PositionalMDS(positions=6).fit(self.text)
        file = pathlib.Path(self.folder.name, "own.npy")
        self.assertEqual(mds.rank_, printed("fit", self.text, "--positions", 6, "-o", file)["rank"])

    def test_mds_has_the_manners_of_an_estimator(self):
        mds = sextant.PositionalMDS(rank=2, positions=6)
        self.assertEqual(mds.get_params()["rank"], 2)
        copy = sextant.PositionalMDS(**mds.get_params())
        self.assertEqual(copy.get_params(), mds.get_params())
        self.assertTrue(copy.set_params(rank=1, tokens="bytes") is copy)
        self.assertEqual(copy.fit_transform(self.text).shape, (6, 1))
        self.assertEqual(set(copy.get_params()), set(mds.get_params()))
        mds.note = "an attribute is no parameter"
        self.assertNotIn("note", mds.get_params())

    def test_mds_reads_a_corpus_as_score_does(self):
        given = set(inspect.signature(sextant.PositionalMDS).parameters)
        shared = set(inspect.signature(sextant.geometry).parameters) - {"corpus", "against", "intervals", "dim"}
        self.assertEqual(shared - given, set())
        mds = sextant.PositionalMDS(2, positions=6, corrected=True, splits=3, shuffles=1, specials="bert",
                                    invalid="replace", skip_bad=5, seed=4)
        file = pathlib.Path(self.folder.name, "options.npy")
        printed("fit", self.text, "--rank", 2, "--positions", 6, "--corrected", "--splits", 3, "--shuffles", 1,
                "--specials", "bert", "--invalid", "replace", "--skip-bad", 5, "--seed", 4, "-o", file)
        np.testing.assert_array_equal(mds.fit(self.text).embedding_, np.load(file))
        with self.assertRaises(MemoryError):
            mds.set_params(mem=10).fit(self.text)


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def saved(self, name, values):
        path = pathlib.Path(self.folder.name, name)
        np.save(path, np.asarray(values, float))
        return path

    def test_generators_encodings_and_kernels_are_as_printed(self):
        spiral = [[-0.1, 2.0], [-2.0, -0.1]]
        self.assertEqual(sextant.classify(spiral, nearest="rotation"),
                         printed("classify", self.saved("x.npy", spiral), "--nearest", "rotation"))
        axes = np.array([[[0, 1], [-1, 0]], [[0, 3], [-3, 0]]])
        self.assertEqual(sextant.classify(axes), printed("classify", self.saved("axes.npy", axes)))
        self.assertEqual(sextant.classify("xpos", dim=8), printed("classify", "xpos", "--dim", 8))
        self.assertEqual(sextant.classify("cope"), printed("classify", "cope"))
        kernel = np.exp(-0.3 * np.arange(20))
        self.assertEqual(sextant.classify(kernel=kernel, nearest="decay"),
                         printed("classify", "--kernel", self.saved("k.npy", kernel), "--nearest", "decay"))
        both = np.exp(-0.3 * abs(np.arange(-9, 10)))
        self.assertEqual(sextant.classify(kernel=both, two_sided=True),
                         printed("classify", "--kernel", self.saved("b.npy", both), "--two-sided"))

    def test_maps_are_as_printed(self):
        t = np.arange(6) * 0.5
        f = np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in t])
        got = sextant.classify(maps=(f, f), at=t)
        self.assertEqual(got["verdict"], "group")
        self.assertEqual(got, printed("classify", "--maps", self.saved("f.npy", f), self.saved("g.npy", f), "--at",
                                      self.saved("t.npy", t)))

    def test_a_rotation_has_its_frequency(self):
        got = sextant.classify(np.array([[0, -0.25], [0.25, 0]]))
        self.assertEqual((got["families"][0]["kind"], got["families"][0]["frequency"]), ("rotation", 0.25))


class Models(unittest.TestCase):
    def test_findings_and_readings_are_as_printed(self):
        configs = sorted(CONFIGS.rglob("*.json"))[:12]
        self.assertTrue(configs)
        for config in configs:
            self.assertEqual(sextant.lint(config), printed("lint", config, status=(0, 1)))
        self.assertEqual(sextant.lint(configs), printed("lint", *configs, status=(0, 1)))
        readable = 0
        for config in configs:
            try:
                got = sextant.inspect(config, engine="hf")
            except sextant.UsageError:
                continue
            readable += 1
            self.assertEqual(got, printed("inspect", config, "--engine", "hf"))
        self.assertGreater(readable, 3)

    def test_rules_choose_what_is_looked_for(self):
        configs = sorted(CONFIGS.rglob("*.json"))
        found = sextant.lint(configs)
        rules = {finding["rule"] for finding in found["findings"]}
        self.assertGreater(len(rules), 1)
        first = sorted(rules)[0]
        self.assertEqual({f["rule"] for f in sextant.lint(configs, rules=[first])["findings"]}, {first})
        self.assertNotIn(first, {f["rule"] for f in sextant.lint(configs, ignore=first)["findings"]})

    def test_a_learned_table_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wpe.npy")
            np.save(path, sextant.table("sinusoidal", 32, dim=16))
            self.assertEqual(sextant.inspect(path), printed("inspect", path))


if __name__ == "__main__":
    unittest.main()
