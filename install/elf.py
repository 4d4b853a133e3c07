"""Dynamic section of programs and shared libraries: 64-bit little-endian ELF files."""

import struct

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 0, 1, 5, 15, 29

# Debian's names of the processors, by e_machine.
ARCHITECTURES = {62: "amd64", 183: "arm64"}


def is_elf(data):
    return data[:6] == b"\x7fELF\x02\x01"


def architecture(data):
    """Debian's name of the file's processor."""
    return ARCHITECTURES[struct.unpack_from("<H", data, 18)[0]]


def _segments(data):
    """(type, offset, address, size in the file) of each program header."""
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        yield kind, start, address, length


def _dynamic(data):
    """The entries of the dynamic section, (tag, value), and its place; nothing for a file without one."""
    for kind, start, _, length in _segments(data):
        if kind == _PT_DYNAMIC:
            entries = [struct.unpack_from("<QQ", data, at) for at in range(start, start + length, 16)]
            return entries, start
    return [], 0


def _offset(data, address):
    for kind, start, base, length in _segments(data):
        if kind == _PT_LOAD and base <= address < base + length:
            return start + address - base
    raise ValueError("address %#x is in no segment of the file" % address)


def needed(data):
    """Names of the shared libraries that the file asks the loader for, in their order."""
    entries, _ = _dynamic(data)
    tables = [value for tag, value in entries if tag == _DT_STRTAB]
    if not tables:
        return []
    names = _offset(data, tables[0])
    return [data[names + value:data.index(b"\0", names + value)].decode() for tag, value in entries if tag == _DT_NEEDED]


def _with_dynamic(data, entries):
    """The file with other entries in its dynamic section, at most as many as it has."""
    before, start = _dynamic(data)
    changed = bytearray(data)
    for i, entry in enumerate(entries + [(_DT_NULL, 0)] * (len(before) - len(entries))):
        struct.pack_into("<QQ", changed, start + 16 * i, *entry)
    return changed


def _run_path_entries(data):
    """The values of the dynamic section's entries for run paths and for the table that their texts are in."""
    entries, _ = _dynamic(data)
    paths = [value for tag, value in entries if tag in (_DT_RPATH, _DT_RUNPATH)]
    return paths, [value for tag, value in entries if tag == _DT_STRTAB]


def run_path(data):
    """The folders in which the loader looks for libraries first, joined by ':'; empty: there are none."""
    paths, tables = _run_path_entries(data)
    if not paths:
        return ""
    start = _offset(data, tables[0]) + paths[0]
    return data[start:data.index(b"\0", start)].decode()


def without_run_path(data):
    """The file without folders in which the loader looks for libraries first: Bazel names those of its own outputs."""
    entries, _ = _dynamic(data)
    return bytes(_with_dynamic(data, [entry for entry in entries if entry[0] not in (_DT_RPATH, _DT_RUNPATH)]))


def with_run_path(data, path):
    """The program with other folders, joined by ':', in which the loader looks first, also for libraries that libraries need.

    They take the place of the folders that Bazel named, which are longer; without any the program loads none of Bazel's libraries and is left
    as it is.
    """
    entries, _ = _dynamic(data)
    paths, tables = _run_path_entries(data)
    if not paths:
        return data
    if len(paths) != 1 or not tables:
        raise ValueError("the program has %d run paths, expected one that can be replaced" % len(paths))
    # DT_RPATH, unlike DT_RUNPATH, holds for the libraries of libraries.
    changed = _with_dynamic(data, [(_DT_RPATH if tag == _DT_RUNPATH else tag, value) for tag, value in entries])
    start = _offset(data, tables[0]) + paths[0]
    room = data.index(b"\0", start) - start
    if len(path) > room:
        raise ValueError("the run path '%s' has %d bytes, room is for %d" % (path, len(path), room))
    changed[start:start + room] = path.encode().ljust(room, b"\0")
    return bytes(changed)
