# SPDX-License-Identifier: Apache-2.0
"""A Slurm of the test's own on the machines of a cluster: daemons, key, state and logs in its folder."""

import os
import subprocess

import machines

PROGRAMS = {"munged": "munge", "mungekey": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd",
            "sbatch": "slurm-client", "srun": "slurm-client"}

# More processors than there are: waiting tasks cost nothing. A requeued job waits for cred_expire.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost=node0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=2
MpiDefault=none
NodeName=node[0-{last}] CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Started by the constructor; returns when every machine is idle. All daemons end with the test."""

    def __init__(self, cluster: machines.Cluster):
        self.cluster, self.folder, self.daemons = cluster, cluster.folder / "slurm", []
        size = len(cluster.machines)
        for name in ("", "state", *(f"spool.node{i}" for i in range(size))):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(folder=self.folder, last=size - 1))
        # munged wants folders that nobody else can write to; its own checks are for other set-ups.
        key = self.folder / "munge.key"
        machines.run("mungekey", "--create", f"--keyfile={key}")
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        head = cluster.machines[0]
        self.start(head, "munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                   f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
        machines.until((self.folder / "munge.socket").exists, 20, "munged answers", self.logs)
        self.start(head, "slurmctld", "-D", "-i")
        for machine in cluster.machines:
            self.start(machine, "slurmd", "-D", "-N", machine.name)
        machines.until(lambda: self.states() == ["idle"] * size, 60, "every machine is idle", self.logs)

    def start(self, machine: machines.Machine, *command):
        with open(self.folder / f"{command[0]}.{machine.name}.start", "w") as out:
            self.daemons.append(subprocess.Popen(machine.inside(*command), stdout=out, stderr=out))

    def stop(self):
        """Ends the daemons in the order that lets each say good-bye; each by its own id."""
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def client(self, *command) -> str:
        """A command of the user, on the first machine."""
        return machines.run(*self.cluster.machines[0].inside(*command))

    def states(self) -> list[str]:
        done = subprocess.run(self.cluster.machines[0].inside("sinfo", "--noheader", "-N", "-o", "%t"),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout.split()

    def submit(self, name: str, script: str, *options) -> str:
        """Id of a job; its output is NAME.JOB.out, or NAME.JOB.TASK.out of an array."""
        file = self.folder / f"{name}.sh"
        file.write_text(f"#!/bin/sh\n{script}")
        number = "%A.%a" if any(str(option).startswith("--array") for option in options) else "%j"
        return self.client("sbatch", "--parsable", f"--job-name={name}", "--open-mode=append",
                           f"--output={self.folder}/{name}.{number}.out", *options, file).strip()

    def tasks(self, job: str) -> dict[str, dict[str, str]]:
        """What Slurm knows of a job, or of each task of an array by its number."""
        found = {}
        for line in self.client("scontrol", "--oneliner", "show", "job", job).splitlines():
            facts = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "JobId" in facts:
                found[facts.get("ArrayTaskId", "")] = facts
        return found

    def wait(self, job: str, seconds: float) -> dict[str, str]:
        """State of each task, when none is waiting or running."""
        def ended():
            states = {task: facts["JobState"] for task, facts in self.tasks(job).items()}
            going = {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED", "SUSPENDED"}
            return states if not going & set(states.values()) else None
        return machines.until(ended, seconds, f"job {job} ends",
                              lambda: f"{self.tasks(job)}\n{self.logs()}")

    def said(self, name: str) -> str:
        """What all tasks of a job printed."""
        return "".join(file.read_text() for file in sorted(self.folder.glob(f"{name}.*.out")))

    def logs(self) -> str:
        text = ""
        for file in sorted(file for kind in ("start", "log", "out") for file in self.folder.glob(f"*.{kind}")):
            text += f"== {file.name}\n" + "\n".join(file.read_text().splitlines()[-12:]) + "\n"
        return text
