// Cells of the grids over a picture to which detections belong.
#ifndef RUNTIME_VISION_DETECTOR_CELL_GRID_H_
#define RUNTIME_VISION_DETECTOR_CELL_GRID_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// A grid of cells of stride x stride pixels of the network's input.
struct GridLevel {
  float stride = 0;
  int64_t columns = 0;
  int64_t rows = 0;

  int64_t cells() const { return columns * rows; }
};

struct CellGrid {
  InputSize input;  // of the network, in pixels
  std::vector<GridLevel> levels;
};

// A cell's column and row.
struct GridCell {
  float x = 0;
  float y = 0;
};

inline GridCell CellAt(const GridLevel& level, int64_t index) {
  return {static_cast<float>(index % level.columns), static_cast<float>(index / level.columns)};
}

// What a format's grid is if its attributes don't say otherwise.
struct GridDefaults {
  std::vector<float> strides;           // strides=[...]
  std::vector<int64_t> per_cell = {1};  // detections for each cell, of each level or of all
  InputSize input;                      // w_scale and h_scale; 1x1: the square that fits
  bool rounds_down = false;             // a rest of the input has no cells, see ReadCellGrid
};

// The grid of a network's input, each level ceil(width / stride) x ceil(height / stride) cells, or
// floor((width + 1) / stride) x floor((height + 1) / stride): what is left of an input that is
// halved again and again, the first time up, then down. InvalidArgument if it hasn't `positions`
// detections; the caller adds whose they are.
absl::StatusOr<CellGrid> ReadCellGrid(const DetectionOptions& options, GridDefaults defaults,
                                      int64_t positions);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_CELL_GRID_H_
