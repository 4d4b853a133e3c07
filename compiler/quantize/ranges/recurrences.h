// Recurrent cells (LSTM, GRU), which importers and exporters write as several ops for each step.
#ifndef COMPILER_QUANTIZE_RANGES_RECURRENCES_H_
#define COMPILER_QUANTIZE_RANGES_RECURRENCES_H_

#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// The parts of all cells of a graph. The ops are in its order.
struct Recurrences {
  // What computes states from the results of linear layers, elementwise or by moving them, up to
  // the hidden state, and what moves, joins or selects states afterwards.
  std::vector<const Op*> cells;
  // The linear layers before the cells that read a state or one of `inputs`, and those that read
  // neither.
  std::vector<const Op*> recurrent_layers;
  std::vector<const Op*> input_layers;
  // What moves or joins operands of the recurrent layers, without those in `cells`.
  std::vector<const Op*> moves;
  // Inputs of the graph that cells and recurrent layers read, moved at most: states, and features
  // of streams.
  std::vector<const Tensor*> inputs;
};

// A cell is found by its state, a sum of what it was and of something new, both weighted by gates
// (functions from 0 to 1):
// - f * c + i * tanh(g), as in an LSTM; 1 - z may be a gate, as in (1 - z) * tanh(g) + z * h;
// - n + z * (h - n), as in a GRU.
// What it was (c, h) isn't a linear layer's result: so blends of two images are no cells.
Recurrences FindRecurrences(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_RECURRENCES_H_
