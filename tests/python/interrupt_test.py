# SPDX-License-Identifier: Apache-2.0
"""Long work lets other threads run, and Ctrl-C ends the reading of a corpus."""

import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import sextant


class LongWork(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name, "pipe")

    def tearDown(self):
        self.folder.cleanup()

    def endless(self, stop):
        """Lines into a pipe until the reader goes away or `stop` is set."""
        with open(self.path, "w") as pipe:
            try:
                while not stop.is_set():
                    pipe.write("a b c d e f g h i j\n" * 1000)
                    pipe.flush()
            except BrokenPipeError:
                pass

    def test_an_interrupt_leaves_the_reading_of_a_corpus(self):
        os.mkfifo(self.path)
        stop = threading.Event()
        writer = threading.Thread(target=self.endless, args=(stop,), daemon=True)
        writer.start()
        timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
        guard = threading.Timer(60.0, stop.set)  # a study that does not end is a failure, not a hang
        timer.start()
        guard.start()
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sextant.geometry(self.path, 4, format="text", shuffles=1, threads=1)
        self.assertLess(time.monotonic() - started, 30.0)
        guard.cancel()
        stop.set()
        writer.join(10)

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


if __name__ == "__main__":
    unittest.main()
