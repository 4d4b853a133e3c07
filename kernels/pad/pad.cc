#include "kernels/pad/pad.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/data_movement/data_movement.h"
#include "kernels/strided_copy/strided_copy.h"

namespace synap {
namespace {

struct PadAttributes {
  std::vector<int64_t> begins, ends;
  std::string mode;
  float value;
};

// pad_c3 for one dimension.
absl::Status CheckMirror(int64_t extent, int64_t pad, absl::string_view mode) {
  const int64_t least = pad == 0 ? 0 : mode == "edge" ? 1 : pad + 1;
  if (mode == "constant" || extent >= least) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("pad ", pad, " with mode ", mode, " needs ", least,
                                                 " elements, found ", extent));
}

absl::StatusOr<PadAttributes> ParsePad(const Attributes& attributes, const Shape& shape) {
  AttributeReader reader(attributes);
  const size_t rank = shape.rank();
  const std::vector<int64_t> pads = reader.RequiredInts("pads", static_cast<int>(2 * rank));
  PadAttributes pad{.mode = reader.String("mode", "constant"),
                    .value = reader.Float("value", 0.0f)};
  RETURN_IF_ERROR(reader.Finish());
  if (pad.mode != "constant" && pad.mode != "reflect" && pad.mode != "edge") {  // pad_c2
    return absl::InvalidArgumentError(
        absl::StrCat("mode '", pad.mode, "' is none of constant, reflect, edge"));
  }
  pad.begins.assign(pads.begin(), pads.begin() + static_cast<ptrdiff_t>(rank));
  pad.ends.assign(pads.begin() + static_cast<ptrdiff_t>(rank), pads.end());
  for (const int64_t p : pads) {  // pad_c1
    if (p < 0 || p > Shape::kMaxElements) {
      return absl::InvalidArgumentError(absl::StrCat("pad ", p, " is negative or too large"));
    }
  }
  for (size_t d = 0; d < rank; ++d) {
    RETURN_IF_ERROR(Annotate(CheckMirror(shape[d], std::max(pad.begins[d], pad.ends[d]), pad.mode),
                             absl::StrCat("dimension ", d, " of ", shape.ToString())));
  }
  return pad;
}

absl::StatusOr<std::vector<TensorType>> InferPad(const InferContext& context) {
  RETURN_IF_ERROR(CheckOperands(context, 1));
  TensorType output = context.inputs[0];
  RETURN_IF_ERROR(RejectPerChannel(output));  // pad_c5
  ASSIGN_OR_RETURN(const PadAttributes pad, ParsePad(context.attributes, output.shape));
  for (size_t d = 0; d < output.shape.rank(); ++d) {
    output.shape[d] += pad.begins[d] + pad.ends[d];
  }
  RETURN_IF_ERROR(output.shape.Validate());
  return std::vector<TensorType>{output};
}

// `value` as it is stored in an integer tensor of `type`.
absl::StatusOr<int64_t> IntegerValue(const TensorType& type, float value) {
  if (type.dtype == DataType::kInt64) {
    if (value == std::trunc(value) && std::fabs(value) < 0x1p63f)
      return static_cast<int64_t>(value);
  } else {
    const IntegerRange range = RangeOf(type.dtype);
    if (type.quant.quantized()) {
      return QuantizeValue(value, type.quant.scale(), type.quant.zero_point(),
                           static_cast<int32_t>(range.min),
                           static_cast<int32_t>(std::min<int64_t>(range.max, INT32_MAX)));
    }
    // Compared as double, in which every bound is exact.
    if (value == std::trunc(value) &&
        static_cast<double>(value) >= static_cast<double>(range.min) &&
        static_cast<double>(value) <= static_cast<double>(range.max)) {
      return static_cast<int64_t>(value);
    }
  }
  // pad_c4.
  return absl::InvalidArgumentError(
      absl::StrCat("value ", FloatToString(value), " is no ", Name(type.dtype)));
}

absl::StatusOr<std::array<uint8_t, 8>> StoredValue(const TensorType& type, float value) {
  std::array<uint8_t, 8> bytes = {};
  if (type.dtype == DataType::kFloat32) {
    std::memcpy(bytes.data(), &value, sizeof(value));
  } else if (type.dtype == DataType::kFloat16) {
    const uint16_t half = FloatToHalf(value);
    std::memcpy(bytes.data(), &half, sizeof(half));
  } else {
    ASSIGN_OR_RETURN(const int64_t integer, IntegerValue(type, value));
    std::memcpy(bytes.data(), &integer, sizeof(integer));  // little endian
  }
  return bytes;
}

// Input index of each output index of one dimension.
std::vector<int64_t> MapOf(int64_t extent, int64_t begin, int64_t end, absl::string_view mode) {
  std::vector<int64_t> map(static_cast<size_t>(begin + extent + end));
  for (size_t i = 0; i < map.size(); ++i) {
    int64_t index = static_cast<int64_t>(i) - begin;
    if (index < 0 || index >= extent) {
      if (mode == "constant") {
        index = -1;
      } else if (mode == "edge") {
        index = index < 0 ? 0 : extent - 1;
      } else {
        index = index < 0 ? -index : 2 * (extent - 1) - index;
      }
    }
    map[i] = index;
  }
  return map;
}

// The fast path's view: the output as rows along the last dimension that is
// padded; what lies inside of it is one larger element.
struct PadRows {
  std::vector<std::vector<int64_t>> outer;  // PadPlan::map of the dimensions around a row
  std::vector<int64_t> outer_strides;       // in the input, in bytes
  std::vector<int64_t> map;                 // of the row's dimension
  int64_t before = 0, middle = 0;           // elements of a row that come before, and from, x
  int64_t run = 0;                          // bytes of the larger element
  int64_t rows = 1;
  std::vector<uint8_t> constant;  // a whole row of the constant; empty in the other modes
};

// Input offset of an output row in bytes, -1 if the row is all constant.
int64_t FindRow(const PadRows& rows, int64_t row) {
  int64_t source = 0;
  for (size_t d = rows.outer.size(); d-- > 0;) {
    const int64_t extent = static_cast<int64_t>(rows.outer[d].size());
    const int64_t index = rows.outer[d][static_cast<size_t>(row % extent)];
    if (index < 0) return -1;
    row /= extent;
    source += index * rows.outer_strides[d];
  }
  return source;
}

void CopyBorder(const PadRows& rows, const uint8_t* input, uint8_t* output, int64_t begin,
                int64_t end) {
  if (begin == end) return;
  if (!rows.constant.empty()) {
    std::memcpy(output + begin * rows.run, rows.constant.data(),
                static_cast<size_t>((end - begin) * rows.run));
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    std::memcpy(output + i * rows.run, input + rows.map[static_cast<size_t>(i)] * rows.run,
                static_cast<size_t>(rows.run));
  }
}

void RunRow(const PadRows& rows, int64_t row, const KernelArgs& args) {
  const int64_t extent = static_cast<int64_t>(rows.map.size());
  uint8_t* output = args.output<uint8_t>(0) + row * extent * rows.run;
  const int64_t offset = FindRow(rows, row);
  if (offset < 0) return CopyBorder(rows, nullptr, output, 0, extent);
  const uint8_t* input = args.input<uint8_t>(0) + offset;
  CopyBorder(rows, input, output, 0, rows.before);
  std::memcpy(output + rows.before * rows.run, input, static_cast<size_t>(rows.middle * rows.run));
  CopyBorder(rows, input, output, rows.before + rows.middle, extent);
}

PadRows MakeRows(const PadPlan& plan, const PadAttributes& pad, const Shape& input) {
  size_t last = input.rank() - 1;
  while (last > 0 && pad.begins[last] == 0 && pad.ends[last] == 0) --last;
  PadRows rows;
  rows.outer.assign(plan.map.begin(), plan.map.begin() + static_cast<ptrdiff_t>(last));
  for (size_t d = 0; d < last; ++d) {
    rows.outer_strides.push_back(plan.input_strides[d] * plan.element_size);
  }
  rows.map = plan.map[last];
  rows.before = pad.begins[last];
  rows.middle = input[last];
  rows.run = plan.input_strides[last] * plan.element_size;
  rows.rows = plan.OutputElements(0, last);
  if (pad.mode == "constant") {
    rows.constant.resize(rows.map.size() * static_cast<size_t>(rows.run));
    for (size_t i = 0; i < rows.constant.size(); ++i) {
      rows.constant[i] = plan.value[i % static_cast<size_t>(plan.element_size)];
    }
  }
  return rows;
}

Kernel RowKernel(PadRows rows) {
  Kernel kernel;
  const int64_t row_bytes = static_cast<int64_t>(rows.map.size()) * rows.run;
  const int64_t block = std::max<int64_t>(1, kCopyTaskBytes / std::max<int64_t>(1, row_bytes));
  kernel.run = [rows = std::move(rows), block](const KernelArgs& args) {
    args.pool->ParallelFor((rows.rows + block - 1) / block, [&](int64_t task, int) {
      const int64_t end = std::min(rows.rows, (task + 1) * block);
      for (int64_t row = task * block; row < end; ++row) RunRow(rows, row, args);
    });
  };
  return kernel;
}

absl::StatusOr<Kernel> PreparePad(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const PadAttributes pad, ParsePad(context.attributes, x.shape));
  Kernel kernel;
  kernel.run = [](const KernelArgs&) {};
  if (context.outputs[0].shape.elements() == 0) return kernel;
  PadPlan plan{.element_size = static_cast<int64_t>(SizeOf(x.dtype)),
               .input_strides = DenseStrides(x.shape)};
  ASSIGN_OR_RETURN(plan.value, StoredValue(x, pad.value));
  for (size_t d = 0; d < x.shape.rank(); ++d) {
    plan.map.push_back(MapOf(x.shape[d], pad.begins[d], pad.ends[d], pad.mode));
  }
  // Without elements in x the strides are 0 and say nothing.
  const bool plain = x.shape.rank() == 0 || x.shape.elements() == 0;
  if (context.path == KernelPath::kFast && !plain) return RowKernel(MakeRows(plan, pad, x.shape));
  kernel.run = [plan = std::move(plan)](const KernelArgs& args) { RunPadReference(plan, args); };
  return kernel;
}

}  // namespace

int64_t PadPlan::OutputElements(size_t begin, size_t end) const {
  int64_t product = 1;
  for (size_t d = begin; d < end; ++d) product *= static_cast<int64_t>(map[d].size());
  return product;
}

absl::Span<const OpDef> PadOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "pad",
      .operands = {OperandRole::kActivation},
      .infer = InferPad,
      .prepare = PreparePad,
      .quant_rule = QuantRule::kSameAsInput,
  }};
  return *ops;
}

}  // namespace synap
