// Ops that move, repeat, add or drop elements: reshape, expand, concat, slice, pad, transpose.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"

namespace synap_internal::onnx_export {
namespace {

absl::Status WriteReshape(OpContext& context) {
  const std::vector<int64_t> shape = context.attributes().RequiredInts("shape", -1);
  Attributes attributes;
  if (std::count(shape.begin(), shape.end(), 0) > 0) attributes["allowzero"] = int64_t{1};
  context.Output("Reshape", {context.Input(0), context.Ints("/shape", shape)}, attributes,
                 IdentityOrder(shape.size()));
  return absl::OkStatus();
}

absl::Status WriteExpand(OpContext& context) {
  const std::vector<int64_t> shape = context.attributes().RequiredInts("shape", -1);
  context.Output("Expand", {context.Input(0), context.Ints("/shape", shape)}, {},
                 IdentityOrder(shape.size()));
  return absl::OkStatus();
}

absl::Status WriteConcat(OpContext& context) {
  const Order order = context.CheapOrder();
  const int64_t axis = AxisIn(order, context.attributes().RequiredInt("axis"));
  OpContext::Values inputs;
  for (size_t i = 0; i < context.op().inputs.size(); ++i) inputs.push_back(context.Input(i, order));
  context.Output("Concat", inputs, {{"axis", axis}}, order);
  return absl::OkStatus();
}

absl::Status WriteSlice(OpContext& context) {
  const Shape& x = context.type(0).shape;
  const int rank = static_cast<int>(x.rank());
  AttributeReader& reader = context.attributes();
  const std::vector<int64_t> begins = reader.RequiredInts("starts", rank);
  const std::vector<int64_t> sizes = reader.RequiredInts("sizes", rank);
  const std::vector<int64_t> strides =
      reader.Ints("steps", rank, std::vector<int64_t>(x.rank(), 1));
  RETURN_IF_ERROR(reader.Finish());
  const Order order = context.CheapOrder();
  std::vector<int64_t> starts, ends, axes, steps;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto axis = static_cast<size_t>(order[i]);
    if (begins[axis] == 0 && sizes[axis] == x[axis] && strides[axis] == 1) continue;
    starts.push_back(begins[axis]);
    int64_t end = begins[axis] + sizes[axis] * strides[axis];
    // -1 would be the last element; this is in front of the first one.
    if (end < 0) end = std::numeric_limits<int64_t>::min();
    ends.push_back(end);
    axes.push_back(static_cast<int64_t>(i));
    steps.push_back(strides[axis]);
  }
  context.Output(
      "Slice",
      {context.Input(0, order), context.Ints("/starts", starts), context.Ints("/ends", ends),
       context.Ints("/axes", axes), context.Ints("/steps", steps)},
      {}, order);
  return absl::OkStatus();
}

// The value that mode "constant" adds, in the type of x.
std::string PadValue(OpContext& context, float value) {
  const DataType type = context.type(0).dtype;
  if (IsConverted(context.type(0)) || type == DataType::kFloat32) {
    return context.Scalar("/value", value);
  }
  // The pad of integers without a quantizer; little endian, as initializers are.
  const auto integer = static_cast<int64_t>(value);
  std::string name = context.Name("/value");
  context.writer().AddInitializer(name, type, Shape(),
                                  {reinterpret_cast<const uint8_t*>(&integer), SizeOf(type)});
  return name;
}

absl::Status WritePad(OpContext& context) {
  const size_t rank = context.type(0).shape.rank();
  AttributeReader& reader = context.attributes();
  const std::vector<int64_t> pads = reader.RequiredInts("pads", static_cast<int>(2 * rank));
  const std::string mode = reader.String("mode", "constant");
  const float value = reader.Float("value", 0.0f);
  RETURN_IF_ERROR(reader.Finish());
  const Order order = context.CheapOrder();
  std::vector<int64_t> moved;
  for (const size_t side : {size_t{0}, rank}) {
    for (const int64_t axis : order) moved.push_back(pads[side + static_cast<size_t>(axis)]);
  }
  OpContext::Values inputs = {context.Input(0, order), context.Ints("/pads", moved)};
  if (mode == "constant") inputs.push_back(PadValue(context, value));
  context.Output("Pad", inputs, {{"mode", mode}}, order);
  return absl::OkStatus();
}

// Of a transpose that changes its operand's quantizer; others are views (tensor_views.h).
absl::Status WriteTranspose(OpContext& context) {
  const size_t rank = context.type(0).shape.rank();
  const std::vector<int64_t> perm =
      context.attributes().RequiredInts("perm", static_cast<int>(rank));
  context.Output("Transpose", {context.Input(0)}, {{"perm", perm}}, IdentityOrder(rank));
  return absl::OkStatus();
}

constexpr OpMapping kShapeMappings[] = {
    {"reshape", WriteReshape}, {"expand", WriteExpand}, {"concat", WriteConcat},
    {"slice", WriteSlice},     {"pad", WritePad},       {"transpose", WriteTranspose},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::onnx_export
