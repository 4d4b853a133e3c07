"""python -m synap.detect model.synap photo.jpg: prints the objects that a detection network finds in pictures."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Dict, List, Optional

import numpy as np

import synap
from synap.command import run_command
from synap.postprocessing import name_of


def json_rect(rect: synap.Rect) -> Dict[str, Any]:
    return {"origin": {"x": rect.x, "y": rect.y}, "size": {"x": rect.width, "y": rect.height}}


def json_mask(mask: Optional[np.ndarray], input_rect: synap.Rect) -> Dict[str, Any]:
    if mask is None:
        return {"data": [], "height": 0, "width": 0}
    height, width = mask.shape
    return {"data": mask.ravel().tolist(), "height": height, "width": width, "rectangle": json_rect(input_rect)}


def json_item(found: synap.Detection, names: List[str], input_rect: synap.Rect) -> Dict[str, Any]:
    """A detection as synap_cli_od prints it. A mask covers `input_rect`, the rectangle that the network has seen."""
    item: Dict[str, Any] = {
        "bounding_box": json_rect(found.bounding_box),
        "class_index": found.class_index,
        "confidence": found.confidence,
        "landmarks": {"points": [point._asdict() for point in found.landmarks]},
        "mask": json_mask(found.mask, input_rect),
    }
    if names:
        item["label"] = name_of(found.class_index, names)
    return item


def text_line(found: synap.Detection, names: List[str]) -> str:
    box = found.bounding_box
    line = "%5.2f  %5d  %5d,%5d  %5dx%-5d  %s" % (
        found.confidence, found.class_index, box.x, box.y, box.width, box.height, name_of(found.class_index, names))
    return (line + " " + " ".join("%d,%d" % point[:2] for point in found.landmarks)).rstrip()


def parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m synap.detect",
        description="Finds objects in pictures. The names of classes are those of the info.json beside the model.")
    parser.add_argument("model", help="a .synap file whose outputs are detections")
    parser.add_argument("image", nargs="+", help="jpg, png, bmp, or pixels with their size in the name")
    parser.add_argument("--score-threshold", type=float, default=0.5, help="lowest score of detections to show (0.5)")
    parser.add_argument("--max-detections", type=int, default=0, help="largest number of detections, 0 for all (0)")
    parser.add_argument("--disable-nms", action="store_true", help="keep detections that overlap a better one")
    parser.add_argument("--iou-threshold", type=float, default=0.5, help="largest overlap with a better one (0.5)")
    parser.add_argument("--iou-with-min", action="store_true", help="measure overlaps by the smaller area")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each picture")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    network = synap.Network(options.model)
    names = synap.labels(options.model)
    preprocessor = synap.Preprocessor()
    detector = synap.Detector(options.score_threshold, options.max_detections, not options.disable_nms,
                              options.iou_threshold, options.iou_with_min)
    for image in options.image:
        rect = preprocessor.assign(network, image)
        network.predict()
        found = detector.process(network, rect)
        if options.json:
            items = [json_item(item, names, rect) for item in found]
            print(json.dumps({"image": image, "items": items, "success": True}))
            continue
        print("%s: %d found" % (image, len(found)))
        if found:
            print("Score  Class     Position         Size  Description, landmarks")
        for item in found:
            print(text_line(item, names))


def main(arguments: Optional[List[str]] = None) -> int:
    return run_command(run, parse, arguments)


if __name__ == "__main__":
    sys.exit(main())
