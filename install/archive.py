"""archive.py OUTPUT VERSION_HEADER LIST: writes what is installed as a tar file, the same bytes for the same content.

A line of LIST is `destination<tab>source`. The destination is below the prefix; one that ends with '/' is a folder. In a destination,
and in sources that end with .in, @VERSION@ is the project's version and @MAJOR@ its first number. A source '-> name' is a symbolic link.
Programs and libraries lose the run path that Bazel gave them.
"""

import io
import os
import re
import sys
import tarfile

from install import elf


def read_version(header):
    """The version that base/version.h declares."""
    with open(header, encoding="utf-8") as file:
        match = re.search(r'kVersion\[\] = "([0-9.]+)"', file.read())
    if not match:
        sys.exit("%s: declares no kVersion" % header)
    return match.group(1)


def substitute(text, version):
    return text.replace("@VERSION@", version).replace("@MAJOR@", version.split(".")[0])


def content_of(source, version):
    with open(source, "rb") as file:
        data = file.read()
    if source.endswith(".in"):
        return substitute(data.decode(), version).encode()
    return elf.without_run_path(data) if elf.is_elf(data) else data


def member(destination, source, version):
    """The archive's header and content (None for a link) of one line of the list."""
    if destination.endswith("/"):
        destination += re.sub(r"\.in$", "", os.path.basename(source))
    info = tarfile.TarInfo(substitute(destination, version))
    info.uname = info.gname = "root"
    if source.startswith("-> "):
        info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, substitute(source[3:], version)
        return info, None
    data = content_of(source, version)
    # Libraries are read by the loader alone.
    is_program = os.access(source, os.X_OK) and data[:2] in (b"\x7fE", b"#!") and not destination.startswith("lib/")
    info.size, info.mode = len(data), 0o755 if is_program else 0o644
    return info, data


def main(output, version_header, list_file):
    version = read_version(version_header)
    with open(list_file, encoding="utf-8") as file:
        members = [member(*line.rstrip("\n").split("\t"), version) for line in file]
    names = [info.name for info, _ in members]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        sys.exit("installed twice: %s" % ", ".join(twice))
    with tarfile.open(output, "w", format=tarfile.GNU_FORMAT) as archive:
        for info, data in sorted(members, key=lambda entry: entry[0].name):
            archive.addfile(info, None if data is None else io.BytesIO(data))


if __name__ == "__main__":
    main(*sys.argv[1:])
