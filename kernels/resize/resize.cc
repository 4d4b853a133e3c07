#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

// Bounds the tables; no image is larger.
constexpr int64_t kMaxSize = int64_t{1} << 20;

struct ResizeAttributes {
  std::vector<int64_t> size;
  std::string mode, coordinates, rounding;
  std::vector<float> scales;

  bool linear() const { return mode == "linear"; }
};

absl::Status CheckWord(absl::string_view attribute, absl::string_view word,
                       absl::Span<const absl::string_view> words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "attribute '", attribute, "' is '", word, "', expected one of ", absl::StrJoin(words, ", ")));
}

// REQUIRES: x has rank 4 and is not empty along H and W.
absl::StatusOr<ResizeAttributes> ParseResize(const Attributes& attributes, const Shape& x) {
  AttributeReader reader(attributes);
  ResizeAttributes resize;
  resize.size = reader.RequiredInts("size", 2);
  resize.mode = reader.RequiredString("mode");
  resize.coordinates = reader.String("coordinates", "half_pixel");
  resize.rounding = reader.String("rounding", "round_prefer_floor");
  resize.scales = reader.Floats("scales", 2,
                                {static_cast<float>(resize.size[0]) / static_cast<float>(x[1]),
                                 static_cast<float>(resize.size[1]) / static_cast<float>(x[2])});
  RETURN_IF_ERROR(reader.Finish());
  // resize_c3.
  RETURN_IF_ERROR(CheckWord("mode", resize.mode, {"nearest", "linear"}));
  RETURN_IF_ERROR(CheckWord("coordinates", resize.coordinates,
                            {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}));
  RETURN_IF_ERROR(CheckWord("rounding", resize.rounding,
                            {"floor", "round_prefer_floor", "round_prefer_ceil", "ceil"}));
  for (size_t i = 0; i < 2; ++i) {
    if (resize.size[i] < 1 || resize.size[i] > kMaxSize) {  // resize_c2
      return absl::InvalidArgumentError(
          absl::StrCat("size ", resize.size[i], ", expected 1 to ", kMaxSize));
    }
    if (!std::isfinite(resize.scales[i]) || resize.scales[i] <= 0) {  // resize_c4
      return absl::InvalidArgumentError(
          absl::StrCat("scale ", FloatToString(resize.scales[i]), ", expected a positive number"));
    }
  }
  return resize;
}

absl::StatusOr<std::vector<TensorType>> InferResize(const InferContext& context) {
  TensorType output = context.inputs[0];
  Shape& shape = output.shape;
  if (shape.rank() != 4 || shape[1] == 0 || shape[2] == 0) {  // resize_c1
    return absl::InvalidArgumentError(
        absl::StrCat("x has shape ", shape.ToString(), ", expected N x H x W x C"));
  }
  RETURN_IF_ERROR(RejectPerChannel(output));  // resize_c5
  ASSIGN_OR_RETURN(const ResizeAttributes resize, ParseResize(context.attributes, shape));
  shape[1] = resize.size[0];
  shape[2] = resize.size[1];
  RETURN_IF_ERROR(shape.Validate());
  return std::vector<TensorType>{output};
}

float SourceCoordinate(int64_t i, int64_t in, int64_t out, float scale,
                       absl::string_view coordinates) {
  const float index = static_cast<float>(i);
  if (coordinates == "asymmetric") return index / scale;
  if (coordinates == "align_corners") {
    return out == 1 ? 0.0f : index * static_cast<float>(in - 1) / static_cast<float>(out - 1);
  }
  if (coordinates == "pytorch_half_pixel" && out == 1) return 0.0f;
  return (index + 0.5f) / scale - 0.5f;
}

float RoundCoordinate(float coordinate, absl::string_view rounding) {
  if (rounding == "floor") return std::floor(coordinate);
  if (rounding == "ceil") return std::ceil(coordinate);
  if (rounding == "round_prefer_floor") return std::ceil(coordinate - 0.5f);
  return std::floor(coordinate + 0.5f);
}

ResizeAxis MakeAxis(const ResizeAttributes& resize, size_t axis, int64_t in) {
  ResizeAxis result;
  const int64_t out = resize.size[axis];
  const float scale = resize.scales[axis], last = static_cast<float>(in - 1);
  if (!resize.linear()) {
    result.first = NearestSources(in, out, scale, resize.coordinates, resize.rounding);
    return result;
  }
  for (int64_t i = 0; i < out; ++i) {
    const float coordinate = SourceCoordinate(i, in, out, scale, resize.coordinates);
    const float inside = std::clamp(coordinate, 0.0f, last);
    const int64_t first = std::min(static_cast<int64_t>(inside), in - 1);
    result.first.push_back(first);
    result.second.push_back(std::min(first + 1, in - 1));
    result.fraction.push_back(inside - static_cast<float>(first));
  }
  return result;
}

// One output row of mode nearest.
void NearestRow(const ResizePlan& plan, int64_t row, const uint8_t* x, uint8_t* output) {
  const int64_t pixel = plan.channels * plan.element_size;
  const int64_t iy = plan.y.first[static_cast<size_t>(row % plan.height())];
  x += (row / plan.height() * plan.in_height + iy) * plan.in_width * pixel;
  // Consecutive output pixels with the same source pixel are filled together.
  for (size_t ox = 0; ox < plan.x.first.size();) {
    size_t end = ox + 1;
    while (end < plan.x.first.size() && plan.x.first[end] == plan.x.first[ox]) ++end;
    const int64_t count = static_cast<int64_t>(end - ox);
    CopyStridedElements(x + plan.x.first[ox] * pixel, 0, output, pixel, pixel, count);
    output += count * pixel;
    ox = end;
  }
}

// Rows [begin, end) of mode nearest; a row like the one before is copied.
void NearestRows(const ResizePlan& plan, int64_t begin, int64_t end, const KernelArgs& args) {
  const int64_t row_bytes = plan.width() * plan.channels * plan.element_size;
  uint8_t* output = args.output<uint8_t>(0) + begin * row_bytes;
  for (int64_t row = begin; row < end; ++row, output += row_bytes) {
    const size_t oy = static_cast<size_t>(row % plan.height());
    if (row > begin && oy > 0 && plan.y.first[oy] == plan.y.first[oy - 1]) {
      std::memcpy(output, output - row_bytes, static_cast<size_t>(row_bytes));
    } else {
      NearestRow(plan, row, args.input<uint8_t>(0), output);
    }
  }
}

template <typename T>
void LinearRows(const ResizePlan& plan, int64_t begin, int64_t end, const KernelArgs& args) {
  const int64_t row_elements = plan.width() * plan.channels;
  for (int64_t row = begin; row < end; ++row) {
    ResizeLinearRow(plan, row, args.input<T>(0), args.output<T>(0) + row * row_elements);
  }
}

using RunRows = void (*)(const ResizePlan&, int64_t, int64_t, const KernelArgs&);
using RunAll = void (*)(const ResizePlan&, const KernelArgs&);

Kernel FastKernel(ResizePlan plan, RunRows run_rows) {
  const int64_t rows = plan.batch * plan.height();
  const int64_t row_bytes = plan.width() * plan.channels * plan.element_size;
  const int64_t block = std::max<int64_t>(1, kCopyTaskBytes / std::max<int64_t>(1, row_bytes));
  Kernel kernel;
  kernel.run = [plan = std::move(plan), run_rows, rows, block](const KernelArgs& args) {
    args.pool->ParallelFor((rows + block - 1) / block, [&](int64_t task, int) {
      run_rows(plan, task * block, std::min(rows, (task + 1) * block), args);
    });
  };
  return kernel;
}

absl::StatusOr<Kernel> PrepareResize(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const ResizeAttributes resize, ParseResize(context.attributes, x.shape));
  const bool is_float = x.dtype == DataType::kFloat32;
  if (resize.linear() && !is_float && x.dtype != DataType::kUint8) {
    return absl::UnimplementedError(absl::StrCat("mode 'linear' has no kernel for ", Name(x.dtype),
                                                 ", expected float32 or uint8"));
  }
  ResizePlan plan{.batch = x.shape[0],
                  .in_height = x.shape[1],
                  .in_width = x.shape[2],
                  .channels = x.shape[3],
                  .element_size = static_cast<int64_t>(SizeOf(x.dtype)),
                  .y = MakeAxis(resize, 0, x.shape[1]),
                  .x = MakeAxis(resize, 1, x.shape[2])};
  RunRows fast = NearestRows;
  RunAll reference = RunResizeNearestReference;
  if (resize.linear()) {
    fast = is_float ? LinearRows<float> : LinearRows<uint8_t>;
    reference = is_float ? RunResizeLinearReference<float> : RunResizeLinearReference<uint8_t>;
  }
  if (context.path == KernelPath::kFast) return FastKernel(std::move(plan), fast);
  Kernel kernel;
  kernel.run = [plan = std::move(plan), reference](const KernelArgs& args) {
    reference(plan, args);
  };
  return kernel;
}

bool PicksValues(const Attributes& attributes) {
  return AttributeReader(attributes).String("mode", "") == "nearest";
}

}  // namespace

std::vector<int64_t> NearestSources(int64_t in, int64_t out, float scale,
                                    absl::string_view coordinates, absl::string_view rounding) {
  const float last = static_cast<float>(in - 1);
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < out; ++i) {
    const float coordinate = SourceCoordinate(i, in, out, scale, coordinates);
    // Clamped as float first: a tiny scale may give a huge coordinate.
    const float rounded = std::clamp(RoundCoordinate(coordinate, rounding), 0.0f, last);
    sources.push_back(std::min(static_cast<int64_t>(rounded), in - 1));
  }
  return sources;
}

absl::Span<const OpDef> ResizeOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "resize",
      .operands = {OperandRole::kActivation},
      .infer = InferResize,
      .prepare = PrepareResize,
      .quant_rule = QuantRule::kSameAsInput,
      .picks_values = PicksValues,
  }};
  return *ops;
}

}  // namespace synap_internal
