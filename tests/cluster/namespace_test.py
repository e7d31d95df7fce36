# SPDX-License-Identifier: Apache-2.0
"""Ranks on three machines with addresses of their own give the bytes of one process; a rank that is killed
or cut off ends the job, leaves nothing half-written, and what is left can be resumed."""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import corpus
import machines

# mpirun itself notices a machine that is gone only by these; the defaults take eight minutes.
KEEPALIVE = ["--mca", "oob_tcp_keepalive_time", "4", "--mca", "oob_tcp_keepalive_intvl", "2",
             "--mca", "oob_tcp_keepalive_probes", "3"]
DEADLINE = 30  # seconds from the loss of a rank to the end of the job
PATIENCE = 600  # seconds that a job may take on a busy computer


class Jobs:
    """Reports of one corpus by several ranks."""

    def __init__(self, cluster: machines.Cluster, sextant: pathlib.Path):
        self.cluster, self.sextant = cluster, sextant
        self.texts = corpus.write(cluster.folder / "texts", 40000)

    def report(self, name: str, *more) -> list[str]:
        return [self.sextant, "report", *self.texts, *corpus.OPTIONS, "-o", self.cluster.folder / name, *more]

    def start(self, hosts: list[int], name: str, *settings) -> subprocess.Popen:
        command = self.cluster.mpirun(hosts, *settings, *self.report(name))
        self.said = open(self.cluster.folder / f"{name}.said", "w+")
        return subprocess.Popen(command, stdout=self.said, stderr=self.said)

    def end(self, job: subprocess.Popen, seconds: float, what: str, killed=False) -> tuple[int, str]:
        """Status and words of a job that must end by itself.

        After a rank was killed mpirun itself stands still at times, all ranks gone: docs/cluster.md.
        """
        try:
            status = job.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            if not killed or ranks():
                sys.exit(f"FAILED: {what}: still there after {seconds:g} s\n{self.words()}")
            print(f"note: {what}: mpirun stands still after its ranks have ended", flush=True)
            job.kill()
            status = 128 + signal.SIGKILL
        return status, self.words()

    def words(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def resume(self, hosts: list[int], name: str):
        if len(hosts) == 1:
            machines.run(*self.cluster.machines[hosts[0]].inside(*self.report(name, "--resume")))
        else:
            machines.run(*self.cluster.mpirun(hosts, *self.report(name, "--resume")), timeout=PATIENCE)


def ranks() -> dict[int, int]:
    """Process id of each rank that runs."""
    return {int(environment["OMPI_COMM_WORLD_RANK"]): pid
            for pid, environment in machines.processes("sextant-mpi").items()
            if "OMPI_COMM_WORLD_RANK" in environment}


def check_launch(cluster: machines.Cluster):
    hosts = machines.run(*cluster.mpirun([0, 1, 2], "hostname")).split()
    machines.check(sorted(hosts) == ["node0", "node1", "node2"], "mpirun starts a command on every machine")
    program = cluster.folder / "ring"
    machines.run("mpicc", pathlib.Path(__file__).with_name("ring.c"), "-o", program)
    before = [machine.bytes_sent() for machine in cluster.machines]
    said = machines.run(*cluster.mpirun([0, 1, 2], program)).splitlines()
    sent = [machine.bytes_sent() - old for machine, old in zip(cluster.machines, before)]
    machines.check(sorted(said) == [f"rank {i} of 3 on node{i}" for i in range(3)], "each rank on its own")
    machines.check(min(sent) > 1 << 20, f"messages cross the network: {sent} bytes")


def check_same_bytes(jobs: Jobs) -> float:
    """Makes the report of one process, `one`, and those of two and three ranks. Seconds of the last."""
    cluster = jobs.cluster
    machines.run(*cluster.machines[0].inside(*jobs.report("one")))
    for hosts in ([1, 2], [0, 1, 2]):
        name = f"ranks{len(hosts)}"
        before = [machine.bytes_sent() for machine in cluster.machines]
        started = time.monotonic()
        status, said = jobs.end(jobs.start(hosts, name), PATIENCE, name)
        seconds = time.monotonic() - started
        machines.check(status == 0, f"{len(hosts)} machines end with 0", said)
        corpus.check_equal(cluster.folder / name, cluster.folder / "one", f"{len(hosts)} machines")
        sent = [cluster.machines[i].bytes_sent() - before[i] for i in hosts]
        machines.check(min(sent) > 200_000, f"counts cross the network: {sent} bytes")
    return seconds


def check_kill(jobs: Jobs, number: int, victim: int, delay: float) -> bool:
    """One rank is killed after a delay. False if the job was done before."""
    name = f"killed{number}"
    folder = jobs.cluster.folder / name
    job = jobs.start([0, 1, 2], name)
    machines.until(lambda: len(ranks()) == 3 or job.poll() is not None, 60, "three ranks start", jobs.words)
    time.sleep(delay)
    pid = ranks().get(victim)
    if pid is None:
        jobs.end(job, PATIENCE, name)
        return False
    os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    status, said = jobs.end(job, DEADLINE, f"rank {victim} killed after {delay:.2f} s", killed=True)
    if status == 0:
        return False  # it had said good-bye already
    what = f"rank {victim} killed after {delay:.2f} s"
    machines.check(status in (137, 10), f"{what}: status {status} after {time.monotonic() - killed:.1f} s", said)
    machines.check(f"rank {victim}" in said, f"{what}: is named", said)
    machines.until(lambda: not ranks(), 10, f"{what}: no rank is left")
    if not corpus.check_unfinished(folder, jobs.cluster.folder / "one", what):
        return False
    hosts = [[1], [2, 0], [0, 1, 2], [0, 1, 2, 0]][number % 4]
    jobs.resume(hosts, name)
    corpus.check_equal(folder, jobs.cluster.folder / "one", f"{what}: resumed by {len(hosts)}")
    return True


def check_kills(jobs: Jobs, count: int, seconds: float):
    draw = random.Random(count)
    done = sum(check_kill(jobs, number, draw.randrange(3), (number + draw.random()) / count * 0.9 * seconds)
               for number in range(count))
    machines.check(done * 2 >= count, f"{done} of {count} kills met a job at work")


def check_stopped_rank(jobs: Jobs):
    """A rank that stands still is lost, though its machine and its connections are there."""
    folder = jobs.cluster.folder / "still"
    job = jobs.start([0, 1, 2], "still")
    machines.until(lambda: len(ranks()) == 3, 60, "three ranks start", jobs.words)
    machines.until((folder / ".checkpoint").exists, 60, "the ranks are at work", jobs.words)
    os.kill(ranks()[1], signal.SIGSTOP)
    status, said = jobs.end(job, DEADLINE, "a rank stands still")
    machines.check(status == 10 and "rank 1 on node1" in said, "a rank stands still: status 10, and it is named",
                   f"{status}\n{said}")
    machines.check(corpus.outputs(folder) == [], "a rank stands still: nothing is written", corpus.outputs(folder))


def check_different_files(jobs: Jobs):
    """One machine has another file under the same name."""
    folder, text, machine = jobs.cluster.folder, jobs.texts[-1], jobs.cluster.machines[2]
    other = folder / "other.txt"
    other.write_text(text.read_text().replace("word1 ", "word2 ", 1))
    machines.run(*machine.inside("mount", "--bind", other, text))
    status, said = jobs.end(jobs.start([0, 1, 2], "files"), PATIENCE, "different files")
    machines.run(*machine.inside("umount", text))
    machines.check(status == 4 and text.name in said and "rank 2" in said,
                   "different files: status 4 with the file and the ranks", f"{status}\n{said}")
    machines.check(corpus.outputs(folder / "files") == [], "different files: nothing is written")


def check_cable(jobs: Jobs, name: str, settings: list[str]):
    """One machine is cut off. The ranks end; with keep-alives mpirun does so too."""
    cluster, folder = jobs.cluster, jobs.cluster.folder / name
    job = jobs.start([0, 1, 2], name, *settings)
    machines.until(lambda: len(ranks()) == 3, 60, "three ranks start", jobs.words)
    machines.until((folder / ".checkpoint").exists, 60, "the ranks are at work", jobs.words)
    cluster.machines[2].pull_cable()
    cut = time.monotonic()
    machines.until(lambda: not {0, 1} & set(ranks()), DEADLINE, "the ranks that are left end", jobs.words)
    print(f"ok: machine cut off: the others end after {time.monotonic() - cut:.1f} s")
    if settings:
        status, said = jobs.end(job, DEADLINE, "a machine is cut off")
        machines.check(status != 0, f"machine cut off: mpirun ends with {status}", said)
    else:
        for _ in range(2):  # the second is meant for a mpirun that waits for the machine
            job.terminate()
            time.sleep(2)
        _, said = jobs.end(job, DEADLINE, "mpirun is told twice to end")
        machines.check("rank 2 on node2" in said, "machine cut off: a rank of the others names it", said)
    machines.until(lambda: not ranks(), DEADLINE, "the rank that was cut off ends")
    machines.check(corpus.outputs(folder) == [], "machine cut off: nothing is written", corpus.outputs(folder))
    cluster.machines[2].plug_in()
    cluster.wait_for_network()
    jobs.resume([0, 2], name)
    corpus.check_equal(folder, cluster.folder / "one", "machine cut off: resumed by 2")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sextant", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    machines.need({"mpirun": "openmpi-bin", "mpicc": "libopenmpi-dev"})
    machines.isolate(options.scratch)
    cluster = machines.Cluster(3, options.scratch)
    check_launch(cluster)
    if not options.sextant.with_name("sextant-mpi").exists():
        machines.skip("no sextant-mpi: built without MPI")
    jobs = Jobs(cluster, options.sextant)
    seconds = check_same_bytes(jobs)
    check_kills(jobs, options.kills, seconds)
    check_different_files(jobs)
    check_stopped_rank(jobs)
    check_cable(jobs, "cut", KEEPALIVE)
    check_cable(jobs, "noticed", [])


main()
