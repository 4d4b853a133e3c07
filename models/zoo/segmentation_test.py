"""From a photograph to masks, by the programs that users run: synap_cli_ip, synap image_od, synap image_from_raw.

Arguments: synap, synap_cli_ip, deeplab.synap, a photograph of a bird of 513x513, its mask by another runtime,
selfie_segmentation.synap, a photograph of a person.
"""

import array
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

SYNAP, SYNAP_CLI_IP, DEEPLAB, BIRD, BIRD_MASK, SELFIE, PERSON = sys.argv[1:8]
BIRD_CLASS = 3
SIDE = 513


def run(*command, text=""):
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def read_palette_bmp(path):
    """The indices of a BMP file of 8 bits, from the upper left pixel on."""
    with open(path, "rb") as file:
        data = file.read()
    (begin,) = struct.unpack_from("<I", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    stride = (width + 3) // 4 * 4
    rows = [data[begin + y * stride:begin + y * stride + width] for y in range(height)]
    return b"".join(reversed(rows))


def detection(mask):
    """What synap_cli_od prints of an object with that mask, of 0 and 1, of the whole picture."""
    box = {"origin": {"x": 0, "y": 0}, "size": {"x": SIDE, "y": SIDE}}
    item = {"class_index": BIRD_CLASS, "confidence": 1, "bounding_box": box,
            "mask": {"width": SIDE, "height": SIDE, "data": mask}}
    return json.dumps({"items": [item], "success": True})


class SegmentationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ["TEST_TMPDIR"])
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def output(self, model, picture, suffix, kind):
        """The values that synap_cli_ip writes, of outimage0_<suffix>."""
        self.assertIn("Inference time: ", run(SYNAP_CLI_IP, "-m", model, "--out-dir", self.folder, picture))
        with open(os.path.join(self.folder, "outimage0_" + suffix), "rb") as file:
            return array.array(kind, file.read())

    def pixels(self, picture):
        """The bytes of a picture as RGB."""
        raw = os.path.join(self.folder, "pixels.rgb")
        run(SYNAP, "image_to_raw", "-s", "%dx%d" % (SIDE, SIDE), "-i", picture, "-o", raw)
        with open(raw, "rb") as file:
            return file.read()

    def test_a_bird_is_found_and_its_mask_drawn(self):
        classes = self.output(DEEPLAB, BIRD, "0x0.dat", "i")
        self.assertEqual(len(classes), SIDE * SIDE)
        found = [int(value == BIRD_CLASS) for value in classes]
        expected = [int(value == BIRD_CLASS) for value in read_palette_bmp(BIRD_MASK)]
        both = sum(map(min, found, expected))
        self.assertGreater(both / sum(map(max, found, expected)), 0.8)

        drawn = os.path.join(self.folder, "drawn.png")
        table = run(SYNAP, "image_od", "-i", BIRD, "-o", drawn, "--mask_colors",
                    '{"%d": [0, 0, 255]}' % BIRD_CLASS, text=detection(found))
        self.assertIn("513, 513", table)
        before, after = self.pixels(BIRD), self.pixels(drawn)
        for y in range(32, SIDE - 4):  # without the box and its label
            for i in range(y * SIDE + 4, y * SIDE + SIDE - 4):
                changed = before[3 * i:3 * i + 3] != after[3 * i:3 * i + 3]
                self.assertFalse(changed and not found[i], "%d, %d" % (i % SIDE, y))
                self.assertTrue(changed or not found[i] or before[3 * i] == 255, "%d, %d" % (i % SIDE, y))

    def test_a_person_is_in_the_middle(self):
        scores = self.output(SELFIE, PERSON, "160x96.dat", "f")
        person = [scores[2 * i + 1] > scores[2 * i] for i in range(160 * 96)]
        self.assertTrue(0.05 < sum(person) / len(person) < 0.2)
        sides = [person[y * 160 + x] for y in range(96) for x in range(160) if not 50 <= x < 110]
        self.assertFalse(any(sides))

        raw = os.path.join(self.folder, "person_160x96.gray")
        with open(raw, "wb") as file:
            file.write(bytes(255 * inside for inside in person))
        drawn = os.path.join(self.folder, "person.png")
        run(SYNAP, "image_from_raw", "-i", raw, "-o", drawn)
        self.assertGreater(os.path.getsize(drawn), 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
