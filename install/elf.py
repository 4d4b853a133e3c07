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


def without_run_path(data):
    """The file without the folders in which the loader looks for libraries first: Bazel names those of its own outputs."""
    entries, start = _dynamic(data)
    kept = [entry for entry in entries if entry[0] not in (_DT_RPATH, _DT_RUNPATH)]
    kept += [(_DT_NULL, 0)] * (len(entries) - len(kept))
    changed = bytearray(data)
    for i, entry in enumerate(kept):
        struct.pack_into("<QQ", changed, start + 16 * i, *entry)
    return bytes(changed)
