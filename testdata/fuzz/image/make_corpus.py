"""Writes the corpus beside this file: small PNG, JPEG and BMP images of every kind that is read, and damaged ones.

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


def exif(orientation, order="<", kind=3, count=1, directory=8, entries=1):
    """EXIF data (a TIFF) whose directory has the orientation as its last of 2 entries, or less than it says."""
    tiff = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", directory, entries + 1)
    tiff += struct.pack(order + "HHII", 0x010f, 2, 4, 0)  # the camera's maker
    return tiff + struct.pack(order + "HHIHH", 0x0112, kind, count, orientation, 0) + bytes(4)


def oriented_jpeg(data, tiff):
    """The JPEG with an EXIF segment in front."""
    return data[:2] + segment(0xe1, b"Exif\0\0" + tiff) + data[2:]


def bmp(width, height, bits, rows, palette=b"", header=40, compression=0, masks=b"", colors=0):
    """A BMP of `rows` (bytes of one row each, in the file's order)."""
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, 0, 2835, 2835, colors, 0)
        info += (masks + bytes(header))[:header - 40] if header > 40 else masks
    pixels = b"".join(row + bytes(-len(row) % 4) for row in rows)
    begin = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", begin + len(pixels), 0, 0, begin) + info + palette + pixels


def bmps():
    colors = b"".join(bytes([b, g, r, 0]) for r, g, b in [(10, 20, 30), (40, 50, 60), (70, 80, 90)])
    yield "1.bmp", bmp(10, 2, 1, [b"\x80\x40", b"\x01\x80"], colors[:8])
    yield "4.bmp", bmp(3, 1, 4, [b"\x01\x20"], colors, colors=3)
    yield "8.bmp", bmp(3, 2, 8, [b"\0\1\2", b"\2\1\0"], colors, colors=3)
    yield "8_core.bmp", bmp(2, 1, 8, [b"\0\1"], bytes(range(6)) + bytes(762), header=12)
    yield "16.bmp", bmp(2, 1, 16, [struct.pack("<HH", 0x7c00, 0x0210)])
    masks565 = struct.pack("<III", 0xf800, 0x7e0, 0x1f)
    yield "16_masks.bmp", bmp(2, 1, 16, [struct.pack("<HH", 0xf800, 0x0400)], compression=3, masks=masks565)
    yield "24.bmp", bmp(3, 2, 24, [bytes(range(9)), bytes(range(10, 19))])
    yield "24_top_down.bmp", bmp(3, -2, 24, [bytes(range(9)), bytes(range(10, 19))])
    yield "24_no_padding.bmp", bmp(3, 2, 24, [bytes(range(9)), bytes(range(10, 19))])[:-3]
    yield "32.bmp", bmp(1, 2, 32, [b"\1\2\3\0", b"\4\5\6\0"])
    masks8888 = struct.pack("<IIII", 0xff, 0xff00, 0xff0000, 0xff000000)
    yield "32_alpha.bmp", bmp(2, 1, 32, [b"\1\2\3\xff\4\5\6\x80"], header=124, compression=3, masks=masks8888)
    yield "rle8.bmp", bmp(4, 1, 8, [b"\4\1\0\1"], colors, compression=1, colors=3)
    yield "embedded_png.bmp", bmp(4, 1, 24, [b"\x89PNG"], compression=5)
    yield "gap_in_mask.bmp", bmp(
        2, 1, 16, [bytes(4)], compression=3, masks=struct.pack("<III", 0xf801, 0x7e0, 0x1f))
    yield "no_mask.bmp", bmp(2, 1, 16, [bytes(4)], compression=3, masks=bytes(12))
    yield "short_palette.bmp", bmp(3, 1, 4, [b"\x0f\0"], colors, colors=3)
    yield "huge_palette.bmp", bmp(3, 1, 8, [b"\0\0\0"], colors, colors=0xffffffff)
    yield "truncated.bmp", bmp(3, 2, 24, [bytes(range(9)), bytes(range(10, 19))])[:-5]
    yield "huge_header.bmp", bmp(60000, 60000, 24, [bytes(9)])
    yield "large_header.bmp", bmp(8000, 8000, 32, [bytes(9)])
    yield "least_height.bmp", bmp(4, -2**31, 24, [bytes(12)])
    yield "no_width.bmp", bmp(0, 1, 24, [])
    yield "bits3.bmp", bmp(4, 1, 3, [bytes(4)])
    yield "odd_header.bmp", bmp(4, 1, 24, [bytes(12)]).replace(struct.pack("<I", 40), struct.pack("<I", 41), 1)
    yield "pixels_in_header.bmp", bmp(4, 1, 24, [bytes(12)]).replace(struct.pack("<I", 54), struct.pack("<I", 20), 1)
    yield "only_magic.bmp", b"BM"


def oriented():
    gray = [bytes([1, 2, 3]), bytes([4, 5, 6])]
    for i in range(1, 9):
        yield "oriented%d.png" % i, png(3, 2, 8, 0, gray, chunk(b"eXIf", exif(i, "<>"[i % 2])))
    late = png(3, 2, 8, 0, gray)
    yield "oriented_late.png", late[:-12] + chunk(b"eXIf", exif(6)) + late[-12:]
    stored = jpeg(16, 8, [(1, 1)], [[-60, 90]])
    yield "oriented6.jpg", oriented_jpeg(stored, exif(6))
    yield "oriented8.jpg", oriented_jpeg(stored, exif(8, ">"))
    yield "oriented_rgb420.jpg", oriented_jpeg(
        jpeg(20, 18, [(2, 2), (1, 1), (1, 1)], [[20, -20], [-30, 5], [40, 0]]), exif(5))
    hostile = [exif(0), exif(9), exif(65535, ">"), exif(6, kind=4), exif(6, count=2), exif(6, directory=0xfffffff0),
               exif(6, directory=40), exif(7, entries=65534)[:20], exif(6)[:-8], b"II*\0", b"", b"XX*\0" + exif(6)[4:]]
    for i, tiff in enumerate(hostile):
        yield "hostile_exif%d.jpg" % i, oriented_jpeg(stored, tiff)
    yield "hostile_exif.png", png(3, 2, 8, 0, gray, chunk(b"eXIf", exif(6, directory=0xffffffff)))


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
    yield "cmyk.jpg", jpeg(8, 8, [(1, 1)] * 4, [[72], [22], [-28], [-128 + 51]])
    adobe = b"Adobe" + struct.pack(">HHHB", 100, 0, 0, 2)  # 2: YCCK
    ycck = jpeg(8, 8, [(1, 1)] * 4, [[20], [-30], [40], [-128 + 204]])
    yield "ycck.jpg", ycck[:2] + segment(0xee, adobe) + ycck[2:]
    yield "gray_alpha_opaque.png", png(2, 1, 8, 4, [bytes([7, 255, 9, 255])])
    yield "truncated.jpg", jpeg(64, 64, [(1, 1)], [[-60, 90]])[:-12]
    yield "large_header.jpg", jpeg(16, 8, [(1, 1)], [[1]]).replace(
        struct.pack(">HH", 8, 16), struct.pack(">HH", 60000, 60000))
    yield "wide_header.jpg", jpeg(16, 8, [(1, 1)], [[1]], True).replace(
        struct.pack(">HH", 8, 16), struct.pack(">HH", 1000, 1000))
    yield "only_magic.jpg", b"\xff\xd8\xff"
    yield "only_magic.png", b"\x89PNG\r\n\x1a\n"
    yield "empty.bin", b""
    yield from oriented()
    yield from bmps()


def main():
    for name, data in corpus():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
