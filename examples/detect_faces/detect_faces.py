"""detect_faces.py MODEL PICTURE...: the same program in Python, for a virtual environment with the package synap."""

import sys

import synap


def main(model, *pictures):
    net = synap.Network(model)
    detector = synap.Detector()
    for picture in pictures:
        area = synap.Preprocessor().assign(net, picture)
        net.predict()
        for face in detector.process(net, area):
            print("%s: %.2f at %d,%d size %dx%d" % (picture, face.confidence, *face.bounding_box))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("Usage: detect_faces.py MODEL PICTURE...")
    try:
        main(*sys.argv[1:])
    except (synap.Error, OSError) as error:
        sys.exit(str(error))
