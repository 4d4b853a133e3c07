#!/usr/bin/env python3
"""draw_pictures.py FOLDER COUNT: draws COUNT pictures, PNG files of 320x240 pixels; the same number gives the same pixels everywhere.

Each has a gradient and 12 rectangles. Python's standard library is enough.
"""

import pathlib
import random
import struct
import sys
import zlib

WIDTH, HEIGHT, RECTANGLES = 320, 240, 12


def draw(number):
    """The pixels of one picture: HEIGHT rows of WIDTH * 3 bytes, RGB."""
    # random() gives the same values in all versions of Python; randrange() doesn't.
    source = random.Random(number)

    def below(limit):
        return int(source.random() * limit)

    start, step = [below(128) for _ in range(3)], [below(4) for _ in range(3)]
    gradient = bytes((start[c] + x * step[c] // 4) % 256 for x in range(WIDTH) for c in range(3))
    rows = [bytearray(gradient) for _ in range(HEIGHT)]
    for _ in range(RECTANGLES):
        left, top = below(WIDTH - 8), below(HEIGHT - 8)
        right, bottom = min(WIDTH, left + 8 + below(120)), min(HEIGHT, top + 8 + below(90))
        colour = bytes(below(256) for _ in range(3))
        for row in rows[top:bottom]:
            row[3 * left : 3 * right] = colour * (right - left)
    return rows


def png(rows):
    """A PNG file with these rows."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(int(sys.argv[2])):
        (folder / ("picture_%07d.png" % number)).write_bytes(png(draw(number)))


if __name__ == "__main__":
    main()
