"""peers.py ZIP_SAMPLES: the archives that we write, read by unzip, 7-Zip, libarchive and Python's zipfile.

The contents of small archives are tested and extracted; of those with gigabytes of zeros the directory is read, and the
entry behind the zeros is extracted.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

PACKAGES = {"unzip": "unzip", "zipinfo": "unzip", "7zz": "7zip", "bsdtar": "libarchive-tools"}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, check=False, **options)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
    return done.stdout


def tree(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def check_fields(archive):
    """What zipfile reads from both headers: they agree, and say what we mean to say."""
    with zipfile.ZipFile(archive) as opened:
        assert opened.comment == b""
        for info in opened.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0), info
            assert info.compress_type == zipfile.ZIP_STORED
            assert info.extract_version == 45 and info.create_system == 3
            assert info.external_attr >> 16 == 0o100644
            assert bool(info.flag_bits & 0x800) == (not info.filename.isascii())
            with opened.open(info):  # compares the local header
                pass


def check_small(archive, expected, work):
    # zipfile verifies the CRC of what it reads.
    with zipfile.ZipFile(archive) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == expected
    listed = run("bsdtar", "-tf", archive).decode().splitlines()
    assert sorted(listed) == sorted(expected), listed
    run("7zz", "t", "-bd", archive)
    extractors = {
        "7zz": lambda out: run("7zz", "x", "-bd", f"-o{out}", archive),
        "bsdtar": lambda out: run("bsdtar", "-xf", archive, "-C", out),
        # A pipe has no directory at its front: local headers, extra fields and descriptors alone must do.
        "bsdtar from a pipe": lambda out: run("bsdtar", "-xf", "-", "-C", out, input=archive.read_bytes()),
    }
    if expected:  # unzip calls an empty archive an error
        run("unzip", "-qt", archive)
        extractors["unzip"] = lambda out: run("unzip", "-q", archive, "-d", out)
    for name, extract in extractors.items():
        out = work / name.replace(" ", "-")
        out.mkdir()
        extract(out)
        assert tree(out) == expected, f"{name}: {archive}"
        for file in out.rglob("*"):
            assert os.stat(file).st_mode & 0o400, f"{name} made an unreadable {file}"
        shutil.rmtree(out)


def check_sparse(archive):
    size = int(archive.stem.split("-")[1])
    manifest = b'{"size": %d}\n' % size
    with zipfile.ZipFile(archive) as opened:
        assert [(info.filename, info.file_size) for info in opened.infolist()] == [
            ("0.payload", size), ("0.manifest.json", len(manifest))]
        assert opened.infolist()[1].header_offset > size
        assert opened.read("0.manifest.json") == manifest
    listed = run("unzip", "-l", archive).decode().split()
    assert str(size) in listed and "0.payload" in listed, listed
    assert str(size) in run("zipinfo", "-l", archive).decode().split()
    assert str(size) in run("7zz", "l", archive).decode().split()
    assert run("bsdtar", "-tf", archive).split() == [b"0.payload", b"0.manifest.json"]
    assert run("unzip", "-p", archive, "0.manifest.json") == manifest
    assert run("7zz", "x", "-so", archive, "0.manifest.json") == manifest
    assert run("bsdtar", "-xOf", archive, "0.manifest.json") == manifest


def main():
    os.environ["LC_ALL"] = "C.UTF-8"  # for the names of files
    for tool, package in PACKAGES.items():
        assert shutil.which(tool), f"{tool} is not installed: scripts/bootstrap test installs the package {package}"
    with tempfile.TemporaryDirectory(prefix="millrace-zip-") as name:
        samples = pathlib.Path(name, "samples")
        work = pathlib.Path(name, "work")
        samples.mkdir()
        work.mkdir()
        run(sys.argv[1], samples)
        archives = sorted(samples.glob("*.zip"))
        assert len(archives) == 18, archives
        for archive in archives:
            print(archive.name, flush=True)
            check_fields(archive)
            if archive.name.startswith("sparse-"):
                check_sparse(archive)
            else:
                check_small(archive, tree(archive.with_suffix("")), work)


if __name__ == "__main__":
    main()
