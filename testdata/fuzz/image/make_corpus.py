"""Writes the corpus beside this file: small PNG and JPEG images of every kind that is read, and damaged ones.

Usage: python3 make_corpus.py   (standard library only)
"""

import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(width, height, depth, color, rows, extra=b""):
    """A PNG of `rows` (bytes of one row each, without the filter byte); `extra`: chunks before the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    # Stored blocks only (level 0), so that the bytes don't depend on the version of zlib.
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


class Bits:
    """Bits of a JPEG scan, with the zero byte that must follow each 0xff."""

    def __init__(self):
        self.text = ""

    def put(self, value, count):
        if count:
            self.text += format(value, "0%db" % count)

    def bytes(self):
        text = self.text + "1" * (-len(self.text) % 8)
        data = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        return data.replace(b"\xff", b"\xff\0")


def segment(marker, data):
    return struct.pack(">BBH", 0xff, marker, len(data) + 2) + data


def put_block(bits, difference, has_ac):
    """A block of one value: the DC category in 4 bits, its bits, and the end of the block as one 0."""
    size = abs(difference).bit_length()
    bits.put(size, 4)
    bits.put(difference if difference >= 0 else difference + (1 << size) - 1, size)
    if has_ac:
        bits.put(0, 1)


def jpeg(width, height, sampling, levels, progressive=False):
    """A JPEG whose 8x8 blocks have one value each.

    Args:
      sampling: (horizontal, vertical) factors of each component.
      levels: the DC value of each MCU's blocks, per component; used in turn.
    """
    components = len(sampling)
    out = b"\xff\xd8" + segment(0xdb, b"\0" + bytes([8] * 64))
    frame = struct.pack(">BHHB", 8, height, width, components)
    for i, (h, v) in enumerate(sampling):
        frame += bytes([i + 1, h * 16 + v, 0])
    out += segment(0xc2 if progressive else 0xc0, frame)
    # 12 DC categories with 4 bits each; the only AC code is the end of the block.
    out += segment(0xc4, bytes([0x00, 0, 0, 0, 12] + [0] * 12 + list(range(12))))
    out += segment(0xc4, bytes([0x10, 1] + [0] * 15 + [0]))
    scan = bytes([components]) + b"".join(bytes([i + 1, 0]) for i in range(components))
    out += segment(0xda, scan + bytes([0, 0 if progressive else 63, 0]))
    side_h = 8 * max(h for h, _ in sampling)
    side_v = 8 * max(v for _, v in sampling)
    mcus = -(-width // side_h) * -(-height // side_v)
    bits = Bits()
    last = [0] * components
    for mcu in range(mcus):
        for i, (h, v) in enumerate(sampling):
            for _ in range(h * v if components > 1 else 1):
                level = levels[i][mcu % len(levels[i])]
                put_block(bits, level - last[i], not progressive)
                last[i] = level
    return out + bits.bytes() + b"\xff\xd9"


def corpus():
    rgb = [bytes([10 * x + y, 200 - x, 3 * y]) for y in range(3) for x in range(4)]
    rows = [b"".join(rgb[4 * y:4 * y + 4]) for y in range(3)]
    palette = chunk(b"PLTE", bytes([255, 0, 0, 0, 255, 0, 0, 0, 255]))
    yield "gray.png", png(4, 2, 8, 0, [bytes([0, 50, 100, 255]), bytes([1, 2, 3, 4])])
    yield "gray1.png", png(9, 1, 1, 0, [b"\xaa\x80"])
    yield "gray16.png", png(2, 1, 16, 0, [b"\x80\x01\xff\xff"])
    yield "gray_alpha.png", png(2, 1, 8, 4, [bytes([7, 0, 9, 255])])
    yield "rgb.png", png(4, 3, 8, 2, rows)
    yield "rgb16.png", png(1, 1, 16, 2, [b"\x01\xff\x80\x00\xff\xff"])
    yield "rgba.png", png(2, 1, 8, 6, [bytes(range(8))])
    yield "palette.png", png(4, 1, 2, 3, [b"\x18"], palette)
    yield "palette_alpha.png", png(4, 1, 2, 3, [b"\x18"], palette + chunk(b"tRNS", b"\0\x80"))
    yield "truncated.png", png(4, 3, 8, 2, rows)[:-30]
    yield "no_pixels.png", png(4, 3, 8, 2, [])
    yield "huge_header.png", png(60000, 60000, 8, 2, rows)
    yield "large_header.png", png(8000, 8000, 8, 6, rows)
    yield "bad_crc.png", png(4, 3, 8, 2, rows).replace(b"IDAT", b"IDAU", 1)
    yield "text_bomb.png", png(
        1, 1, 8, 0, [b"\0"], chunk(b"zTXt", b"k\0\0" + zlib.compress(b"x" * 40000000, 9)))
    yield "gray.jpg", jpeg(16, 8, [(1, 1)], [[-60, 90]])
    yield "rgb.jpg", jpeg(8, 8, [(1, 1)] * 3, [[20], [-30], [40]])
    yield "rgb420.jpg", jpeg(20, 18, [(2, 2), (1, 1), (1, 1)], [[20, -20], [-30, 5], [40, 0]])
    yield "progressive.jpg", jpeg(16, 16, [(1, 1)], [[-60, 90, 0, 1]], progressive=True)
    yield "cmyk.jpg", jpeg(8, 8, [(1, 1)] * 4, [[1], [2], [3], [4]])
    yield "truncated.jpg", jpeg(64, 64, [(1, 1)], [[-60, 90]])[:-12]
    yield "large_header.jpg", jpeg(16, 8, [(1, 1)], [[1]]).replace(
        struct.pack(">HH", 8, 16), struct.pack(">HH", 60000, 60000))
    yield "wide_header.jpg", jpeg(16, 8, [(1, 1)], [[1]], True).replace(
        struct.pack(">HH", 8, 16), struct.pack(">HH", 1000, 1000))
    yield "only_magic.jpg", b"\xff\xd8\xff"
    yield "only_magic.png", b"\x89PNG\r\n\x1a\n"
    yield "empty.bin", b""


def main():
    for name, data in corpus():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
