# SPDX-License-Identifier: Apache-2.0
"""Long work lets other threads run, and Ctrl-C ends the reading of a corpus."""

import gzip
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import sextant


READS = """
import sextant, sys
print("reads", flush=True)
try:
    sextant.geometry(sys.argv[1], 4, format="text", shuffles=1, threads=1)
except KeyboardInterrupt:
    print("interrupted")
"""


class LongWork(unittest.TestCase):
    def test_an_interrupt_leaves_the_reading_of_a_corpus(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus = pathlib.Path(folder, "text.gz")
            corpus.write_bytes(gzip.compress(b"a b c d e f g h i j\n" * 500000) * 2000)  # 20 GB of text
            with subprocess.Popen([sys.executable, "-c", READS, corpus], stdout=subprocess.PIPE) as reader:
                try:
                    self.assertEqual(reader.stdout.readline(), b"reads\n")
                    time.sleep(1)
                    self.assertIsNone(reader.poll())
                    reader.send_signal(signal.SIGINT)
                    self.assertEqual(reader.communicate(timeout=15)[0], b"interrupted\n")
                finally:
                    reader.kill()

    def test_other_threads_run_meanwhile(self):
        ticks = []
        done = threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.005)

        thread = threading.Thread(target=tick)
        thread.start()
        started = time.monotonic()
        sextant.table("sinusoidal", positions=60000, dim=128, dtype="f64")
        ended = time.monotonic()
        done.set()
        thread.join()
        during = sum(started < t < ended for t in ticks)
        self.assertGreaterEqual(during, (ended - started) / 0.1)

    def test_rules_and_the_catalogue_are_made_without_the_lock(self):
        old, new = sextant.Rotary("rope", 64), sextant.Rotary("rope(base=500000)", 64)
        for work in (lambda: sextant.Rotary("rope", 4096), lambda: sextant.Rotary.between(old, new),
                     sextant.encodings):
            self.assertTrue(self.lets_others_run(work))

    def lets_others_run(self, work):
        """Whether another thread gets the lock, which nobody is asked to give up for a thousand seconds."""
        turns, done = [0], threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1
                time.sleep(0)

        usual = sys.getswitchinterval()
        thread = threading.Thread(target=count)
        thread.start()
        sys.setswitchinterval(1000)
        try:
            time.sleep(0.01)
            before = turns[0]
            for _ in range(200):
                work()
                if turns[0] != before:
                    return True
            return False
        finally:
            sys.setswitchinterval(usual)
            done.set()
            thread.join()


if __name__ == "__main__":
    unittest.main()
