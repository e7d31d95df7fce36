# SPDX-License-Identifier: Apache-2.0
"""A Slurm with three machines runs what docs/cluster.md says: an array that counts, tasks that are stopped
and killed and go on, the report from merged counts, and ranks by mpirun and by srun."""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import time

import corpus
import machines
import slurm

SHARDS = 4
PATIENCE = 600  # seconds that a job may take on a busy computer
# mpirun asks for these because the test is root and its machines share two cores.
AS_ROOT = ("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
           "export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_pml=ob1\n"
           "export OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_hwloc_base_binding_policy=none\n")
COUNTING = [option for option in corpus.OPTIONS if option not in corpus.SCORING]


class Test:
    def __init__(self, cluster: machines.Cluster, sextant: pathlib.Path):
        self.folder, self.sextant = cluster.folder, sextant
        self.texts = " ".join(map(str, corpus.write(cluster.folder / "texts", 60000)))
        self.slurm = slurm.Slurm(cluster)
        machines.check(True, "slurmctld and three slurmd are up")

    def report(self, corpus_files: str, name: str, *options) -> str:
        words = [self.sextant, "report", corpus_files, *map(repr, corpus.OPTIONS), "-o", self.folder / name,
                 *options]
        return " ".join(map(str, words)) + "\n"

    def count(self, name: str) -> str:
        return (f"{self.sextant} count {self.texts} {' '.join(COUNTING)} --shard slurm-array --resume "
                f"-o '{self.folder}/{name}.{{shard}}.counts'\n")

    def submit_counting(self, name: str) -> str:
        # A task that was stopped asks for another turn, as on the page.
        script = (f'srun {self.count(name)}status=$?\n'
                  '[ $status -ne 8 ] || scontrol requeue "$SLURM_JOB_ID"\nexit $status\n')
        return self.slurm.submit(name, script, f"--array=0-{SHARDS - 1}", "--ntasks=1", "--requeue")

    def check_counted(self, job: str, name: str):
        states = self.slurm.wait(job, PATIENCE)
        machines.check(states == {str(i): "COMPLETED" for i in range(SHARDS)},
                       f"{name}: every task ends well", f"{states}\n{self.slurm.said(name)}")
        parts = [self.folder / f"{name}.{i}.counts" for i in (2, 0, 3, 1)]
        merged = self.folder / f"{name}.counts"
        self.slurm.client(self.sextant, "merge", *parts, "-o", merged, "--quiet")
        machines.run("sh", "-c", self.report(str(merged), f"{name}.report"))
        corpus.check_equal(self.folder / f"{name}.report", self.folder / "one", f"{name}: merged counts")

    def counting(self, job: str, tasks: set[int]) -> dict[int, int]:
        """Processes that count for these tasks, held while each reads a text."""
        held = {}

        def all_held() -> bool:  # a task takes less than a second: all are looked for at once
            for pid, environment in machines.processes("sextant").items():
                task = int(environment.get("SLURM_ARRAY_TASK_ID", -1))
                if environment.get("SLURM_ARRAY_JOB_ID") == job and task in tasks - held.keys():
                    os.kill(pid, signal.SIGSTOP)
                    held[task] = pid
            return held.keys() == tasks

        machines.until(all_held, PATIENCE, f"tasks {tasks} count", self.slurm.logs, pause=0.005)
        for task, pid in held.items():
            def reads() -> bool:
                if open_file_below(pid, self.folder / "texts"):
                    return True
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.002)
                os.kill(pid, signal.SIGSTOP)
                return False
            machines.until(reads, 60, f"task {task} reads a text", pause=0.0)
        return held


def open_file_below(pid: int, folder: pathlib.Path) -> bool:
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            if pathlib.Path(os.readlink(link)).is_relative_to(folder):
                return True
        except OSError:
            continue
    return False


def check_array(test: Test):
    job = test.submit_counting("array")
    test.check_counted(job, "array")


def check_stopped_and_killed(test: Test):
    """One task gets what a time limit sends, one is cancelled, one is killed as for memory; all go on."""
    job = test.submit_counting("stopped")
    ends = {1: lambda _: test.slurm.client("scancel", "--signal=TERM", f"{job}_1"),
            2: lambda _: test.slurm.client("scancel", "--signal=KILL", f"{job}_2"),
            3: lambda pid: os.kill(pid, signal.SIGKILL)}
    for task, pid in test.counting(job, set(ends)).items():
        ends[task](pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    for task, state in ((2, "CANCELLED"), (3, "FAILED")):
        machines.until(lambda: test.slurm.tasks(job)[str(task)]["JobState"] == state, 60,
                       f"task {task} is {state}", test.slurm.logs)
        machines.check(not (test.folder / f"stopped.{task}.counts").exists(), f"{state}: nothing is written")
        test.slurm.client("scontrol", "requeue", f"{job}_{task}")
    test.check_counted(job, "stopped")
    restarts = {task: facts["Restarts"] for task, facts in test.slurm.tasks(job).items()}
    machines.check(restarts == {"0": "0", "1": "1", "2": "1", "3": "1"}, "all three had another turn", restarts)


def check_ranks(test: Test, name: str, launcher: str):
    job = test.slurm.submit(name, AS_ROOT + f"{launcher} {test.report(test.texts, name)}", "--nodes=3",
                            "--ntasks-per-node=1")
    states = test.slurm.wait(job, PATIENCE)
    machines.check(states == {"": "COMPLETED"}, f"{launcher}: ends well", f"{states}\n{test.slurm.said(name)}")
    corpus.check_equal(test.folder / name, test.folder / "one", launcher)


def check_killed_rank(test: Test):
    """The job of a rank that is killed fails at once, and the next one goes on with other ranks."""
    job = test.slurm.submit("killed", AS_ROOT + f"mpirun {test.report(test.texts, 'killed')}", "--nodes=3",
                            "--ntasks-per-node=1")
    pid = machines.until(lambda: next((pid for pid, environment in machines.processes("sextant-mpi").items()
                                       if environment.get("OMPI_COMM_WORLD_RANK") == "1"), None),
                         PATIENCE, "a rank runs", test.slurm.logs)
    machines.until((test.folder / "killed" / ".checkpoint").exists, 60, "it is at work", test.slurm.logs)
    os.kill(pid, signal.SIGKILL)
    states = test.slurm.wait(job, 30)
    code = test.slurm.tasks(job)[""]["ExitCode"]
    machines.check(states == {"": "FAILED"} and code in ("137:0", "10:0"),
                   f"a killed rank ends the job: {states} {code}")
    machines.check(corpus.outputs(test.folder / "killed") == [], "a killed rank leaves no output")
    job = test.slurm.submit("killed", AS_ROOT + f"mpirun {test.report(test.texts, 'killed', '--resume')}",
                            "--nodes=2", "--ntasks-per-node=1")
    states = test.slurm.wait(job, PATIENCE)
    machines.check(states == {"": "COMPLETED"}, "a killed rank: two others go on", f"{states}\n{test.slurm.said('killed')}")
    corpus.check_equal(test.folder / "killed", test.folder / "one", "a killed rank: resumed by two")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sextant", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    options = parser.parse_args()
    machines.need(slurm.PROGRAMS)
    machines.isolate(options.scratch)
    cluster = machines.Cluster(3, options.scratch)
    test = Test(cluster, options.sextant)
    try:
        machines.run("sh", "-c", test.report(test.texts, "one"))
        check_array(test)
        check_stopped_and_killed(test)
        if not options.sextant.with_name("sextant-mpi").exists():
            machines.skip("no sextant-mpi: built without MPI")
        machines.need({"mpirun": "openmpi-bin"})
        check_ranks(test, "mpirun", "mpirun")
        if "pmix" in subprocess.run(cluster.machines[0].inside("srun", "--mpi=list"), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True).stdout:
            check_ranks(test, "srun", "srun --mpi=pmix")
        else:
            print("not run: this Slurm has no pmix")
        check_killed_rank(test)
    finally:
        test.slurm.stop()
    machines.check(not machines.processes("slurmd-wlm") and not machines.processes("slurmctld-wlm"),
                   "all daemons ended")


main()
