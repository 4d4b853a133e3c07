// Guesses the pixels that a network was trained with.
#ifndef COMPILER_START_GUESS_PIXELS_H_
#define COMPILER_START_GUESS_PIXELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/start/model_facts.h"
#include "compiler/start/recognize_head.h"

namespace synap_internal {

// The metafile's fields for the pixels of an input, with a reason, and questions about what
// neither the network nor its file tells.
struct PixelGuess {
  std::string format;  // "rgb keep_proportions=0"; "" for grey pictures
  std::string means;   // "" with `scale`: those of the input's own quantizer
  std::string scale;
  std::string reason;  // a sentence
  std::vector<std::string> questions;
};

// Pixels of graph.inputs[index], which are pictures. What is stated counts first: the input's
// quantizer, then the file's own words. What is measured comes next: the network's own arithmetic
// and its first layer. Families and frameworks have their customs. `model`: the file's name.
PixelGuess GuessPixels(const Graph& graph, size_t index, const PictureInput& picture,
                       const Head& head, const ModelFacts& facts, absl::string_view model);

}  // namespace synap_internal

#endif  // COMPILER_START_GUESS_PIXELS_H_
