"""Procedural training pictures for the face detector.

Everything is drawn: no photograph, texture or mesh is read.  A head is a
rotated ellipsoid with a displaced nose, brow, cheeks and lips, intersected
and shaded per pixel; hair is a second, larger ellipsoid; ears, neck, clothes,
glasses, beards, hats and occluders are layered around it.  Scenes add clutter,
face-coloured things that are no faces, and a camera (blur, noise, JPEG).

The same seed always gives the same picture.  Usage:

  generate.py pool   --out DIR --chunks 40 --size 320x256 --seed 1
  generate.py sample --out sample.jpg
  generate.py quantization --out samples/
  generate.py evaluation --out evaluation/
"""

import argparse
import json
import os

import cv2
import numpy as np

# Half axes of the head; x to the right, y down, z to the viewer.  The unit is
# about 90 mm, so that a face is some 1.6 wide and 1.9 high.
HEAD_AXES = np.array([0.80, 1.14, 0.95], np.float32)
# What a head's patch covers, in the same unit: left, top, right, bottom.
PATCH = (-2.3, -1.9, 2.3, 3.3)
TEST_SEED = 424242  # of the evaluation set
LABEL_VALUES = 14  # box centre x, y, width, height, five landmark points

SKIN_TONES = np.array(
    [
        [250, 222, 200],
        [240, 200, 172],
        [228, 182, 148],
        [214, 162, 124],
        [188, 134, 98],
        [150, 101, 72],
        [112, 74, 53],
        [74, 49, 38],
    ],
    np.float32,
)
HAIR_TONES = np.array(
    [
        [22, 18, 18],
        [30, 24, 22],
        [48, 34, 27],
        [84, 56, 36],
        [128, 88, 52],
        [196, 158, 98],
        [226, 200, 150],
        [150, 72, 40],
        [140, 138, 136],
        [214, 212, 208],
    ],
    np.float32,
)
HAIR_ODDS = np.array([5, 4, 4, 4, 3, 2, 1.5, 1, 1.5, 1.5])
HAIR_ODDS = HAIR_ODDS / HAIR_ODDS.sum()


# --- Noise and small helpers ------------------------------------------------


def smooth_noise(rng, height, width, cells_y, cells_x):
    """Cubic value noise in about -1..1 with the given number of cells."""
    small = rng.uniform(-1, 1, (max(2, int(cells_y)), max(2, int(cells_x))))
    return cv2.resize(
        small.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )


def octave_noise(rng, height, width, cells, octaves):
    """Value noise whose amplitude halves as its frequency doubles."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        count = cells * 2**octave
        if count > max(height, width):
            break
        total += 0.5**octave * smooth_noise(
            rng, height, width, count * height / width, count
        )
    return total


def mix(base, colour, alpha):
    """Blends `colour` over `base` in place, alpha per pixel."""
    base += (np.asarray(colour, np.float32) - base) * alpha[..., None]


def random_colour(rng):
    """A colour that is grey or muted more often than saturated."""
    grey = rng.uniform(15, 245)
    chroma = rng.normal(0, 1, 3) * rng.choice([6, 25, 60])
    return np.clip(grey + chroma, 3, 252).astype(np.float32)


def skin_colour(rng):
    """A skin tone between two neighbours of the palette, with jitter."""
    at = rng.uniform(0, len(SKIN_TONES) - 1.001) ** 1.0
    low = int(at)
    tone = SKIN_TONES[low] + (SKIN_TONES[low + 1] - SKIN_TONES[low]) * (at - low)
    return np.clip(tone * rng.uniform(0.93, 1.05) + rng.normal(0, 3, 3), 20, 255)


def rotation(yaw, pitch):
    """The head's rotation: yaw about y, then pitch about x."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    return (about_x @ about_y).astype(np.float32)


# --- The head ---------------------------------------------------------------


class Person:
    """The random traits of one person; no pixels yet."""

    def __init__(self, rng):
        u = rng.uniform
        self.yaw = float(np.clip(rng.normal(0, 0.33), -0.95, 0.95))
        self.pitch = float(np.clip(rng.normal(0.05, 0.18), -0.45, 0.55))
        stretch = [u(0.92, 1.1), u(0.92, 1.06), u(0.95, 1.05)]
        self.axes = HEAD_AXES * np.array(stretch, np.float32)
        self.taper = u(0.05, 0.30)
        self.skin = skin_colour(rng)
        # Dark hair is the rule with dark skin.
        dark = self.skin.mean() < 140 and u(0, 1) < 0.8
        self.hair = HAIR_TONES[rng.choice(3 if dark else len(HAIR_TONES), p=None if dark else HAIR_ODDS)]
        self.hair = np.clip(self.hair * u(0.8, 1.2) + rng.normal(0, 4, 3), 8, 240)
        self.eye = (u(0.30, 0.38), u(-0.14, -0.02))
        self.eye_size = (u(0.12, 0.17), u(0.03, 0.075))
        self.eye_tilt = u(-0.15, 0.12)
        self.brow_drop, self.brow_width = u(0.17, 0.26), u(0.025, 0.06)
        self.brow_strength = u(0.3, 0.95)
        self.nose = (u(0.28, 0.38), u(0.22, 0.34), u(0.14, 0.2))  # y, out, width
        self.mouth = (u(0.58, 0.69), u(0.22, 0.34))  # y, half width
        self.smile = u(-0.25, 0.9)
        self.lip = u(0.035, 0.075)
        self.open = max(0.0, u(-0.09, 0.10))
        self.teeth = rng.random() < 0.75
        self.lip_red = u(0.1, 0.75)
        self.style = rng.choice(
            ["short", "long", "bald", "fringe", "hat", "tied"],
            p=[0.36, 0.24, 0.07, 0.15, 0.08, 0.10],
        )
        self.hairline = u(-0.82, -0.5)
        self.hair_volume = u(1.04, 1.22)
        self.glasses = rng.choice(
            ["none", "thin", "thick", "dark"], p=[0.74, 0.12, 0.09, 0.05]
        )
        self.beard = u(0.2, 0.95) if rng.random() < 0.2 else 0.0
        self.moustache = self.beard or (u(0.3, 0.9) if rng.random() < 0.08 else 0.0)
        self.age = u(0, 1)
        self.mask = rng.random() < 0.03
        self.clothes = random_colour(rng)
        self.collar = random_colour(rng)
        self.pattern = rng.choice(["plain", "stripes", "checks", "noise", "print"])
        light = np.array([rng.normal(0, 0.6), u(-1.0, 0.25), u(0.35, 1.2)])
        self.light = (light / np.linalg.norm(light)).astype(np.float32)
        self.ambient = u(0.35, 0.8)
        self.key = np.clip(u(0.45, 0.95) + rng.normal(0, 0.03, 3), 0.2, 1.2)
        self.exposure = u(0.72, 1.12)
        self.gloss = u(0.02, 0.28)

    def rotation(self):
        return rotation(self.yaw, self.pitch)

    def displacement(self, x, y):
        """How far the face stands out of the ellipsoid at (x, y)."""
        nose_y, nose_out, nose_w = self.nose
        ax = np.abs(x)
        # The bridge widens and rises from the brows to the tip.
        along = np.clip((y - self.eye[1]) / (nose_y - self.eye[1]), 0, 1)
        below = np.clip((y - nose_y) / 0.09, 0, None)
        ridge = (0.25 + 0.75 * along) * np.exp(
            -((x / (nose_w * (0.55 + 0.35 * along))) ** 2) - below**2
        )
        ridge *= np.clip((y - self.eye[1] + 0.25) / 0.25, 0, 1)
        socket = np.exp(-(((ax - self.eye[0]) / 0.2) ** 2) - ((y - self.eye[1]) / 0.12) ** 2)
        cheek = np.exp(-(((ax - 0.42) / 0.22) ** 2) - ((y - 0.3) / 0.2) ** 2)
        lips = np.exp(-((x / 0.28) ** 2) - ((y - self.mouth[0]) / 0.12) ** 2)
        return nose_out * ridge - 0.07 * socket + 0.05 * cheek + 0.05 * lips

    def surface(self, x, y):
        """A point of the face's surface in the head's own frame."""
        x, y = np.float32(x), np.float32(y)
        a, b, c = self.axes
        z = c * np.sqrt(np.maximum(1 - (x / a) ** 2 - (y / b) ** 2, 0))
        normal = np.array([x / a**2, y / b**2, z / c**2])
        normal /= np.linalg.norm(normal) + 1e-9
        return np.array([x, y, z]) + normal * self.displacement(x, y)

    def narrowing(self, y):
        """The jaw's width relative to the ellipsoid's at height y."""
        t = np.clip((y - 0.15) / 0.95, 0, 1)
        return 1 - self.taper * t * t

    def project(self, points):
        """Points of the head's frame to patch units."""
        at = np.asarray(points) @ self.rotation().T
        return np.stack([at[:, 0] * self.narrowing(at[:, 1]), at[:, 1]], 1)

    def landmarks(self):
        ex, ey = self.eye
        my, mw = self.mouth
        corner = my - self.smile * mw * mw * 0.9
        return self.project(
            [
                self.surface(-ex, ey),
                self.surface(ex, ey),
                self.surface(0, self.nose[0]),
                self.surface(-mw, corner),
                self.surface(mw, corner),
            ]
        )

    def face_box(self):
        """x0, y0, x1, y1 of the face from the hairline to the chin."""
        a, b, _ = self.axes
        rim = [(0, self.hairline), (0, 0.2), (0, b * 0.985)]
        for turn in np.linspace(0, 2 * np.pi, 32, endpoint=False):
            x, y = 0.93 * a * np.cos(turn), 0.2 + 0.86 * np.sin(turn)
            y = np.clip(y, self.hairline, b * 0.97)
            limit = a * np.sqrt(max(1 - (y / b) ** 2, 0)) * 0.97
            rim.append((np.clip(x, -limit, limit), y))
        at = self.project([self.surface(x, y) for x, y in rim])
        return np.concatenate([at.min(0), at.max(0)])


def intersect(x, y, turn, axes):
    """Nearest points of a rotated ellipsoid under the pixels (x, y).

    Returns the points in the head's frame (three planes), the depth towards
    the viewer, and a signed measure that is positive inside the silhouette.
    """
    inverse = turn.T
    axes = np.asarray(axes, np.float32)
    ox = [(inverse[i, 0] * x + inverse[i, 1] * y) / axes[i] for i in range(3)]
    d = inverse[:, 2] / axes
    a = float(d @ d)
    b = ox[0] * d[0] + ox[1] * d[1] + ox[2] * d[2]
    c = ox[0] ** 2 + ox[1] ** 2 + ox[2] ** 2 - 1
    inside = b * b / a - c
    t = (-b + np.sqrt(np.maximum(inside * a, 0))) / a
    point = [(o + t * d[i]) * axes[i] for i, o in enumerate(ox)]
    return point, t, inside


def shade(person, depth, pixel):
    """Diffuse and specular light on a depth map; the normals come from it."""
    smooth = cv2.GaussianBlur(np.asarray(depth, np.float32), (3, 3), 0.6)
    gx = np.clip(cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=0.125) / pixel, -4, 4)
    gy = np.clip(cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=0.125) / pixel, -4, 4)
    length = 1 / np.sqrt(gx * gx + gy * gy + 1)
    light = person.light
    lambert = (-gx * light[0] - gy * light[1] + light[2]) * length
    half = light + np.array([0, 0, 1], np.float32)
    half = half / np.linalg.norm(half)
    gleam = np.maximum((-gx * half[0] - gy * half[1] + half[2]) * length, 0)
    facing = 0.75 + 0.25 * length  # the rim is a little darker
    # Wrapped diffuse light stands for the skin's scattering.
    return np.clip((lambert + 0.25) / 1.25, 0, 1), gleam, facing


def paint_face(rng, person, x, y, pixel):
    """Skin colour with eyes, brows, mouth and beard at the points (x, y)."""
    p, height, width = person, *x.shape
    edge = lambda v: np.clip(v / (1.5 * pixel) + 0.5, 0, 1)
    bump = lambda cx, cy, sx, sy: np.exp(-(((ax - cx) / sx) ** 2) - ((y - cy) / sy) ** 2)
    ax = np.abs(x)
    skin = np.empty((height, width, 3), np.float32)
    skin[:] = p.skin
    blotch = octave_noise(rng, height, width, 5, 4)
    skin *= (1 + 0.045 * blotch)[..., None]
    red = bump(0.42, 0.28, 0.2, 0.18) + 0.7 * bump(0, p.nose[0], 0.14, 0.12)
    mix(skin, p.skin * [1.02, 0.78, 0.74], np.clip(0.45 * red, 0, 1))

    ex, ey = p.eye
    ew, eh = p.eye_size
    nose_y, _, nose_w = p.nose
    my, mw = p.mouth
    # Hollows that keep the light off.
    dark = 0.30 * bump(ex - 0.04, ey - 0.03, 0.2, 0.13)
    dark += 0.35 * bump(nose_w * 0.55, nose_y + 0.06, 0.055, 0.04)  # nostrils
    dark += 0.22 * bump(0, nose_y + 0.12, 0.2, 0.05)
    dark += 0.16 * bump(0, my + 0.17, 0.2, 0.05)
    fold = ax - (0.17 + 0.45 * (y - nose_y))
    dark += (0.06 + 0.16 * p.age) * np.exp(-((fold / 0.035) ** 2)) * bump(0.26, 0.45, 0.15, 0.14)
    dark += 0.16 * p.age * bump(ex, ey + 0.13, 0.15, 0.03)
    skin *= (1 - np.clip(dark, 0, 0.75))[..., None]

    # Beard and moustache: noisy hair on jaw and upper lip.
    if p.beard or p.moustache:
        grain = 0.75 + 0.35 * smooth_noise(rng, height, width, height / 2, width / 2)
        jaw = np.clip((y - 0.42 - 0.35 * (0.6 - ax)) / 0.16, 0, 1)
        lip = np.clip(1 - np.abs(y - (my - 0.12)) / 0.08, 0, 1) * edge(mw + 0.04 - ax)
        mix(skin, p.hair * 0.9, np.clip(np.maximum(jaw * p.beard, lip * p.moustache) * grain, 0, 1))

    # Eyebrows.
    side = ax - ex
    arch = y - (ey - p.brow_drop + 0.9 * side * side - 0.10 * side)
    brow = np.exp(-((arch / p.brow_width) ** 2)) * np.clip((0.21 - np.abs(side)) / 0.07, 0, 1)
    mix(skin, p.hair * 0.55, p.brow_strength * brow)

    # Eyes: white, iris, pupil, glint, lids.
    lid = y - ey - p.eye_tilt * side
    almond = 1 - (side / ew) ** 2
    opening = eh * np.maximum(almond, 0)
    shown = edge(opening - np.abs(lid)) * (almond > 0)
    white = np.array([225, 220, 215], np.float32) * (0.75 + 0.2 * rng.random())
    mix(skin, white, shown * 0.9)
    gaze = rng.uniform(-0.035, 0.035)
    from_iris = np.sqrt((side + np.sign(x) * gaze) ** 2 + (lid + 0.005) ** 2)
    iris_tone = np.array([[40, 26, 18], [70, 50, 30], [80, 110, 125]][rng.choice(3, p=[0.65, 0.2, 0.15])])
    mix(skin, iris_tone, shown * edge(0.062 - from_iris))
    mix(skin, [8, 8, 8], shown * edge(0.03 - from_iris))
    glint = np.exp(-(((x + p.light[0] * -0.02 - np.sign(x) * ex) / 0.016) ** 2) - ((lid + 0.02) / 0.016) ** 2)
    mix(skin, [250, 250, 250], 0.8 * shown * glint)
    lash = np.exp(-(((lid + opening) / 0.022) ** 2)) * np.clip((ew * 1.15 - np.abs(side)) / 0.04, 0, 1)
    mix(skin, p.skin * 0.12, rng.uniform(0.5, 0.95) * lash)
    crease = np.exp(-(((lid + opening + 0.055) / 0.02) ** 2)) * np.clip((ew - np.abs(side)) / 0.05, 0, 1)
    skin *= (1 - 0.3 * crease)[..., None]

    # Mouth.
    line = y - (my - p.smile * 0.9 * x * x)
    bow = np.sqrt(np.maximum(1 - (ax / mw) ** 2, 0))
    lips = edge(bow * (p.lip + p.open) - np.abs(line)) * (ax < mw)
    lip_tone = p.skin * [0.86, 0.62, 0.6] * (1 - p.lip_red) + np.array([168, 52, 62]) * p.lip_red
    mix(skin, lip_tone, 0.85 * lips)
    if p.open > 0.012:
        inner = edge(np.sqrt(np.maximum(1 - (ax / (0.86 * mw)) ** 2, 0)) * p.open - np.abs(line)) * (ax < mw)
        mix(skin, [48, 18, 18], inner)
        if p.teeth:
            mix(skin, [228, 222, 208], inner * edge(p.open * 0.35 - line) * 0.92)
    else:
        seam = np.exp(-((line / 0.016) ** 2)) * np.clip((mw * 1.05 - ax) / 0.05, 0, 1)
        mix(skin, p.skin * 0.3, 0.8 * seam)
    corner = np.exp(-(((ax - mw) / 0.035) ** 2) - ((line) / 0.03) ** 2)
    skin *= (1 - 0.35 * corner)[..., None]
    if p.mask:
        cover = edge(y - 0.12 - 0.08 * ax)
        mix(skin, p.collar * 0.5 + 110, cover * (1 - 0.15 * np.abs(np.sin(y * 18))))
    return skin


def paint_glasses(person, skin, x, y, pixel):
    """Frames around the eyes, or dark lenses."""
    if person.glasses == "none":
        return
    ax = np.abs(x)
    ex, ey = person.eye
    r = (((np.abs(ax - ex)) / 0.235) ** 3 + (np.abs(y - ey - 0.04) / 0.17) ** 3) ** (1 / 3)
    thick = {"thin": 0.02, "thick": 0.045, "dark": 0.03}[person.glasses]
    thick = max(thick, 0.7 * pixel)
    tone = person.collar * (0.25 if person.glasses != "thin" else 0.6)
    if person.glasses == "dark":
        mix(skin, [22, 22, 26], 0.93 * np.clip((1 - r) / 0.06, 0, 1))
        sheen = np.exp(-(((x + y * 0.5 - 0.1) / 0.12) ** 2)) * np.clip((1 - r) / 0.06, 0, 1)
        mix(skin, [150, 160, 175], 0.35 * sheen)
    else:
        mix(skin, [235, 240, 250], 0.10 * np.clip((1 - r) / 0.06, 0, 1))
    rim = np.exp(-(((r - 1) * 0.2 / thick) ** 2))
    bridge = np.exp(-(((y - ey + 0.02) / thick) ** 2)) * (ax < ex - 0.2)
    temple = np.exp(-(((y - ey + 0.04) / thick) ** 2)) * (ax > ex + 0.22)
    mix(skin, tone, np.clip(rim + bridge + temple, 0, 1) * 0.9)


def hair_mask(rng, person, point, pixel, noise):
    """Where the outer ellipsoid's points carry hair."""
    x, y, z = point
    p = person
    edge = lambda v: np.clip(v / (0.05 + pixel) + 0.5, 0, 1)
    line = p.hairline + 0.55 * x * x + 0.07 * noise
    side = 0.30 + 0.08 * noise
    if p.style == "fringe":
        line = line + rng.uniform(0.12, 0.38)
    if p.style == "bald":
        return edge(side - 0.25 - z) * edge(y + 0.5) * edge(0.35 - y)
    lower = 0.15 if p.style in ("short", "hat") else (0.75 if p.style != "tied" else 0.1)
    sides = edge(side - z) * edge(lower - y + 0.2 * (0.3 - z))
    return np.maximum(edge(line - y), sides)


def hair_colour(rng, person, height, width, pixel, gleam):
    """Strands: noise drawn out along the hair, and a highlight band."""
    strands = smooth_noise(rng, height, width, height * pixel * 1.5, width / 2.5)
    strands = 0.6 * strands + 0.6 * smooth_noise(rng, height, width, height * pixel * 2, width / 6)
    tone = person.hair * (1 + 0.28 * strands)[..., None]
    return tone + (np.clip(gleam, 0, 1) ** 12 * rng.uniform(10, 60))[..., None]


def composite(canvas, alpha, colour, mask):
    """Paints onto premultiplied patch layers."""
    canvas += (colour - canvas) * mask[..., None]
    np.maximum(alpha, mask, out=alpha)


def cloth_texture(rng, person, x, y):
    """A garment's colour, per pixel."""
    height, width = x.shape
    tone = np.empty((height, width, 3), np.float32)
    tone[:] = person.clothes
    k = rng.uniform(6, 26)
    if person.pattern == "stripes":
        lean = rng.uniform(0, np.pi)
        wave = np.sin((x * np.cos(lean) + y * np.sin(lean)) * k)
        mix(tone, person.collar, np.clip(wave * 2, 0, 1))
    elif person.pattern == "checks":
        mix(tone, person.collar, 0.5 * (np.sin(x * k) > 0.3) + 0.4 * (np.sin(y * k) > 0.3))
    elif person.pattern == "noise":
        mix(tone, person.collar, np.clip(octave_noise(rng, height, width, 14, 3) * 2, 0, 1))
    elif person.pattern == "print":
        blob = np.exp(-((x / 0.7) ** 2) - ((y - 2.4) / 0.4) ** 2)
        mix(tone, person.collar, np.clip(blob * 2 * octave_noise(rng, height, width, 20, 2), 0, 1))
    tone *= (1 + 0.16 * octave_noise(rng, height, width, 4, 3))[..., None]
    return tone


def paint_body(rng, person, canvas, alpha, x, y, pixel):
    """Long hair behind the head, the neck, and shoulders in clothes."""
    p = person
    edge = lambda v: np.clip(v / (0.03 + 1.5 * pixel) + 0.5, 0, 1)
    height, width = x.shape
    shift = 0.25 * np.sin(p.yaw)
    if p.style == "long":
        length, spread = rng.uniform(0.9, 2.3), rng.uniform(0.98, 1.25)
        wave = 0.06 * smooth_noise(rng, height, width, 8, 3)
        top = ((x + shift) / spread) ** 2 + ((y + 0.15) / 1.28) ** 2
        drop = edge(spread + wave - np.abs(x + shift)) * (y > -0.15) * edge(length + wave * 3 - y)
        mask = np.maximum(edge(1 - top), drop)
        tone = hair_colour(rng, p, height, width, pixel, np.zeros_like(x)) * 0.8
        composite(canvas, alpha, tone, mask)
    round_light = np.clip(0.8 + 0.45 * p.light[0] * (x / 0.5), 0.35, 1.2)
    neck_w = 0.46 + 0.12 * np.clip(y - 1.1, 0, 1) ** 2
    neck = edge(neck_w - np.abs(x + shift * 0.3)) * (y > 0.3) * edge(2.1 - y)
    under = 1 - 0.5 * np.exp(-((np.maximum(y - 1.05, 0) / 0.25) ** 2))
    composite(canvas, alpha, p.skin * (round_light * under * 0.9 * p.exposure)[..., None], neck)
    half = rng.uniform(1.4, 2.15)
    slope = rng.uniform(1.2, 1.5) + 0.32 * (np.abs(x) / half) ** 2
    slope = slope + np.clip(np.abs(x) - half * 0.85, 0, None) * 3
    neckline = rng.uniform(0.05, 0.9) * np.clip(0.55 - np.abs(x), 0, 1) * 1.6
    torso = edge(y - slope - neckline)
    skin_part = edge(y - slope) * edge(0.5 - np.abs(x))
    composite(canvas, alpha, p.skin * (0.85 * round_light * p.exposure)[..., None], skin_part)
    tone = cloth_texture(rng, p, x, y) * p.exposure
    composite(canvas, alpha, tone * np.clip(0.75 + 0.3 * p.light[0] * x, 0.4, 1.2)[..., None], torso)


def paint_ears(person, canvas, alpha, x, y, pixel):
    """Ears at the sides of the head, hidden when turned away."""
    edge = lambda v: np.clip(v / (0.05 + pixel) + 0.5, 0, 1)
    turn = person.rotation()
    for sign in (-1, 1):
        at = turn @ np.array([sign * person.axes[0] * 1.0, 0.1, -0.12])
        r = ((x - at[0]) / 0.13) ** 2 + ((y - at[1]) / 0.24) ** 2
        tone = person.skin * np.clip(0.62 + 0.3 * r + 0.25 * sign * person.light[0], 0.3, 1)[..., None]
        composite(canvas, alpha, tone * person.exposure * [1.02, 0.93, 0.9], edge(1 - r))


def paint_head(rng, person, canvas, alpha, x, y, pixel):
    """The head itself: skin, features, hair and hat."""
    p = person
    height, width = x.shape
    turn = p.rotation()
    narrowed = x / p.narrowing(y)
    # Fixed point: which surface point, once displaced, lies under the pixel?
    point, depth, inside = intersect(narrowed, y, turn, p.axes)
    for _ in range(2):
        out = p.displacement(point[0], point[1]) * (point[2] > 0)
        normal = [point[i] / p.axes[i] ** 2 for i in range(3)]
        length = 1 / np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2 + 1e-6)
        move = [out * length * sum(turn[r, i] * normal[i] for i in range(3)) for r in range(3)]
        point, depth, inside = intersect(narrowed - move[0], y - move[1], turn, p.axes)
    depth = depth + move[2]
    lambert, gleam, facing = shade(p, depth, pixel)
    face = paint_face(rng, p, point[0], point[1], pixel)
    front = np.clip(point[2] / 0.1, 0, 1)
    face = p.skin + (face - p.skin) * front[..., None]
    light = p.ambient + lambert[..., None] * p.key
    face *= light * (facing * p.exposure)[..., None]
    shine = gleam ** rng.uniform(9, 28) * p.gloss * 255 * front
    face += (shine * (0.7 + 0.3 * smooth_noise(rng, height, width, 12, 10)))[..., None]
    paint_glasses(p, face, point[0], point[1] + 1e3 * (point[2] <= 0), pixel)
    mask = np.clip(inside / (3.0 * pixel), 0, 1)
    composite(canvas, alpha, face, mask)

    noise = octave_noise(rng, height, width, 6, 3)
    grown = p.axes * [p.hair_volume, (1 + p.hair_volume) / 2, 1.02]
    point, depth, inside = intersect(x, y + 0.06, turn, grown)
    lambert, gleam, _ = shade(p, depth, pixel)
    mask = hair_mask(rng, p, point, pixel, noise) * np.clip((inside + 0.05 * noise) / (0.08 + 2 * pixel), 0, 1)
    tone = hair_colour(rng, p, height, width, pixel, gleam)
    tone *= (p.ambient + 0.1 + 0.7 * lambert)[..., None] * p.exposure
    # A soft shadow below the fringe first, then the hair.
    shadow = cv2.GaussianBlur(np.roll(mask, max(1, int(0.07 / pixel)), 0), (0, 0), max(0.6, 0.05 / pixel))
    canvas *= (1 - 0.35 * shadow * alpha)[..., None]
    composite(canvas, alpha, tone, mask)
    if p.style == "hat":
        paint_hat(rng, p, canvas, alpha, x, y, turn, pixel)


def paint_hat(rng, person, canvas, alpha, x, y, turn, pixel):
    """A cap or a knitted hat, sometimes with a brim."""
    point, depth, inside = intersect(x, y + 0.1, turn, person.axes * [1.18, 1.12, 1.12])
    lambert, _, _ = shade(person, depth, pixel)
    line = person.hairline + 0.12 + 0.2 * point[0] ** 2
    mask = np.clip((line - point[1]) / (0.03 + pixel), 0, 1) * np.clip(inside / (3 * pixel), 0, 1)
    tone = person.clothes * (person.ambient + 0.7 * lambert)[..., None]
    composite(canvas, alpha, tone, mask)
    if rng.random() < 0.5:
        at = turn @ np.array([0, person.hairline + 0.12, person.axes[2] * 1.05])
        r = ((x - at[0]) / rng.uniform(0.75, 1.2)) ** 2 + ((y - at[1]) / 0.13) ** 2
        composite(canvas, alpha, tone * 0.7, np.clip((1 - r) / (0.1 + 2 * pixel), 0, 1))


def render_person(rng, scale):
    """Draws a person's patch at `scale` pixels per unit.

    Returns RGB (float32), alpha, and box and landmarks in patch pixels.
    """
    person = Person(rng)
    x0, y0, x1, y1 = PATCH
    width, height = int((x1 - x0) * scale), int((y1 - y0) * scale)
    pixel = 1.0 / scale
    xs = x0 + (np.arange(width, dtype=np.float32) + 0.5) * pixel
    ys = y0 + (np.arange(height, dtype=np.float32) + 0.5) * pixel
    x, y = np.meshgrid(xs, ys)
    canvas = np.zeros((height, width, 3), np.float32)
    canvas[:] = person.hair * 0.5
    alpha = np.zeros((height, width), np.float32)
    paint_body(rng, person, canvas, alpha, x, y, pixel)
    # The head needs only its own part of the patch.
    c0, c1 = int((-1.35 - x0) * scale), int((1.35 - x0) * scale)
    r0, r1 = int((-1.7 - y0) * scale), int((1.5 - y0) * scale)
    part = np.s_[r0:r1, c0:c1]
    paint_ears(person, canvas[part], alpha[part], x[part], y[part], pixel)
    paint_head(rng, person, canvas[part], alpha[part], x[part], y[part], pixel)
    to_pixels = lambda at: (np.asarray(at).reshape(-1, 2) - [x0, y0]) * scale
    box = person.face_box()
    return canvas, alpha, to_pixels(box), to_pixels(person.landmarks())


# --- Scenes -----------------------------------------------------------------


def draw_clutter(rng, image, count):
    """Rectangles, ellipses, polygons, lines and text-like strokes."""
    height, width = image.shape[:2]
    canvas, image = image, np.clip(image, 0, 255).astype(np.uint8)
    for _ in range(count):
        colour = [float(v) for v in random_colour(rng)]
        kind = rng.integers(0, 7)
        cx, cy = int(rng.uniform(0, width)), int(rng.uniform(0, height))
        size = float(np.exp(rng.uniform(np.log(5), np.log(width / 2))))
        w, h = int(size * rng.uniform(0.3, 1.5)) + 1, int(size * rng.uniform(0.3, 1.5)) + 1
        fill = -1 if rng.random() < 0.7 else int(rng.integers(1, 4))
        if kind == 0:
            cv2.rectangle(image, (cx - w // 2, cy - h // 2), (cx + w // 2, cy + h // 2), colour, fill, cv2.LINE_AA)
        elif kind == 1:
            cv2.ellipse(image, (cx, cy), (w // 2 + 1, h // 2 + 1), rng.uniform(0, 180), 0, 360, colour, fill, cv2.LINE_AA)
        elif kind == 2:
            corners = rng.normal(0, size / 2, (rng.integers(3, 7), 2)) + [cx, cy]
            cv2.fillPoly(image, [corners.astype(np.int32)], colour, cv2.LINE_AA)
        elif kind == 3:
            for i in range(rng.integers(1, 9)):  # rails, blinds
                off = int(i * rng.uniform(4, 14))
                cv2.line(image, (cx + off, cy - h), (cx + off + w // 4, cy + h), colour, int(rng.integers(1, 4)), cv2.LINE_AA)
        elif kind == 4:
            letters = "".join(chr(c) for c in rng.integers(33, 126, rng.integers(1, 9)))
            cv2.putText(image, letters, (cx - w // 2, cy), int(rng.integers(0, 8)), rng.uniform(0.3, 2.0), colour, int(rng.integers(1, 4)), cv2.LINE_AA)
        elif kind == 5:  # concentric circles: wheels, lamps, plates
            for ring in range(rng.integers(2, 5)):
                cv2.circle(image, (cx, cy), int(size / 2 / (ring + 1)) + 1, [float(v) for v in random_colour(rng)], fill, cv2.LINE_AA)
        else:  # a row of small things
            for i in range(rng.integers(2, 7)):
                cv2.circle(image, (int(cx + i * w / 2), cy), max(1, h // 6), colour, -1, cv2.LINE_AA)
    canvas[:] = image


def background(rng, height, width):
    """A wall, a landscape of noise, a pattern, or a heap of things."""
    image = np.empty((height, width, 3), np.float32)
    top, bottom = random_colour(rng), random_colour(rng)
    ramp = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    if rng.random() < 0.5:
        ramp = np.clip((ramp - rng.uniform(0.2, 0.8)) * rng.choice([1, 30]) + 0.5, 0, 1)
    image[:] = top * (1 - ramp) + bottom * ramp
    kind = rng.integers(0, 5)
    if kind in (0, 1):
        cells = rng.choice([2, 4, 8, 20, 50])
        noise = octave_noise(rng, height, width, int(cells), 5)
        mix(image, random_colour(rng), np.clip(noise * rng.uniform(0.5, 2), 0, 1))
        if rng.random() < 0.5:  # foliage-like speckle in a second colour
            noise = octave_noise(rng, height, width, int(cells) * 3, 3)
            mix(image, random_colour(rng), (noise > rng.uniform(0, 0.6)).astype(np.float32) * 0.8)
    elif kind == 2:
        xs, ys = np.meshgrid(np.arange(width), np.arange(height))
        lean, k = rng.uniform(0, np.pi), rng.uniform(0.05, 0.8)
        wave = np.sin((xs * np.cos(lean) + ys * np.sin(lean)) * k)
        if rng.random() < 0.5:
            wave = wave * np.sin((ys * np.cos(lean) - xs * np.sin(lean)) * k)
        mix(image, random_colour(rng), (np.clip(wave * 3, 0, 1) * rng.uniform(0.2, 0.9)).astype(np.float32))
    draw_clutter(rng, image, int(rng.integers(0, 40) if kind != 4 else rng.integers(30, 90)))
    if rng.random() < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), np.exp(rng.uniform(np.log(0.5), np.log(6))))
    image += (6 * octave_noise(rng, height, width, 40, 3))[..., None]
    return image


def draw_decoy(rng, image):
    """Skin-coloured or face-shaped things without a face's features."""
    height, width = image.shape[:2]
    size = float(np.exp(rng.uniform(np.log(10), np.log(width / 3))))
    cx, cy = rng.uniform(0, width), rng.uniform(0, height)
    xs, ys = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    lean = rng.uniform(0, np.pi)
    u = ((xs - cx) * np.cos(lean) + (ys - cy) * np.sin(lean)) / size
    v = ((ys - cy) * np.cos(lean) - (xs - cx) * np.sin(lean)) / size
    tone = skin_colour(rng)
    kind = rng.integers(0, 5)
    if kind == 0:  # an egg, shaded
        r = (u / 0.45) ** 2 + (v / 0.55) ** 2
    elif kind == 1:  # an arm or a leg
        r = (u / rng.uniform(1, 2.5)) ** 2 + (v / rng.uniform(0.15, 0.3)) ** 2
    elif kind == 2:  # a hand: palm and fingers
        r = np.minimum((u / 0.3) ** 2 + (v / 0.35) ** 2, 9)
        for i in range(4):
            r = np.minimum(r, ((u + 0.25 - i * 0.17) / 0.07) ** 2 + ((v + 0.45) / 0.38) ** 2)
    elif kind == 3:  # the back of a head
        r = (u / 0.45) ** 2 + (v / 0.55) ** 2
        tone = HAIR_TONES[rng.choice(len(HAIR_TONES))]
    else:  # a torso of bare skin
        r = np.abs(u / 0.6) ** 4 + np.abs(v / 0.9) ** 4
    lit = np.clip(0.75 + rng.uniform(-0.5, 0.5) * u - 0.25 * v - 0.2 * r, 0.25, 1.2)
    lit = lit * (1 + 0.12 * octave_noise(rng, height, width, max(4, int(6 * width / size)), 3))
    if rng.random() < 0.4:  # unstructured marks on it
        lit = lit * (1 - 0.5 * (smooth_noise(rng, height, width, 5 * height / size, 5 * width / size) > 0.45))
    mask = np.clip((1 - r) * size / 8, 0, 1)
    image += (tone * lit[..., None] - image) * mask[..., None]


def paste_person(rng, image, owner, index, face_px, centre, roll, detail):
    """Draws a person with a face `face_px` wide and centred at `centre`."""
    scale = face_px / 1.6
    render = float(np.clip(scale * 1.25, 9, detail))
    colour, alpha, box, points = render_person(rng, render)
    middle = box.mean(0)
    ratio = scale / render
    c, s = np.cos(roll) * ratio, np.sin(roll) * ratio
    turn = np.array([[c, -s], [s, c]])
    offset = np.asarray(centre) - turn @ middle
    height, width = image.shape[:2]
    matrix = np.concatenate([turn, offset[:, None]], 1)
    # Pixel centres: OpenCV counts from the centre of the first pixel.
    shifted = matrix.copy()
    shifted[:, 2] += turn @ [0.5, 0.5] - 0.5
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * [colour.shape[1], colour.shape[0]]
    corners = corners @ turn.T + offset
    low = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(0)).astype(int), [width, height])
    if (high <= low).any():
        return None
    shifted[:, 2] -= low
    span = (int(high[0] - low[0]), int(high[1] - low[1]))
    method = cv2.INTER_LINEAR if ratio < 1.3 else cv2.INTER_CUBIC
    alpha = np.clip(cv2.warpAffine(alpha, shifted, span, flags=cv2.INTER_LINEAR), 0, 1)
    colour = cv2.warpAffine(colour, shifted, span, flags=method, borderMode=cv2.BORDER_REPLICATE)
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    image[part] += (np.clip(colour, 0, 255) - image[part]) * alpha[..., None]
    owner[part][alpha > 0.5] = index
    points = points @ turn.T + offset
    size = (box[1] - box[0]) * ratio
    # The box of a tilted face: that of its ellipse.
    w = np.hypot(size[0] * np.cos(roll), size[1] * np.sin(roll))
    h = np.hypot(size[0] * np.sin(roll), size[1] * np.cos(roll))
    return np.concatenate([centre, [w, h], points.ravel()]).astype(np.float32)


def visible_part(owner, index, label):
    """The fraction of a face's inner box that nothing hides."""
    height, width = owner.shape
    x, y, w, h = label[:4]
    x0, x1 = int(x - w * 0.35), int(x + w * 0.35) + 1
    y0, y1 = int(y - h * 0.38), int(y + h * 0.38) + 1
    inside = owner[max(y0, 0) : max(min(y1, height), 0), max(x0, 0) : max(min(x1, width), 0)]
    return np.count_nonzero(inside == index) / max(1, (x1 - x0) * (y1 - y0))


def choose_faces(rng, height, width, low, high):
    """Sizes and places: a portrait, a few people, or a crowd."""
    kind = rng.choice(["none", "few", "crowd", "portrait"], p=[0.06, 0.46, 0.28, 0.20])
    high = min(high, 0.8 * height)
    if kind == "none":
        return []
    if kind == "portrait":
        count, low_px, high_px = int(rng.integers(1, 3)), max(low, high * 0.25), high
    elif kind == "few":
        count, low_px, high_px = int(rng.integers(1, 7)), low * 1.3, high * 0.5
    else:
        base = float(np.exp(rng.uniform(np.log(low), np.log(max(low * 1.5, high * 0.16)))))
        count = int(np.clip(rng.uniform(0.15, 0.5) * height * width / (base * 3) ** 2, 3, 22))
        low_px, high_px = base * 0.8, base * 1.3
    chosen = []
    for _ in range(count * 4):
        size = float(np.exp(rng.uniform(np.log(low_px), np.log(high_px))))
        x, y = rng.uniform(0.02, 0.98) * width, rng.uniform(0.04, 0.96) * height
        if all(max(abs(x - a), abs(y - b) / 1.2) > 0.56 * (size + s) for s, a, b in chosen):
            chosen.append((size, x, y))
        if len(chosen) == count:
            break
    # People further down the picture stand in front.
    return sorted(chosen, key=lambda face: face[2] + face[0])


def occlude(rng, image, owner, label):
    """Something in front of a part of a face."""
    x, y, w, h = label[:4]
    at = (int(x + rng.uniform(-0.6, 0.6) * w), int(y + rng.uniform(-0.6, 0.7) * h))
    size = (int(rng.uniform(0.15, 0.45) * w) + 1, int(rng.uniform(0.15, 0.45) * h) + 1)
    colour = skin_colour(rng) * 0.85 if rng.random() < 0.4 else random_colour(rng)
    mask = np.zeros(owner.shape, np.uint8)
    if rng.random() < 0.5:
        cv2.ellipse(mask, at, size, rng.uniform(0, 180), 0, 360, 255, -1, cv2.LINE_AA)
    else:
        cv2.rectangle(mask, (at[0] - size[0], at[1] - size[1]), (at[0] + size[0], at[1] + size[1]), 255, -1)
    tone = colour + 12 * octave_noise(rng, *owner.shape, 12, 3)[..., None]
    image += (tone - image) * (mask.astype(np.float32) / 255)[..., None]
    owner[mask > 127] = 0


def camera(rng, image, gentle=False):
    """Light, colour, blur, noise and JPEG, as a camera would add them."""
    height, width = image.shape[:2]
    xs = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    fall = 1 + rng.normal(0, 0.15) * xs + rng.normal(0, 0.15) * ys
    fall = fall - rng.uniform(0, 0.25) * (xs * xs + ys * ys) / 2
    image = np.clip(image * np.clip(fall, 0.3, 1.7)[..., None], 0, 255)
    strength = 0.4 if gentle else 1.0
    image *= np.exp(rng.normal(0, 0.06 * strength, 3)).astype(np.float32)
    image = 255 * np.clip(image / 255, 0, 1) ** np.float32(np.exp(rng.normal(0, 0.22 * strength)))
    image = (image - 128) * rng.uniform(1 - 0.25 * strength, 1 + 0.2 * strength) + 128
    image += rng.normal(0, 14 * strength)
    grey = image.mean(2, keepdims=True)
    saturation = rng.uniform(0.6, 1.25) if rng.random() > 0.06 or gentle else 0.0
    image = grey + (image - grey) * np.float32(saturation)
    if not gentle and rng.random() < 0.35:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.5))
    if not gentle and rng.random() < 0.12:
        length, lean = int(rng.integers(3, 8)), rng.uniform(0, np.pi)
        kernel = np.zeros((length, length), np.float32)
        middle = (length - 1) / 2
        reach = np.array([np.cos(lean), np.sin(lean)]) * middle
        ends = [tuple(np.rint([middle, middle] + sign * reach).astype(int).tolist()) for sign in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    noise = rng.standard_normal((height, width, 1), np.float32)
    chroma = rng.standard_normal((height, width, 3), np.float32)
    image = image + (noise + 0.5 * chroma) * np.float32(rng.uniform(0.5, 8 * strength))
    return np.clip(image, 0, 255).astype(np.uint8)


def jpeg(image, quality):
    """A picture after JPEG compression."""
    _, data = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1])


def scene(seed, width=640, height=480, low=14.0, high=300.0, faces=None, gentle=False, detail=75):
    """One picture (RGB, uint8) and its labels, one row a face.

    `faces` replaces the random arrangement by (width in pixels, x, y) rows;
    `gentle` keeps the camera well-behaved; `detail` caps the resolution, in
    pixels per unit, at which heads are drawn before they are enlarged.
    """
    rng = np.random.default_rng(seed)
    image = background(rng, height, width)
    for _ in range(rng.integers(0, 5)):
        draw_decoy(rng, image)
    owner = np.zeros((height, width), np.int16)
    labels = []
    chosen = choose_faces(rng, height, width, low, high) if faces is None else faces
    for index, (size, x, y) in enumerate(chosen, 1):
        roll = float(np.clip(rng.normal(0, 0.17 if not gentle else 0.06), -0.7, 0.7))
        label = paste_person(rng, image, owner, index, size, (x, y), roll, detail)
        if label is None:
            continue
        labels.append((index, label))
        if not gentle and rng.random() < 0.12:
            occlude(rng, image, owner, label)
    if rng.random() < 0.3 and not gentle:  # things before everybody
        draw_clutter(rng, image, 2)
    kept = [row for index, row in labels if visible_part(owner, index, row) > 0.42]
    image = camera(rng, image, gentle)
    if not gentle and rng.random() < 0.7:
        image = jpeg(image, rng.uniform(25, 95))
    return image, np.array(kept, np.float32).reshape(-1, LABEL_VALUES)


# --- Commands ---------------------------------------------------------------


def write_pool(args):
    """Chunks of pictures for the training; each appears when complete."""
    width, height = (int(v) for v in args.size.split("x"))
    os.makedirs(args.out, exist_ok=True)
    for chunk in range(args.first, args.first + args.chunks):
        images, labels, owners = [], [], []
        for i in range(args.per_chunk):
            picture, rows = scene([args.seed, chunk, i], width, height, args.low, args.high)
            images.append(picture)
            labels.append(rows)
            owners.extend([i] * len(rows))
        part = os.path.join(args.out, f".part{chunk}.npz")
        np.savez(part, images=np.stack(images), labels=np.concatenate(labels), owners=np.array(owners))
        os.replace(part, os.path.join(args.out, f"chunk_{args.seed}_{chunk:04d}.npz"))


SAMPLE_FACES = [(58, 395, 92), (40, 245, 82), (84, 548, 150), (118, 130, 185), (150, 370, 285)]


def save(path, picture, quality):
    cv2.imwrite(path, picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])


def write_sample(args):
    """The demo's picture."""
    picture, _ = scene([args.seed, 77], faces=SAMPLE_FACES, gentle=True)
    save(args.out, picture, 90)


def write_quantization(args):
    """The quantization data set: 64 pictures like the training's."""
    os.makedirs(args.out, exist_ok=True)
    for i in range(64):
        picture, _ = scene([args.seed, 88, i])
        save(os.path.join(args.out, f"scene_{i:02d}.jpg"), picture, 70)


def truth_of(row):
    """A label as rules/checker/accuracy.h describes it."""
    x, y, w, h = (float(v) for v in row[:4])
    corner = [round(x - w / 2, 1), round(y - h / 2, 1), round(w, 1), round(h, 1)]
    points = [[round(float(a), 1), round(float(b), 1)] for a, b in row[4:].reshape(5, 2)]
    return {"box": corner, "landmarks": points}


def write_evaluation(args):
    """The evaluation set: 200 pictures that no training has seen, and truth.json."""
    os.makedirs(args.out, exist_ok=True)
    lines = []
    for i in range(200):
        picture, rows = scene([TEST_SEED, 1000, i])
        name = f"scene_{i:03d}.jpg"
        save(os.path.join(args.out, name), picture, 50)
        lines.append(f" {json.dumps(name)}: {json.dumps([truth_of(row) for row in rows])}")
    with open(os.path.join(args.out, "truth.json"), "w", encoding="utf-8") as file:
        file.write('{"pictures": {\n' + ",\n".join(lines) + "\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["pool", "sample", "quantization", "evaluation"])
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default="320x256", help="WIDTHxHEIGHT")
    parser.add_argument("--chunks", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--per-chunk", type=int, default=200)
    parser.add_argument("--low", type=float, default=10.0, help="smallest face, pixels")
    parser.add_argument("--high", type=float, default=230.0, help="largest face, pixels")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    commands = {
        "pool": write_pool,
        "sample": write_sample,
        "quantization": write_quantization,
        "evaluation": write_evaluation,
    }
    commands[args.command](args)


if __name__ == "__main__":
    main()
