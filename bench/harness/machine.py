"""Where and with what was measured."""

import datetime
import os
import pathlib
import platform
import re
import subprocess

from harness import spread


def facts(root, build, work, peers):
    """Rows of (what, which)."""
    cache = (build / "CMakeCache.txt").read_text()
    rows = [
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("processor", f"{_processor()}, {os.cpu_count()} cores"),
        ("memory", f"{_memory() / spread.GIB:.0f} GiB"),
        ("system", f"{_distribution()}, Linux {platform.release()}"),
        ("files on", _file_system(work)),
        ("load before", " ".join(f"{load:.2f}" for load in os.getloadavg())),
        ("Millrace", f"{_output([build / 'millrace', '--version'], root)}, commit {_commit(root)}"),
        ("compiler", f"{_output([_cached(cache, 'CMAKE_CXX_COMPILER'), '--version'], root)}, "
                     f"{_cached(cache, 'CMAKE_BUILD_TYPE')}"),
        ("OpenSSL linked", _linked_openssl(build, root)),
    ]
    rows += peers.versions.items()
    rows += [(name, f"not measured: {why}") for name, why in peers.missing.items()]
    return rows


def _output(argv, cwd):
    """The first line of what a command prints, or "unknown"."""
    try:
        lines = subprocess.run(argv, check=True, text=True, capture_output=True, cwd=cwd).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return lines[0].strip() if lines else "unknown"


def _cached(cache, name):
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", cache, re.MULTILINE)
    return found.group(1) if found else "unknown"


def _processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    names = [re.search(rf"^{field}\s*: (.*)$", text, re.MULTILINE) for field in ("model name", "cpu family", "model")]
    if not names[0]:
        return platform.machine()
    name = names[0].group(1)
    if names[1] and names[2]:
        name += f" (family {names[1].group(1)} model {names[2].group(1)})"
    return name


def _memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _distribution():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _commit(root):
    commit = _output(["git", "rev-parse", "--short=12", "HEAD"], root)
    changed = _output(["git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/performance.md"], root)
    return commit + ("" if changed == "unknown" else " with changes")


def _file_system(path):
    """The type of the file system that `path` is on."""
    path = str(path.resolve())
    best = ("", "unknown")
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, mount, kind, *_ = line.split()
        if (path + "/").startswith(mount.rstrip("/") + "/") and len(mount) >= len(best[0]):
            best = (mount, kind)
    return best[1]


def _linked_openssl(build, root):
    """The version string inside the libcrypto that the command is linked with."""
    lines = subprocess.run(["ldd", build / "millrace"], text=True, capture_output=True, cwd=root, check=False).stdout
    found = re.search(r"libcrypto\S* => (\S+)", lines)
    if not found:
        return "statically, see the build"
    version = re.search(rb"OpenSSL (\d+\.\d+\.\d+\S*) \d+ \w+ \d{4}", pathlib.Path(found.group(1)).read_bytes())
    return version.group(1).decode() if version else "unknown"
