// Recognizes the task of a network by the shapes of its outputs.
#ifndef COMPILER_START_RECOGNIZE_HEAD_H_
#define COMPILER_START_RECOGNIZE_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/preprocessing/pixel_mapping.h"
#include "compiler/start/model_facts.h"

namespace synap_internal {

// An input of pictures.
struct PictureInput {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  absl::string_view layout;  // "nchw" or "nhwc", by the place of the channels
};

// The picture in a tensor of this shape: rank 4 with 1 or 3 channels, and more rows and columns
// than channels. Where both places fit, `layout` decides. nullopt for other tensors.
std::optional<PictureInput> FindPicture(const Shape& shape, absl::string_view layout);

// The metafile's fields for the pixels of an input.
struct PixelValues {
  absl::string_view format;
  absl::string_view means;
  absl::string_view scale;
};

struct Head {
  std::string task;    // "a detector, YOLOv8 or a follower with 80 classes"
  std::string reason;  // a sentence about the outputs
  std::string format;  // of the first output; empty if no decoder reads these outputs
  // What the training of this family usually fed; nullopt where families differ.
  std::optional<PixelValues> pixels;
  // Networks of other tasks have outputs of these shapes, too.
  bool is_ambiguous = false;
  int64_t classes = 0;                 // 0: unknown
  std::vector<std::string> questions;  // sentences that end with a question mark
};

// `pixels` as numbers; nullopt where there are none, or not the same for all channels, or other
// networks have such outputs too.
std::optional<FamilyPixels> PixelsOf(const Head& head);

// The head of a network whose pictures enter as `picture`; nullopt for networks without pictures.
// Formats are those that a decoder (runtime/vision/detector) accepts for these outputs. An unknown
// head is a question. What the file states (`facts`) isn't asked.
Head RecognizeHead(const Graph& graph, const std::optional<PictureInput>& picture,
                   const ModelFacts& facts = {});

// Whether an input that could be a picture by its shape is rather a spectrogram: one channel, not
// square, of a network that gives one row of scores.
bool IsRatherSpectrogram(const Graph& graph, const PictureInput& picture);

}  // namespace synap_internal

#endif  // COMPILER_START_RECOGNIZE_HEAD_H_
