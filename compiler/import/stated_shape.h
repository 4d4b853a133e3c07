// Shape of pictures that an exporter wrote beside a network which leaves it open.
#ifndef COMPILER_IMPORT_STATED_SHAPE_H_
#define COMPILER_IMPORT_STATED_SHAPE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/shape.h"

namespace synap_internal {

// [batch, channels, height, width] of the pictures that a network takes, from the entries that
// Ultralytics' exports have: `imgsz`, one number or height and width, with `batch` and `channels`
// (1 and 3 if they are absent); or `shape`, all four, of YOLOv5's. nullopt where they don't say it,
// or say what can't be a shape. `entries`: properties of an ONNX file, by key.
std::optional<Shape> StatedShape(const std::map<std::string, std::string>& entries);
// The same of a file's texts, by name: the first that is a dictionary with such entries.
std::optional<Shape> StatedShapeOfTexts(const std::map<std::string, std::string>& texts);

// "input 'images': its size is 640x640, ..."; tells how to choose another.
std::string StatedShapeNote(absl::string_view input, const Shape& shape);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_STATED_SHAPE_H_
