// Ops that move, repeat, add or drop elements: reshape, expand, concat, slice, pad, transpose.
#include <algorithm>
#include <string>
#include <vector>

#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;
using Dims = std::vector<int64_t>;

absl::Status WriteReshape(OpContext& context) {
  const Dims dims = context.attributes().RequiredInts("shape", -1);
  const Value x = context.Input(0);
  context.OutputLikeInput(BuiltinOperator::RESHAPE, {x, context.Ints("/shape", dims)},
                          ReshapeTo(Shape(dims)));
  return absl::OkStatus();
}

absl::Status WriteExpand(OpContext& context) {
  const Dims dims = context.attributes().RequiredInts("shape", -1);
  const Value x = context.Input(0);
  context.OutputLikeInput(BuiltinOperator::BROADCAST_TO, {x, context.Ints("/shape", dims)});
  return absl::OkStatus();
}

// Kernels copy: all parts count in the output's steps.
absl::Status WriteConcat(OpContext& context) {
  const int64_t axis = context.attributes().RequiredInt("axis");
  const size_t at = AxisFromFront(axis, context.output_shape().rank());
  OpContext::Values inputs;
  for (size_t i = 0; i < context.op().inputs.size(); ++i) {
    inputs.push_back(context.InputAsOutput(i));
  }
  context.Output(BuiltinOperator::CONCATENATION, inputs, ConcatenateAlong(at));
  return absl::OkStatus();
}

// Where a slice ends in front of the first element, no number says so: a bit of the mask does.
absl::Status WriteStridedSlice(OpContext& context, const Dims& starts, const Dims& sizes,
                               const Dims& steps) {
  Dims ends;
  int32_t end_mask = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = starts[i] + sizes[i] * steps[i];
    if (end < 0) end_mask |= 1 << i;
    ends.push_back(std::max<int64_t>(end, 0));
  }
  const OpContext::Values inputs = {context.Input(0), context.Ints("/begin", starts),
                                    context.Ints("/end", ends), context.Ints("/strides", steps)};
  context.OutputLikeInput(BuiltinOperator::STRIDED_SLICE, inputs,
                          MakeOptions([end_mask](FileBuilder& builder) {
                            return tflite::CreateStridedSliceOptions(builder, 0, end_mask);
                          }));
  return absl::OkStatus();
}

absl::Status WriteSlice(OpContext& context) {
  const auto rank = static_cast<int>(context.shape(0).rank());
  AttributeReader& reader = context.attributes();
  Dims starts = reader.RequiredInts("starts", rank);
  const Dims sizes = reader.RequiredInts("sizes", rank);
  Dims steps = reader.Ints("steps", rank, Dims(context.shape(0).rank(), 1));
  RETURN_IF_ERROR(reader.Finish());
  // A step that nothing is at the end of, and a start that nothing is at, may be any number.
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 2) steps[i] = 1;
    if (sizes[i] == 0) starts[i] = 0;
  }
  const bool whole =
      std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step == 1; });
  if (!whole) return WriteStridedSlice(context, starts, sizes, steps);
  const OpContext::Values inputs = {context.Input(0), context.Ints("/begin", starts),
                                    context.Ints("/size", sizes)};
  context.OutputLikeInput(BuiltinOperator::SLICE, inputs);
  return absl::OkStatus();
}

// The position that each element along an axis is padded from: the nearest one.
Dims EdgeSources(int64_t extent, int64_t before, int64_t after) {
  Dims sources;
  for (int64_t i = -before; i < extent + after; ++i) {
    sources.push_back(std::clamp<int64_t>(i, 0, extent - 1));
  }
  return sources;
}

// Repeats the outermost elements, one axis after the other.
void WriteEdgePad(OpContext& context, const Dims& pads) {
  const size_t rank = context.shape(0).rank();
  std::vector<size_t> axes;
  for (size_t i = 0; i < rank; ++i) {
    if (pads[i] > 0 || pads[rank + i] > 0) axes.push_back(i);
  }
  Value value = context.Input(0);
  Shape shape = context.shape(0);
  if (axes.empty()) return context.OutputCopy(0);
  for (const size_t axis : axes) {
    const Value indices =
        context.Ints("/sources", EdgeSources(shape[axis], pads[axis], pads[rank + axis]));
    shape[axis] += pads[axis] + pads[rank + axis];
    if (axis == axes.back()) {
      return context.OutputLikeInput(BuiltinOperator::GATHER, {value, indices}, GatherAlong(axis));
    }
    value = context.EmitLike(BuiltinOperator::GATHER, {value, indices}, value, shape,
                             GatherAlong(axis));
  }
}

absl::Status WritePad(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const Dims pads = reader.RequiredInts("pads", static_cast<int>(2 * context.shape(0).rank()));
  const std::string mode = reader.String("mode", "constant");
  const float value = reader.Float("value", 0.0f);
  RETURN_IF_ERROR(reader.Finish());
  if (mode == "edge") {
    WriteEdgePad(context, pads);
    return absl::OkStatus();
  }
  OpContext::Values inputs = {context.Input(0), context.PadPairs(pads)};
  if (mode == "reflect") {
    context.OutputLikeInput(
        BuiltinOperator::MIRROR_PAD, inputs, MakeOptions([](FileBuilder& builder) {
          return tflite::CreateMirrorPadOptions(builder, tflite::MirrorPadMode::REFLECT);
        }));
    return absl::OkStatus();
  }
  if (value == 0) {
    context.OutputLikeInput(BuiltinOperator::PAD, inputs);
    return absl::OkStatus();
  }
  const TensorType x = context.type(inputs[0]);
  if (!x.quant.quantized() && x.dtype != DataType::kFloat32) {
    return absl::UnimplementedError("it pads integers with another number than 0");
  }
  inputs.push_back(context.Number("/value", value, x.quant));
  context.OutputLikeInput(BuiltinOperator::PADV2, inputs);
  return absl::OkStatus();
}

// A transpose of fewer dimensions: those that stay neighbours as one, those of 1 left out.
struct MergedTranspose {
  Dims dims, perm;
};

MergedTranspose Merged(const Shape& x, const Dims& perm) {
  MergedTranspose merged;
  std::vector<size_t> firsts;  // of x's dimensions, by output dimension of the result
  int64_t expected = -1;
  for (const int64_t axis : perm) {
    const int64_t dim = x[static_cast<size_t>(axis)];
    if (dim == 1) continue;
    if (axis == expected) {
      merged.dims.back() *= dim;
    } else {
      firsts.push_back(static_cast<size_t>(axis));
      merged.dims.push_back(dim);
    }
    expected = axis + 1;
    while (expected < static_cast<int64_t>(x.rank()) && x[static_cast<size_t>(expected)] == 1) {
      ++expected;
    }
  }
  // So far the dimensions are in the output's order.
  std::vector<size_t> order = firsts;
  std::sort(order.begin(), order.end());
  Dims dims(order.size());
  for (size_t i = 0; i < firsts.size(); ++i) {
    const auto at = std::find(order.begin(), order.end(), firsts[i]) - order.begin();
    merged.perm.push_back(at);
    dims[static_cast<size_t>(at)] = merged.dims[i];
  }
  merged.dims = dims;
  return merged;
}

// Where compilers and older kernels stop at.
constexpr size_t kMostTransposedDims = 4;

absl::Status WriteTranspose(OpContext& context) {
  const Shape& shape = context.shape(0);
  const Dims perm = context.attributes().RequiredInts("perm", static_cast<int>(shape.rank()));
  const Value x = context.Input(0);
  const MergedTranspose merged = Merged(shape, perm);
  if (shape.rank() <= kMostTransposedDims || merged.dims.size() > kMostTransposedDims) {
    context.OutputLikeInput(BuiltinOperator::TRANSPOSE, {x, context.Ints("/perm", perm)});
    return absl::OkStatus();
  }
  const Value flat = context.Reshape(x, Shape(merged.dims));
  Dims turned;
  for (const int64_t axis : merged.perm) turned.push_back(merged.dims[static_cast<size_t>(axis)]);
  const Value moved = context.EmitLike(
      BuiltinOperator::TRANSPOSE, {flat, context.Ints("/perm", merged.perm)}, x, Shape(turned));
  const Shape& y = context.output_shape();
  context.OutputLikeInput(BuiltinOperator::RESHAPE, {moved, context.Ints("/shape", y.dims())},
                          ReshapeTo(y));
  return absl::OkStatus();
}

constexpr OpMapping kShapeMappings[] = {
    {.op = "reshape", .write = WriteReshape, .integers = kAllIntegers},
    {.op = "expand", .write = WriteExpand, .integers = kAllIntegers},
    {.op = "concat", .write = WriteConcat, .integers = kAllIntegers},
    {.op = "slice", .write = WriteSlice, .integers = kAllIntegers},
    {.op = "pad", .write = WritePad, .integers = kAllIntegers},
    {.op = "transpose", .write = WriteTranspose, .integers = kAllIntegers},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::tflite_export
