"""archive.py OUTPUT VERSION_HEADER LIST [LIBRARIES [FOLDER]]: writes what is installed as a tar file, the same bytes for the same content.

A line of LIST is `destination<tab>source`. The destination is below the prefix; one that ends with '/' is a folder. In a destination,
and in sources that end with .in, @VERSION@ is the project's version and @MAJOR@ its first number. A source '-> name' is a symbolic link.
Programs and libraries lose the run path that Bazel gave them, but for folders of lib/synap/; where LIBRARIES names a folder of the archive,
programs get it as theirs, relative to themselves. FOLDER, which ends with '/', is above all of it. An OUTPUT that ends with .xz is compressed.
"""

import io
import lzma
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


def run_path(data, destination, libraries):
    """Where the program or library at a destination looks for libraries first; empty: where the machine has them."""
    folders = [folder for folder in elf.run_path(data).split(":") if "/../lib/synap/" in folder]
    if libraries and not destination.startswith("lib/"):
        folders.append("$ORIGIN/" + os.path.relpath(libraries, os.path.dirname(destination)))
    return ":".join(folders)


def content_of(source, destination, version, libraries):
    with open(source, "rb") as file:
        data = file.read()
    if source.endswith(".in"):
        return substitute(data.decode(), version).encode()
    if not elf.is_elf(data):
        return data
    path = run_path(data, destination, libraries)
    return elf.with_run_path(data, path) if path else elf.without_run_path(data)


def member(destination, source, version, libraries):
    """The archive's header and content (None for a link) of one line of the list."""
    if destination.endswith("/"):
        destination += re.sub(r"\.in$", "", os.path.basename(source))
    info = tarfile.TarInfo(substitute(destination, version))
    info.uname = info.gname = "root"
    if source.startswith("-> "):
        info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, substitute(source[3:], version)
        return info, None
    data = content_of(source, info.name, version, libraries)
    # Libraries are read by the loader alone.
    is_program = os.access(source, os.X_OK) and data[:2] in (b"\x7fE", b"#!") and not destination.startswith("lib/")
    info.size, info.mode = len(data), 0o755 if is_program else 0o644
    return info, data


# A seventh of the time of xz's default and 10% larger. The programs have most of their code in common, which a large dictionary sees.
COMPRESSION = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 24}]


def main(output, version_header, list_file, libraries="", folder=""):
    version = read_version(version_header)
    with open(list_file, encoding="utf-8") as file:
        members = [member(*line.rstrip("\n").split("\t"), version, libraries) for line in file]
    names = [info.name for info, _ in members]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        sys.exit("installed twice: %s" % ", ".join(twice))
    # With a file of its own tarfile can't be told the filters of xz.
    opened = lzma.open(output, "wb", filters=COMPRESSION) if output.endswith(".xz") else open(output, "wb")
    with opened as file, tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, data in sorted(members, key=lambda entry: entry[0].name):
            info.name = folder + info.name
            archive.addfile(info, None if data is None else io.BytesIO(data))


if __name__ == "__main__":
    main(*sys.argv[1:])
