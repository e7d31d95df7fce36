# SPDX-License-Identifier: Apache-2.0
"""Machines of a cluster on one machine: each has its own network, host name and /tmp.

isolate() starts the test anew below an init of its own, in namespaces of its own. When that init
ends, by whatever means, the kernel ends every process below it and removes every interface and mount:
nothing can be left over, and nothing of the machine itself is touched. Processes of all machines
have one numbering, so that a test sees and ends them as its own.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77
INSIDE = "SEXTANT_TEST_INSIDE"
# Daemons lie where the PATH of a user need not lead.
os.environ["PATH"] += os.pathsep + "/usr/sbin"
os.environ["PMIX_MCA_gds"] = "hash"  # docs/cluster.md
# The init reaps what daemons leave behind, which a program in Python would not.
INIT = ["sh", "-c", '"$@"; exit $?', "init"]


def skip(reason: str):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def check(holds: bool, what: str, more: object = ""):
    """Ends the test with what more there is to say, unless it holds."""
    if not holds:
        sys.exit(f"FAILED: {what}\n{more}".rstrip())
    print(f"ok: {what}", flush=True)


def need(packages: dict[str, str]):
    """Skips the test where a program is missing; the values are its Debian packages."""
    for program, package in packages.items():
        if shutil.which(program) is None:
            skip(f"no {program}; it is in the Debian package {package}")


def isolate(mark: pathlib.Path):
    """Returns in the test below; the first process waits for it and ends with its status.

    The environment of every process below has the mark.
    """
    if INSIDE in os.environ:
        return
    if os.geteuid() != 0:
        skip("network namespaces need root")
    need({"unshare": "util-linux", "nsenter": "util-linux", "setpriv": "util-linux", "ip": "iproute2"})
    # A first process that is killed takes the rest along.
    apart = ["setpriv", "--pdeathsig", "KILL", "unshare", "--fork", "--kill-child", "--pid", "--mount-proc",
             "--net", "--uts", "--ipc"]
    trial = ["sh", "-ec", "ip link add name try type bridge; ip link add one type veth peer name two"]
    tried = subprocess.run([*apart, *trial], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if tried.returncode != 0:
        skip(f"no namespaces with a bridge: {tried.stdout.strip()}")
    below = subprocess.Popen([*apart, *INIT, sys.executable, *sys.argv],
                             env={**os.environ, INSIDE: str(mark), "PYTHONUNBUFFERED": "1"})

    def stop(number, _frame):
        below.kill()
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    sys.exit(below.wait())


def run(*command, **options) -> str:
    """stdout of a command; a failure ends the test with all it said."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"FAILED: status {done.returncode} of {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def until(holds, seconds: float, what: str, report=lambda: "", pause: float = 0.05):
    """Waits for a condition; a test that waits in vain fails and says what of."""
    end = time.monotonic() + seconds
    while not (answer := holds()):
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what}: not within {seconds:g} s\n{report()}")
        time.sleep(pause)
    return answer


class Machine:
    """Namespaces that a sleeping process keeps alive, and a cable to the switch."""

    def __init__(self, number: int, folder: pathlib.Path):
        self.name, self.address, self.port = f"node{number}", f"10.77.0.{number + 1}", f"port{number}"
        # The build may lie below /tmp: then it stays the common one.
        own = [] if folder.is_relative_to("/tmp") else ["/tmp"]
        mounts = "; ".join(f"mount -t tmpfs tmpfs {path}" for path in [*own, "/dev/shm"])
        self.keeper = subprocess.Popen(
            ["unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-ec",
             f"hostname {self.name}; {mounts}; ip link set lo up; echo up; exec sleep infinity"],
            stdout=subprocess.PIPE, text=True, cwd=folder)
        if self.keeper.stdout.readline() != "up\n":
            sys.exit(f"FAILED: {self.name} does not start")
        run("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.keeper.pid)
        run("ip", "link", "set", self.port, "master", "switch", "up")
        run(*self.inside("ip", "address", "add", f"{self.address}/24", "dev", "eth0"))
        run(*self.inside("ip", "link", "set", "eth0", "up"))

    def inside(self, *command) -> list[str]:
        """The command as one of this machine, in the test's folder."""
        return ["nsenter", "--target", str(self.keeper.pid), "--net", "--uts", "--ipc", "--mount", "--wd",
                "--", *map(str, command)]

    def bytes_sent(self) -> int:
        said = json.loads(run(*self.inside("ip", "-json", "-statistics", "link", "show", "eth0")))
        return said[0]["stats64"]["tx"]["bytes"]

    def pull_cable(self):
        run("ip", "link", "set", self.port, "down")

    def plug_in(self):
        run("ip", "link", "set", self.port, "up")

    def reaches(self, other: "Machine") -> bool:
        """Whether a connection is refused by the other machine rather than lost on the way."""
        program = (f"import socket\ntry: socket.create_connection(('{other.address}', 9), 1)\n"
                   "except ConnectionRefusedError: pass")
        tried = subprocess.run(self.inside(sys.executable, "-c", program), stderr=subprocess.DEVNULL)
        return tried.returncode == 0


class Cluster:
    """Machines node0, node1, ... on one switch, which know each other's names; folder is common."""

    def __init__(self, size: int, folder: pathlib.Path):
        assert INSIDE in os.environ, "isolate() comes first"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        hosts = "".join(f"10.77.0.{i + 1} node{i}\n" for i in range(size))
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
        run("mount", "--bind", folder / "hosts", "/etc/hosts")
        run("ip", "link", "add", "name", "switch", "type", "bridge")
        run("ip", "link", "set", "switch", "up")
        self.machines = [Machine(i, folder) for i in range(size)]
        self.agent = folder / "agent"
        cases = "\n".join(f'  {machine.name}) exec {" ".join(machine.inside())} sh -c "$*" ;;'
                          for machine in self.machines)
        self.agent.write_text(f'#!/bin/sh\n# agent HOST COMMAND: what ssh would do.\nhost=$1\nshift\n'
                              f'case $host in\n{cases}\n  *) echo "no machine $host" >&2; exit 255 ;;\nesac\n')
        self.agent.chmod(0o755)
        self.wait_for_network()

    def wait_for_network(self):
        for one in self.machines:
            for other in self.machines:
                until(lambda: one.reaches(other), 30, f"{one.name} reaches {other.name}")

    def mpirun(self, hosts: list[int], *command) -> list[str]:
        """mpirun on the first host with one rank for each, over TCP between the machines."""
        places = ",".join(f"{self.machines[i].name}:{hosts.count(i)}" for i in dict.fromkeys(hosts))
        return self.machines[hosts[0]].inside(
            "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--host", places,
            "-n", len(hosts), "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", self.agent,
            "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0",
            "--mca", "oob_tcp_if_include", "eth0", *command)


def processes(name: str) -> dict[int, dict[str, str]]:
    """Id and environment of each process of a program."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if pathlib.Path(os.readlink(folder / "exe")).name == name:
                pairs = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                found[int(folder.name)] = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return found
