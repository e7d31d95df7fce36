#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the stress of an encoding, measured without training, predict the loss of trained models?

usage: stress_and_loss.py --sextant PROGRAM --imdb FILE --sst2 FILE -o DIR [--seeds 3] [--quick]

FILE has a label, a tab and a text in each line, plain or .gz. Small transformers are trained with
each encoding of ENCODINGS on the next words of IMDB and on the labels of SST-2; their losses are
correlated, across encodings, with stress and with the extrapolation profile. DIR gets
stress-and-loss.json, stress-and-loss.md and all that they come from; the same command goes on
after a stop. Models and geometry see the same words: rare ones are replaced before either.
"""

import argparse
import array
import collections
import dataclasses
import gzip
import json
import pathlib
import random
import re
import signal
import subprocess
import sys

import rank_statistics as rs
from stress_and_loss_text import markdown, sentences

# The model and its training; everything else is the default of `sextant train`.
LAYERS, DIM, HEADS, HIDDEN = 2, 64, 4, 128
BATCH, RATE, WARM_UP = 16, 1e-3, 100
VOCABULARY = 2000  # words that keep their name
RARE = "<rare>"
MDS_RANK = 8
REORDERINGS, BOOTSTRAPS, SEED = 100_000, 4000, 1
DIGITS = 9  # of predictors: what differs by rounding only has one rank


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    spec: str
    train: int
    tests: tuple[int, ...]  # the first is the training length
    steps: int
    test_sequences: int  # of each length; the same ones for all encodings of a seed
    causal: bool
    count: str  # `--length` of the geometry: the sequences that the model sees at a position


# cut=start: position i is the i-th word of a text, as in the geometry. Windows from anywhere have
# the same law at every position, and no geometry.
TASKS = (Task("lm", "lm(cut=start)", 64, (64, 128, 256), 800, 300, True, "at-least"),
         Task("classify", "classify", 32, (32,), 600, 1000, False, "any"))
QUICK_TASKS = (Task("lm", "lm(cut=start)", 16, (16, 32, 64), 20, 50, True, "at-least"),
               Task("classify", "classify", 16, (16,), 20, 50, False, "any"))
QUICK_TEXTS, QUICK_VOCABULARY, QUICK_REORDERINGS = 3000, 200, 2000

# {task} stands for files that are made for each task; those of DRAWS hold values at the start of
# training, drawn here because an encoding without values has no stress.
ENCODINGS = (
    "none", "sinusoidal", "sinusoidal(base=100)", "wavelet", "legendre", "random",
    "mds(file={task}-mds.npy,beyond=clamp)", "mds(file={task}-mds.npy,rank=2,beyond=clamp)",
    "learned(file={task}-learned.npy,beyond=clamp)",
    "rope", "rope(base=100)", "xpos", "decay", "spiral", "jordan",
    "alibi", "kerple", "sandwich", "t5:{task}-t5.npy", "bias:{task}-bias.npy",
    "fire(file={task}-fire.npy,threshold=64)", "shaw:{task}-shaw.npy",
)
# Rows, columns and deviation: the shapes of docs/lab.md, the deviations of the catalogue.
DRAWS = {
    "learned": (None, DIM, 0.02),  # as many rows as training has positions
    "t5": (32, HEADS, 1.0),
    "bias": (2 * 64 + 1, HEADS, 1.0),
    "fire": (HEADS, 3 * 32 + 1, 1.0),
    "shaw": (2 * 16 + 1, DIM // HEADS, (DIM // HEADS) ** -0.5),
}
STRESSES = ("raw", "scaled", "corrected")
PROFILES = ("departures", "gram drift", "weight beyond", "shared positions")
ALL, BROWNIAN, NOT_DRAWN = "all", "all, biases as brownian", "without drawn values"


def name_of(spec):
    return re.match(r"\w+", spec)[0]


def is_drawn(spec):
    return name_of(spec) in DRAWS


class Program:
    """`sextant`, started in the folder of the study so that specs name files without folders."""

    def __init__(self, path, folder):
        self.path, self.folder, self.commands = path, folder, []

    def document(self, *arguments):
        arguments = [str(each) for each in arguments]
        self.commands.append(["sextant", *arguments])
        print("sextant", *arguments, file=sys.stderr, flush=True)
        done = subprocess.run([self.path, *arguments, "--json"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE)
        # One encoding that fails makes the status of the whole; its document says which.
        if done.returncode != 0 and not done.stdout.startswith("{"):
            sys.exit(f"stress_and_loss: {arguments[0]} ended with status {done.returncode}; "
                     "the same command goes on")
        return json.loads(done.stdout)


def write_corpus(source, target, vocabulary, most_words, most_texts):
    """Label and text of each line in lower case, cut, with RARE for all but the frequent words."""
    opened = gzip.open if source.suffix == ".gz" else open
    texts, counts = [], collections.Counter()
    with opened(source, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if most_texts is not None and len(texts) == most_texts:
                break
            label, _, text = line.rstrip("\n").partition("\t")
            words = text.lower().split()
            counts.update(words)
            texts.append((label, words[:most_words]))
    # By count, then by name, so that a tie does not depend on the order of the file.
    kept = set(sorted(counts, key=lambda word: (-counts[word], word))[:vocabulary])
    with open(target, "w", encoding="utf-8", newline="\n") as out:
        for label, words in texts:
            out.write(label + "\t" + " ".join(w if w in kept else RARE for w in words) + "\n")


def write_npy(path, rows, columns, deviation, draw):
    header = repr({"descr": "<f8", "fortran_order": False, "shape": (rows, columns)})
    header = header.ljust(117) + "\n"  # 10 bytes before it: 128 in all
    values = array.array("d", (draw.gauss(0.0, deviation) for _ in range(rows * columns)))
    if sys.byteorder == "big":
        values.byteswap()
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                     header.encode("ascii") + values.tobytes())


def make_files(program, task, corpus):
    for number, (name, (rows, columns, deviation)) in enumerate(DRAWS.items()):
        write_npy(program.folder / f"{task.name}-{name}.npy", rows or task.train, columns, deviation,
                  random.Random(SEED + number))
    program.document("fit", corpus, "--positions", task.train, "--length", task.count, "--rank",
                     MDS_RANK, "--corrected", "--no-intervals", "-o", f"{task.name}-mds.npy", "--force")


def trained(program, task, corpus, specs, seeds):
    labels = [] if task.name == "lm" else ["--label-column", 1]
    return program.document(
        "train", task.spec, corpus, *labels, "--encodings", ",".join(specs),
        "--train", task.train, "--test", ",".join(map(str, task.tests)), "--seeds", seeds,
        "--steps", task.steps, "--batch", BATCH, "--rate", RATE,
        "--warm-up", min(WARM_UP, task.steps // 2), "--layers", LAYERS, "--dim", DIM,
        "--heads", HEADS, "--hidden", HIDDEN, "--test-sequences", task.test_sequences,
        "--metric", "loss", "-o", f"{task.name}-train", "--resume")


def by_width(specs, sites):
    """Rows have the width of the model, queries and keys that of a head."""
    rows = [spec for spec in specs if "input" in sites[name_of(spec)]]
    return (DIM, rows), (DIM // HEADS, [spec for spec in specs if spec not in rows])


def scored(program, task, corpus, specs, sites, positions):
    """({spec: {rule: row}}, facts of the geometry). A rule without distances has scale 0."""
    found, facts = {spec: {} for spec in specs}, {}
    for width, group in by_width(specs, sites):
        document = program.document(
            "score", corpus, "--positions", positions, "--length", task.count, "--encodings",
            ",".join(group), "--dim", width, "--heads", HEADS, "--train", task.train,
            "--no-intervals")
        for row in document["rows"]:
            if row["encoding"] in group and row["error"] is None:
                found[row["encoding"]][row["geometry"]] = row
        target = document["target"]
        facts = {"positions": positions, "sequences": document["corpus"]["used"],
                 "left_out": len(document["excluded"])}
        facts |= {key: target[key] for key in ("signal_fraction", "stationary_floor", "ceiling")}
    return found, facts


def stress_of(rules, rule_of_biases):
    """Stress of one encoding, or None where all its distances are 0, or negative and so made 0."""
    row = rules.get(rule_of_biases) or next(
        (each for rule, each in rules.items() if rule not in ("line", "brownian")), None)
    if row is None or row["scale"] == 0.0:
        return None
    return {kind: round(row[f"stress_{kind}"], DIGITS) for kind in STRESSES}


def profiled(program, task, specs, sites):
    """{spec: numbers at the last position}, without those that end before it."""
    to, found = task.tests[-1], {}
    for width, group in by_width(specs, sites):
        document = program.document("profile", *group, "--train", task.train, "--to", to, "--dim",
                                    width, "--heads", HEADS)
        last = {row["encoding"]: row for row in document["rows"] if row["position"] == to - 1}
        for each in document["encodings"]:
            row = last.get(each["encoding"])
            if row is not None and not each["reason"]:
                left = [m for m in each["first_departure"].values() if m["position"] is not None]
                numbers = (len(left), row["gram_drift"], row["weight_beyond"], 1 - each["distinct"] / to)
                found[each["encoding"]] = {name: None if value is None else round(value, DIGITS)
                                           for name, value in zip(PROFILES, numbers)}
    return found


def losses_of(document, seeds):
    """({spec: {length: loss of each seed}}, what is missing and why)."""
    found, missing = collections.defaultdict(lambda: collections.defaultdict(list)), []
    for row in document["rows"]:
        if row["loss"] is None:
            missing.append({"encoding": row["encoding"], "seed": row["seed"],
                            "length": row["length"], "reason": row["fault"] or row["end"]})
        else:
            found[row["encoding"]][row["length"]].append(row["loss"])
    whole = {spec: {length: losses for length, losses in by_length.items() if len(losses) == seeds}
             for spec, by_length in found.items()}
    return whole, missing


def measured(program, task, corpus, sites, causal_only, seeds):
    """All numbers of one task: what is in `tasks` of the document."""
    make_files(program, task, corpus)
    asked = [spec.format(task=task.name) for spec in ENCODINGS
             if task.causal or name_of(spec) not in causal_only]
    document = trained(program, task, corpus, asked, seeds)
    losses, missing = losses_of(document, seeds)
    if not losses:
        sys.exit(f"stress_and_loss: no trial of {task.name} has a loss: {missing[0]['reason']}")
    specs = document["options"]["encodings"]
    rules, geometry = scored(program, task, corpus, specs, sites, task.train)
    beyond = len(task.tests) > 1
    profiles = profiled(program, task, specs, sites) if beyond else {}
    encodings = []
    for spec in specs:
        by_length = losses.get(spec, {})
        at_train, at_last = by_length.get(task.train), by_length.get(task.tests[-1])
        grown = [b - a for a, b in zip(at_train, at_last)] if beyond and at_train and at_last else None
        encodings.append({
            "encoding": spec, "drawn": is_drawn(spec),
            "losses": {str(length): each for length, each in by_length.items()},
            "outcomes": {"loss": at_train, "growth": grown},
            "stress": {rule: stress_of(rules[spec], rule) for rule in ("line", "brownian")},
            "profile": profiles.get(spec)})
    return {"name": task.name, "task": document["task"], "setup": dataclasses.asdict(task),
            "geometry": geometry, "baselines": document["baselines"], "missing": missing,
            "left_out_causal_only": [] if task.causal else sorted(causal_only & set(
                map(name_of, ENCODINGS))),
            "encodings": encodings, "provenance": document["provenance"],
            "reliability": {outcome: rs.reliability([
                each["outcomes"][outcome] for each in encodings
                if each["outcomes"][outcome] and each["stress"]["line"]])
                for outcome in (("loss", "growth") if beyond else ("loss",))}}


def predictors(encoding, subset):
    """{name: number} of one encoding; empty where it is not of the subset."""
    if encoding["drawn"] and subset == NOT_DRAWN:
        return {}
    stress = encoding["stress"]["brownian" if subset == BROWNIAN else "line"] or {}
    numbers = {f"{kind} stress": value for kind, value in stress.items()}
    # The profile knows no rule: it is counted once.
    return numbers | ((subset != BROWNIAN and encoding["profile"]) or {})


def correlation(pairs, kind, orders, bootstraps):
    """Of (predictor, losses by seed) pairs: the mean over seeds, and each seed alone."""
    function = rs.spearman if kind == "Spearman" else rs.pearson
    x, y = [a for a, _ in pairs], [rs.mean(b) for _, b in pairs]
    shown = (rs.ranks(x), rs.ranks(y)) if kind == "Spearman" else (x, y)
    reordered, exact = orders(len(x))
    p, critical = rs.permutation_test(*shown, reordered, exact)
    return {"n": len(x), "value": function(x, y), "p": p, "exact": exact, "critical": critical,
            "interval": rs.bootstrap_interval(x, y, function, bootstraps, SEED),
            "by_seed": [function(x, list(each)) for each in zip(*(b for _, b in pairs))]}


def correlated(tasks, reorderings, bootstraps):
    """Every correlation of the study, with Holm's correction over all of them."""
    made, found = {}, []

    def orders(n):
        if n not in made:
            made[n] = rs.reorderings(n, reorderings, SEED)
        return made[n]

    for task in tasks:
        for subset in (ALL, BROWNIAN, NOT_DRAWN):
            for outcome in task["reliability"]:
                names = [f"{kind} stress" for kind in STRESSES]
                for name in names + list(PROFILES if outcome == "growth" else ()):
                    pairs = [(predictors(each, subset).get(name), each["outcomes"][outcome])
                             for each in task["encodings"]]
                    pairs = [(a, b) for a, b in pairs if a is not None and b]
                    if len(pairs) < 3:
                        continue
                    for kind in ("Spearman", "Pearson"):
                        found.append({"task": task["name"], "subset": subset, "outcome": outcome,
                                      "predictor": name, "kind": kind} |
                                     correlation(pairs, kind, orders, bootstraps))
    for each, p in zip(found, rs.holm([each["p"] for each in found])):
        each["p_holm"] = p
    return found


def study(program, options, folder):
    catalogue = program.document("encodings")["encodings"]
    sites = {each["name"]: each["sites"] for each in catalogue}
    causal_only = {each["name"] for each in catalogue if each["claims"]["needs_causal_mask"] == "yes"}
    chosen = QUICK_TASKS if options.quick else TASKS
    vocabulary = QUICK_VOCABULARY if options.quick else VOCABULARY
    tasks = []
    for task, source in zip(chosen, (options.imdb, options.sst2)):
        # A model of length n reads n words and predicts the one behind them.
        write_corpus(source, folder / f"{task.name}.tsv", vocabulary, task.tests[-1] + 1,
                     QUICK_TEXTS if options.quick else None)
        tasks.append(measured(program, task, f"{task.name}.tsv", sites, causal_only, options.seeds))
    reorderings = QUICK_REORDERINGS if options.quick else REORDERINGS
    found = correlated(tasks, reorderings, BOOTSTRAPS // (10 if options.quick else 1))
    setup = {"layers": LAYERS, "dim": DIM, "heads": HEADS, "hidden": HIDDEN, "batch": BATCH,
             "rate": RATE, "warm_up": WARM_UP,
             "vocabulary": vocabulary, "mds_rank": MDS_RANK, "reorderings": reorderings,
             "seeds": options.seeds, "quick": options.quick}
    return {"schema": 1, "question": __doc__.partition("\n")[0], "setup": setup, "tasks": tasks,
            "correlations": found, "commands": program.commands}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("--sextant", "--imdb", "--sst2"):
        parser.add_argument(name, type=pathlib.Path, required=True, metavar="FILE")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a few steps: decides nothing")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    # Ctrl-C reaches the program too, which stops in order; that ends this one.
    signal.signal(signal.SIGINT, lambda *_: None)
    document = study(Program(options.sextant.resolve(), options.output), options, options.output)
    document["sentences"] = sentences(document)
    for name, text in (("json", json.dumps(document, indent=1) + "\n"), ("md", markdown(document))):
        (options.output / f"stress-and-loss.{name}").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
