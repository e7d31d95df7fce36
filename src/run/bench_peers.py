# SPDX-License-Identifier: Apache-2.0
"""The work of some cases of `sextant bench` in numpy, torch and scipy, as one writes it there.

usage: python3 -c SCRIPT PLAN

PLAN is JSON: {"threads", "repeats", "tasks": [{"case", "function", "libraries", "sizes", "dtype"}]}.
Writes one line for each library and then for each case, fields parted by tabs:

    library  NAME  VERSION        missing  NAME  REASON
    time  CASE  LIBRARY  SHORTEST  MEDIAN        error  CASE  LIBRARY  REASON

A function returns the work and a check of its answer. Answers are held to what float32 phases can
do, not to ours: the check is there to see that the work is the same.
"""

import sys

# With -c the folder at hand comes first: a file json.py in it would be run.
sys.path[:] = [folder for folder in sys.path if folder]

import importlib
import json
import math
import os
import time

PLAN = json.loads(sys.argv[1])
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(PLAN["threads"])
# Of one thread, as ours: what other programs take does not count.
clock = time.thread_time if PLAN["threads"] == 1 else time.perf_counter
LEAST_SECONDS = 1e-3  # of one time
BASE = 10000.0
LOOSE = 2e-2


def frequency(pair, dim):
    return BASE ** (-2.0 * pair / dim)


def near(found, expected, most=LOOSE):
    return abs(float(found) - expected) <= most * max(1.0, abs(expected))


def rotary_table(np, library, sizes, dtype):
    positions, dim = sizes["positions"], sizes["dim"]
    result = {}

    def work():
        if library == "torch":
            steps = BASE ** (-np.arange(0, dim, 2, dtype=np.float32) / dim)
            angles = np.outer(np.arange(positions, dtype=np.float32), steps)
        else:
            steps = np.float32(BASE) ** (-np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))
            angles = np.multiply.outer(np.arange(positions, dtype=np.float32), steps)
        result["cos"], result["sin"] = np.cos(angles), np.sin(angles)

    def right():
        t, j = 1000, 7
        return (near(result["cos"][t, j], math.cos(t * frequency(j, dim)))
                and near(result["sin"][t, j], math.sin(t * frequency(j, dim))))

    return work, right


def rotary(np, library, sizes, dtype):
    """q and k [tokens, heads, dim] out of place, with a table that is there, as models do it."""
    tokens, dim, first = sizes["tokens"], sizes["dim"], sizes["first"]
    interleaved = sizes["interleaved"] == 1
    pairs = dim // 2
    steps = [frequency(j, dim) for j in range(pairs)]
    torch = np if library == "torch" else None
    if torch:
        kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
        at = torch.arange(first, first + tokens, dtype=torch.float64)
        angles = torch.outer(at, torch.tensor(steps, dtype=torch.float64))
        cos, sin = angles.cos().to(kind)[:, None, :], angles.sin().to(kind)[:, None, :]
        both = [torch.full((tokens, sizes[heads], dim), 0.5, dtype=kind)
                for heads in ("query_heads", "key_heads")]
    else:
        angles = np.multiply.outer(np.arange(first, first + tokens, dtype=np.float64), steps)
        cos = np.cos(angles).astype(np.float32)[:, None, :]
        sin = np.sin(angles).astype(np.float32)[:, None, :]
        both = [np.full((tokens, sizes[heads], dim), 0.5, dtype=np.float32)
                for heads in ("query_heads", "key_heads")]
    result = []

    def turned(x):
        if interleaved:
            a, b = x[..., 0::2], x[..., 1::2]
        else:
            a, b = x[..., :pairs], x[..., pairs:]
        left, right = a * cos - b * sin, a * sin + b * cos
        if interleaved:
            if torch:
                return torch.stack((left, right), dim=-1).flatten(-2)
            return np.stack((left, right), axis=-1).reshape(x.shape)
        return torch.cat((left, right), dim=-1) if torch else np.concatenate((left, right), axis=-1)

    def work():
        result[:] = [turned(x) for x in both]

    def right():
        angle = (first + tokens - 1) * steps[3]
        return near(result[1][-1, -1, 6 if interleaved else 3],
                    0.5 * math.cos(angle) - 0.5 * math.sin(angle))

    return work, right


def alibi(np, library, sizes, dtype):
    heads, n = sizes["heads"], sizes["n"]
    slopes = [2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]
    result = {}

    def work():
        at = np.arange(n, dtype=np.float32)
        lags = (abs(at[:, None] - at) if library == "numpy" else (at[:, None] - at).abs())
        column = (np.array if library == "numpy" else np.tensor)(slopes, dtype=np.float32)
        result["bias"] = -column[:, None, None] * lags

    def right():
        return near(result["bias"][1, n - 1, 3], -slopes[1] * (n - 4), 1e-6)

    return work, right


def stress(np, library, sizes, dtype):
    n, dim = sizes["n"], sizes["dim"]
    where = {"dtype": np.float32}
    at = np.arange(n, **where)[:, None]
    steps = BASE ** (-np.arange(0, dim, 2, **where) / dim)
    angles = at * steps
    join = np.concatenate if library == "numpy" else np.cat
    x = join((np.sin(angles), np.cos(angles)), 1)
    target = abs(at - at.T) / n
    result = {}

    def work():
        squares = (x * x).sum(1)
        squared = squares[:, None] + squares - 2 * (x @ x.T)
        zero = np.zeros_like(squared[:1, :1])
        e = np.sqrt(np.maximum(squared, zero))
        de, ee, dd = (target * e).sum(), (e * e).sum(), (target * target).sum()
        miss = target - e
        result["e"], result["raw"] = e, (miss * miss).sum() / dd
        result["scaled"] = 1 - de * de / (dd * ee)

    def right():
        exact = math.sqrt(sum(2.0 - 2.0 * math.cos(5 * frequency(j, dim)) for j in range(dim // 2)))
        return near(result["e"][2, 7], exact) and 0.0 < float(result["scaled"]) < 1.0

    return work, right


def generator(np, d):
    """Damped rotations in blocks: what matters for the cost is the spectrum."""
    x = np.zeros((d, d))
    for i in range(0, d, 2):
        w = BASE ** (-i / d)
        x[i, i] = x[i + 1, i + 1] = -0.01 * w
        x[i + 1, i], x[i, i + 1] = w, -w
    q = np.linalg.qr(np.cos(np.arange(d * d, dtype=float).reshape(d, d) ** 1.5))[0]
    return q @ x @ q.T, q


def turned_exactly(np, q, t, vector):
    d = len(vector)
    z = q.T @ vector
    for i in range(0, d, 2):
        w = BASE ** (-i / d)
        c, s, m = math.cos(t * w), math.sin(t * w), math.exp(-0.01 * w * t)
        z[i], z[i + 1] = m * (c * z[i] - s * z[i + 1]), m * (s * z[i] + c * z[i + 1])
    return q @ z


def exponentials(library_module, library, sizes, dtype):
    d, times = sizes["d"], sizes["times"]
    np = importlib.import_module("numpy")
    x, q = generator(np, d)
    vector = np.cos(np.arange(d))
    result = []
    if library == "torch":
        tensor = library_module.from_numpy(np.ascontiguousarray(x))

        def work():
            result[:] = [library_module.matrix_exp((i + 0.25) * tensor) for i in range(times)]
    else:
        expm = importlib.import_module("scipy.linalg").expm

        def work():
            result[:] = [expm((i + 0.25) * x) for i in range(times)]

    def right():
        found = np.asarray(result[5]) @ vector
        return bool(np.allclose(found, turned_exactly(np, q, 5.25, vector), atol=1e-8))

    return work, right


def exponential_images(library_module, library, sizes, dtype):
    d, times = sizes["d"], sizes["times"]
    np = importlib.import_module("numpy")
    multiply = importlib.import_module("scipy.sparse.linalg").expm_multiply
    x, q = generator(np, d)
    vector = np.cos(np.arange(d))
    result = []

    def work():
        result[:] = [multiply((i + 0.25) * x, vector) for i in range(times)]

    def right():
        return bool(np.allclose(result[5], turned_exactly(np, q, 5.25, vector), atol=1e-8))

    return work, right


def timed(work):
    """Seconds of one run, and how many runs one time takes."""
    calls = 1
    while True:
        start = clock()
        for _ in range(calls):
            work()
        seconds = clock() - start
        if seconds >= LEAST_SECONDS or calls >= 1 << 20:
            return seconds / calls, calls
        calls *= 2


def times_of(work, repeats):
    seconds, calls = timed(work)
    result = [seconds]
    for _ in range(repeats - 1):
        start = clock()
        for _ in range(calls):
            work()
        result.append((clock() - start) / calls)
    return sorted(result)


def say(*fields):
    print("\t".join(" ".join(str(field).split()) for field in fields), flush=True)


def run(task, library, module):
    try:
        work, right = globals()[task["function"]](module, library, task["sizes"], task["dtype"])
        work()
        if not right():
            say("error", task["case"], library, "wrong answer, not timed")
            return
        times = times_of(work, PLAN["repeats"])
        say("time", task["case"], library, repr(times[0]), repr(times[(len(times) - 1) // 2]))
    except Exception as error:  # a row of its own; the others go on
        say("error", task["case"], library, f"{type(error).__name__}: {error}")


def main():
    wanted = []
    for task in PLAN["tasks"]:
        wanted += [name for name in task["libraries"] if name not in wanted]
    for library in wanted:
        try:
            module = importlib.import_module(library)
        except Exception as error:
            say("missing", library, error)
            continue
        if library == "torch":
            module.set_num_threads(PLAN["threads"])
            module.set_grad_enabled(False)
        say("library", library, module.__version__)
        for task in PLAN["tasks"]:
            if library in task["libraries"]:
                run(task, library, module)


main()
