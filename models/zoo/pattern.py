"""What the goldens of the zoo have in common: the drawn input, and which values of an output they keep."""

import numpy

VALUES = 2000  # of each output

# Drawn faces: centre and size, in a picture of 320x320.
FACES = [(160, 170, 140), (45, 275, 30), (260, 290, 20), (285, 60, 24)]
# Their parts: ellipses by centre and radii in hundredths of the size, and their colour in the three channels.
PARTS = [
    (0, -20, 88, 115, (60, 50, 40)),
    (0, 0, 75, 100, (155, 190, 225)),
    (-32, -38, 20, 4, (60, 60, 60)),
    (32, -38, 20, 4, (60, 60, 60)),
    (-32, -20, 16, 9, (235, 235, 235)),
    (32, -20, 16, 9, (235, 235, 235)),
    (-32, -20, 8, 8, (30, 30, 30)),
    (32, -20, 8, 8, (30, 30, 30)),
    (-8, 20, 5, 4, (70, 90, 110)),
    (8, 20, 5, 4, (70, 90, 110)),
    (0, 50, 28, 9, (50, 100, 150)),
]


def pattern(shape, mean, scale):
    """PatternInput of rules/checker/reference.h, [N, C, H, W]."""
    _, c, y, x = numpy.indices(shape, dtype=numpy.int64)
    u, v = x * 320 // shape[3], y * 320 // shape[2]
    pixel = 96 + (u * 3 + v * 5) % 64 + 8 * c
    for centre_x, centre_y, size in FACES:
        for part_x, part_y, radius_x, radius_y, colour in PARTS:
            across = ((u - centre_x) * 100 - part_x * size) * radius_y
            down = ((v - centre_y) * 100 - part_y * size) * radius_x
            inside = across**2 + down**2 < (radius_x * radius_y * size) ** 2
            pixel = numpy.where(inside, numpy.array(colour)[c % 3], pixel)
    return (pixel.astype(numpy.float32) - numpy.float32(mean)) / numpy.float32(scale)


def distance(output):
    """Of the sampled elements: coprime to the last dimension, so that all its positions come up."""
    every = max(1, output.size // VALUES)
    while numpy.gcd(every, output.shape[-1]) != 1:
        every += 1
    return every
