#include "runtime/vision/detector/cell_grid.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

CellGrid MakeGrid(const InputSize& input, const std::vector<float>& strides, bool rounds_down) {
  const auto cells = [&](float side, float stride) {
    return static_cast<int64_t>(rounds_down ? std::floor((side + 1) / stride)
                                            : std::ceil(side / stride));
  };
  CellGrid grid = {input, {}};
  for (const float stride : strides) {
    grid.levels.push_back({stride, cells(input.width, stride), cells(input.height, stride)});
  }
  return grid;
}

int64_t Positions(const CellGrid& grid, const std::vector<int64_t>& per_cell) {
  int64_t positions = 0;
  for (size_t i = 0; i < grid.levels.size(); ++i) {
    positions += grid.levels[i].cells() * per_cell[per_cell.size() == 1 ? 0 : i];
  }
  return positions;
}

// The square input whose grid has so many detections; 1x1 if there is none.
InputSize FindSquare(const GridDefaults& defaults, int64_t positions) {
  const float step = *std::min_element(defaults.strides.begin(), defaults.strides.end());
  for (float side = step; side <= kLargestInput; side += step) {
    const CellGrid grid = MakeGrid({side, side}, defaults.strides, defaults.rounds_down);
    const int64_t found = Positions(grid, defaults.per_cell);
    if (found == positions) return {side, side};
    if (found > positions) break;
  }
  return {};
}

}  // namespace

absl::StatusOr<CellGrid> ReadCellGrid(const DetectionOptions& options, GridDefaults defaults,
                                      int64_t positions) {
  ASSIGN_OR_RETURN(defaults.strides, options.grid_strides.value_or(defaults.strides));
  if (defaults.per_cell.size() != 1 && defaults.per_cell.size() != defaults.strides.size()) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'strides' has ",
                                                   defaults.strides.size(), " numbers, expected ",
                                                   defaults.per_cell.size()));
  }
  ASSIGN_OR_RETURN(InputSize input, options.input_size.value_or(defaults.input));
  if (input.width > kLargestInput || input.height > kLargestInput) {
    return absl::InvalidArgumentError(absl::StrCat("the network's input is w_scale=", input.width,
                                                   " h_scale=", input.height, ", expected at most ",
                                                   kLargestInput, " pixels"));
  }
  const bool square = input.width == 1 && input.height == 1;
  if (square) input = FindSquare(defaults, positions);
  const CellGrid grid = MakeGrid(input, defaults.strides, defaults.rounds_down);
  if (Positions(grid, defaults.per_cell) == positions) return grid;
  return absl::InvalidArgumentError(absl::StrCat(
      positions, " detections are not those of ",
      square ? "any square input" : absl::StrCat("an input of ", input.width, "x", input.height),
      " with strides of ", absl::StrJoin(defaults.strides, ", "),
      " pixels; write the network's input as w_scale=W h_scale=H, and its strides=[...]"));
}

}  // namespace synap_internal
