#include "kernels/pad/pad.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/permuted_attributes.h"
#include "kernels/shared/data_movement/data_movement.h"
#include "kernels/shared/strided_copy/strided_copy.h"

namespace synap_internal {
namespace {

struct PadAttributes {
  std::vector<int64_t> begins, ends;
  std::string mode;
  float value;
};

PadMode ModeOf(absl::string_view mode) {
  if (mode == "edge") return PadMode::kEdge;
  return mode == "reflect" ? PadMode::kReflect : PadMode::kConstant;
}

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
        absl::StrCat("mode is '", pad.mode, "', expected constant, reflect or edge"));
  }
  pad.begins.assign(pads.begin(), pads.begin() + static_cast<ptrdiff_t>(rank));
  pad.ends.assign(pads.begin() + static_cast<ptrdiff_t>(rank), pads.end());
  for (const int64_t p : pads) {  // pad_c1
    if (p < 0 || p > Shape::kMaxElements) {
      return absl::InvalidArgumentError(absl::StrCat(
          "pad ", p, " is negative or too large, expected 0 to ", Shape::kMaxElements));
    }
  }
  for (size_t d = 0; d < rank; ++d) {
    RETURN_IF_ERROR(Annotate(CheckMirror(shape[d], std::max(pad.begins[d], pad.ends[d]), pad.mode),
                             absl::StrCat("dimension ", d, " of ", shape.ToString())));
  }
  return pad;
}

absl::StatusOr<std::vector<TensorType>> InferPad(const InferContext& context) {
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
  return absl::InvalidArgumentError(absl::StrCat("value ", FloatToString(value), " doesn't fit in ",
                                                 Name(type.dtype),
                                                 ", expected an integer of its range"));
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

// Fills `bytes` bytes with the constant.
void Fill(const PadPlan& plan, uint8_t* output, int64_t bytes) {
  if (bytes == 0) return;
  std::memcpy(output, plan.value.data(), static_cast<size_t>(plan.element_size));
  for (int64_t filled = plan.element_size; filled < bytes;) {
    const int64_t count = std::min(filled, bytes - filled);
    std::memcpy(output + filled, output, static_cast<size_t>(count));
    filled += count;
  }
}

// The output as rows along `dim`, the last dimension that is padded; the dimensions
// inside of it make one larger element of `run` bytes. For the fast path.
struct PadRows {
  PadPlan plan;
  size_t dim = 0;
  int64_t run = 0;
  int64_t rows = 1;

  int64_t row_bytes() const { return plan.output[dim] * run; }
};

// Input offset of an output row in bytes, -1 if the row is all constant.
int64_t FindRow(const PadRows& rows, int64_t row) {
  int64_t source = 0;
  for (size_t d = rows.dim; d-- > 0;) {
    const int64_t index = rows.plan.Source(d, row % rows.plan.output[d]);
    if (index < 0) return -1;
    row /= rows.plan.output[d];
    source += index * rows.plan.input_strides[d];
  }
  return source * rows.plan.element_size;
}

// Elements [begin, end) of a row, all of them outside of x.
void CopyBorder(const PadRows& rows, const uint8_t* input, uint8_t* output, int64_t begin,
                int64_t end) {
  if (rows.plan.mode == PadMode::kConstant) {
    return Fill(rows.plan, output + begin * rows.run, (end - begin) * rows.run);
  }
  for (int64_t i = begin; i < end; ++i) {
    std::memcpy(output + i * rows.run, input + rows.plan.Source(rows.dim, i) * rows.run,
                static_cast<size_t>(rows.run));
  }
}

void RunRow(const PadRows& rows, int64_t row, const KernelArgs& args) {
  uint8_t* output = args.output<uint8_t>(0) + row * rows.row_bytes();
  const int64_t offset = FindRow(rows, row);
  if (offset < 0) return Fill(rows.plan, output, rows.row_bytes());
  const uint8_t* input = args.input<uint8_t>(0) + offset;
  const int64_t begin = rows.plan.begins[rows.dim];
  const int64_t middle = rows.plan.input[rows.dim];
  CopyBorder(rows, input, output, 0, begin);
  std::memcpy(output + begin * rows.run, input, static_cast<size_t>(middle * rows.run));
  CopyBorder(rows, input, output, begin + middle, rows.plan.output[rows.dim]);
}

// REQUIRES: x is not empty and no scalar.
Kernel RowKernel(const PadPlan& plan) {
  PadRows rows{.plan = plan, .dim = plan.input.rank() - 1};
  while (rows.dim > 0 && plan.input[rows.dim] == plan.output[rows.dim]) --rows.dim;
  rows.run = plan.input_strides[rows.dim] * plan.element_size;
  rows.rows = plan.output.Product(0, rows.dim);
  const int64_t block = std::max<int64_t>(1, kCopyTaskBytes / rows.row_bytes());
  Kernel kernel;
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
  ASSIGN_OR_RETURN(PadAttributes pad, ParsePad(context.attributes, x.shape));
  PadPlan plan{.element_size = static_cast<int64_t>(SizeOf(x.dtype)),
               .mode = ModeOf(pad.mode),
               .begins = std::move(pad.begins),
               .input = x.shape,
               .output = context.outputs[0].shape,
               .input_strides = DenseStrides(x.shape)};
  ASSIGN_OR_RETURN(plan.value, StoredValue(x, pad.value));
  // Without elements in x the strides are 0 and meaningless.
  const bool plain = x.shape.rank() == 0 || x.shape.elements() == 0;
  if (context.path == KernelPath::kFast && !plain) return RowKernel(plan);
  Kernel kernel;
  kernel.run = [plan = std::move(plan)](const KernelArgs& args) { RunPadReference(plan, args); };
  return kernel;
}

bool IsIdentity(absl::Span<const TensorType>, const Attributes& attributes) {
  const std::vector<int64_t> pads = AttributeReader(attributes).RequiredInts("pads", -1);
  return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
}

// A constant other than 0 is no value of the operand, and may have no integer in its quantizer.
bool PicksValues(const Attributes& attributes) {
  AttributeReader reader(attributes);
  return reader.String("mode", "constant") != "constant" || reader.Float("value", 0) == 0;
}

std::optional<std::vector<int64_t>> SinkTranspose(absl::Span<const int64_t> perm,
                                                  Attributes& attributes) {
  PermuteValues(perm, "pads", 2, attributes);
  return std::vector<int64_t>(perm.begin(), perm.end());
}

}  // namespace

absl::Span<const OpDef> PadOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "pad",
      .operands = {OperandRole::kActivation},
      .own_types = OwnTypes::kAny,
      .infer = InferPad,
      .prepare = PreparePad,
      .quant_rule = QuantRule::kSameAsInput,
      .movement = Movement::kPad,
      .is_identity = IsIdentity,
      .picks_values = PicksValues,
      .sink_transpose = SinkTranspose,
  }};
  return *ops;
}

}  // namespace synap_internal
