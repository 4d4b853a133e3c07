"""python -m synap.classify model.synap photo.jpg: prints the classes that a network gives pictures."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Dict, List, Optional

import synap
from synap.command import run_command
from synap.postprocessing import name_of


def json_item(score: synap.ClassScore, names: List[str]) -> Dict[str, Any]:
    """A class as synap_cli_ic prints it."""
    item: Dict[str, Any] = {"class_index": score.class_index, "confidence": score.confidence}
    if names:
        item["label"] = name_of(score.class_index, names)
    return item


def parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m synap.classify",
        description="Classifies pictures. The names of classes are those of the info.json beside the model.")
    parser.add_argument("model", help="a .synap file whose output is a confidence for each class")
    parser.add_argument("image", nargs="+", help="jpg, png, bmp, or pixels with their size in the name")
    parser.add_argument("--top", type=int, default=5, help="largest number of classes to show, 0 for all (5)")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each picture")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    network = synap.Network(options.model)
    names = synap.labels(options.model)
    preprocessor = synap.Preprocessor()
    classifier = synap.Classifier(options.top)
    for image in options.image:
        preprocessor.assign(network, image)
        network.predict()
        scores = classifier.process(network)
        if options.json:
            print(json.dumps({"image": image, "items": [json_item(score, names) for score in scores], "success": True}))
            continue
        print(image + ":")
        print("Class  Confidence  Description")
        for score in scores:
            print(("%5d%12.4f  %s" % (*score, name_of(score.class_index, names))).rstrip())


def main(arguments: Optional[List[str]] = None) -> int:
    return run_command(run, parse, arguments)


if __name__ == "__main__":
    sys.exit(main())
