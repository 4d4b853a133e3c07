#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task over rows
constexpr int64_t kMaxBytes = int64_t{1} << 23;

struct ReduceAttributes {
  std::vector<bool> reduced;  // for each dimension of x
  bool keep_dims = true;
};

absl::StatusOr<ReduceAttributes> ReadAttributes(const Shape& shape, const Attributes& attributes) {
  AttributeReader reader(attributes);
  std::vector<int64_t> axes = reader.RequiredInts("axes", -1);
  ReduceAttributes read;
  read.keep_dims = reader.Int("keep_dims", 1) != 0;
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), shape.rank()));  // reduce_c2
  read.reduced.resize(shape.rank());
  for (const int64_t axis : axes) read.reduced[static_cast<size_t>(axis)] = true;
  return read;
}

int64_t CountOf(const Shape& shape, const std::vector<bool>& reduced) {
  int64_t count = 1;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (reduced[d]) count *= shape[d];
  }
  return count;
}

bool TakesType(ReduceFunction function, DataType type) {
  if (type == DataType::kFloat32 || type == DataType::kUint8) return true;
  const bool integer = type == DataType::kInt32 || type == DataType::kInt64;
  return integer && function != ReduceFunction::kL2;
}

template <ReduceFunction kFunction>
absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (!TakesType(kFunction, x.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), ", which this op does not take (reduce_c1)"));
  }
  ASSIGN_OR_RETURN(const ReduceAttributes attributes, ReadAttributes(x.shape, context.attributes));
  const int64_t count = CountOf(x.shape, attributes.reduced);
  if (count == 0) {
    return absl::InvalidArgumentError(absl::StrCat("x of shape ", x.shape.ToString(),
                                                   " has no elements to reduce, expected at least"
                                                   " one (reduce_c3)"));
  }
  if (x.dtype == DataType::kUint8 && count > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        count, " elements of uint8 to one, expected at most ", kMaxBytes, " (reduce_c4)"));
  }
  std::vector<int64_t> dims;
  for (size_t d = 0; d < x.shape.rank(); ++d) {
    if (!attributes.reduced[d]) dims.push_back(x.shape[d]);
    if (attributes.reduced[d] && attributes.keep_dims) dims.push_back(1);
  }
  return std::vector<TensorType>{{x.dtype, Shape(std::move(dims)), {}}};
}

// x as [outer, n, inner] with n reduced; n is 0 if the axes don't allow that view.
struct Layout {
  int64_t outer = 1, n = 1, inner = 1;
};

Layout LayoutOf(const reduce::Params& params) {
  Layout layout;
  size_t d = params.shape.rank();
  const auto take = [&](bool reduced) {
    int64_t product = 1;
    for (; d > 0 && (params.reduced[d - 1] == reduced || params.shape[d - 1] == 1); --d) {
      product *= params.shape[d - 1];
    }
    return product;
  };
  layout.inner = take(false);
  layout.n = take(true);
  layout.outer = take(false);
  if (d > 0) layout.n = 0;
  return layout;
}

// Immutable while it runs.
struct Plan {
  reduce::Params params;
  Layout layout;
  reduce::VectorLoops loops;
  size_t element_size = 4;
};

// Results of VectorLoops: float for float32, int32 or uint8 for uint8.
union Reduced {
  float real[reduce::kColumns];
  int32_t sum[reduce::kColumns];
  uint8_t extreme[reduce::kColumns];
};

// Stores reduced values to outputs [at, at + width). `x`: index of the first element of the first.
void Store(const Plan& plan, const Reduced& reduced, int64_t x, int64_t at, int64_t width,
           const KernelArgs& args) {
  const reduce::Params& params = plan.params;
  const bool extreme =
      params.function == ReduceFunction::kMax || params.function == ReduceFunction::kMin;
  for (int64_t c = 0; c < width; ++c) {
    if (params.type == DataType::kFloat32) {
      args.output<float>(0)[at + c] =
          Finish(params, reduced.real[c], args.input<float>(0) + x + c, plan.layout.inner);
    } else {
      args.output<uint8_t>(0)[at + c] =
          extreme ? FromExtreme(params, reduced.extreme[c]) : FromSum(params, reduced.sum[c]);
    }
  }
}

void RunRows(const Plan& plan, const KernelArgs& args) {
  const int64_t n = plan.layout.n;
  const int64_t rows = std::max<int64_t>(1, kBlock / n);
  args.pool->ParallelFor((plan.layout.outer + rows - 1) / rows, [&](int64_t task, int) {
    const int64_t end = std::min(plan.layout.outer, (task + 1) * rows);
    for (int64_t row = task * rows; row < end; ++row) {
      Reduced reduced;
      plan.loops.row(args.input<uint8_t>(0) + static_cast<size_t>(row * n) * plan.element_size, n,
                     &reduced);
      Store(plan, reduced, row * n, row, 1, args);
    }
  });
}

void RunColumns(const Plan& plan, const KernelArgs& args) {
  const Layout& layout = plan.layout;
  const int64_t tasks = (layout.inner + reduce::kColumns - 1) / reduce::kColumns;
  args.pool->ParallelFor(layout.outer * tasks, [&](int64_t task, int) {
    const int64_t column = task % tasks * reduce::kColumns;
    const int64_t width = std::min(reduce::kColumns, layout.inner - column);
    const int64_t outer = task / tasks;
    const int64_t begin = outer * layout.n * layout.inner + column;
    Reduced reduced;
    plan.loops.columns(args.input<uint8_t>(0) + static_cast<size_t>(begin) * plan.element_size,
                       layout.n, layout.inner, width, &reduced);
    Store(plan, reduced, begin, outer * layout.inner + column, width, args);
  });
}

absl::Status SetQuantizers(const PrepareContext& context, reduce::Params& params) {
  const QuantParams& in = context.inputs[0].quant;
  const QuantParams& out = context.outputs[0].quant;
  const auto is_affine = [](const QuantParams& quant) {
    return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
  };
  if (!is_affine(in) || !is_affine(out)) {
    return absl::UnimplementedError("no kernel for uint8 without a quantizer per tensor");
  }
  params.in_scale = in.scale();
  params.in_zero_point = in.zero_point();
  params.out_scale = out.scale();
  params.out_zero_point = out.zero_point();
  const double count =
      params.function == ReduceFunction::kMean ? static_cast<double>(params.count) : 1.0;
  params.multiplier = static_cast<float>(static_cast<double>(in.scale()) /
                                         (static_cast<double>(out.scale()) * count));
  return absl::OkStatus();
}

template <ReduceFunction kFunction>
absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  if (x.dtype != out.dtype || !TakesType(kFunction, x.dtype)) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(out.dtype)));
  }
  ASSIGN_OR_RETURN(ReduceAttributes attributes, ReadAttributes(x.shape, context.attributes));
  Plan plan;
  plan.params = {.function = kFunction,
                 .type = x.dtype,
                 .shape = x.shape,
                 .reduced = std::move(attributes.reduced)};
  plan.params.outputs = out.shape.elements();
  plan.params.count = CountOf(x.shape, plan.params.reduced);
  if (x.dtype == DataType::kUint8) RETURN_IF_ERROR(SetQuantizers(context, plan.params));
  plan.element_size = SizeOf(x.dtype);
  plan.layout = LayoutOf(plan.params);
  if (context.path == KernelPath::kFast) plan.loops = reduce::FindVectorLoops(kFunction, x.dtype);
  if (plan.params.outputs == 0) return Kernel{[](const KernelArgs&) {}};
  if (plan.loops.row == nullptr || plan.layout.n == 0) {
    return Kernel{[params = plan.params](const KernelArgs& args) { Reference(params, args); }};
  }
  return Kernel{[plan](const KernelArgs& args) {
    return plan.layout.inner == 1 ? RunRows(plan, args) : RunColumns(plan, args);
  }};
}

OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = inputs[0].shape.elements()};
}

std::optional<std::vector<int64_t>> SinkTranspose(absl::Span<const int64_t> perm,
                                                  Attributes& attributes) {
  AttributeReader reader(attributes);
  std::vector<bool> reduced(perm.size());
  for (const int64_t axis : reader.RequiredInts("axes", -1)) {
    reduced[static_cast<size_t>(perm[AxisFromFront(axis, perm.size())])] = true;
  }
  const bool keep_dims = reader.Int("keep_dims", 1) != 0;
  std::vector<int64_t> axes, left(perm.size());  // left: the output's dimension for each of x's
  for (size_t d = 0; d < perm.size(); ++d) {
    left[d] = static_cast<int64_t>(keep_dims ? d : d - axes.size());
    if (reduced[d]) axes.push_back(static_cast<int64_t>(d));
  }
  std::vector<int64_t> after;
  for (const int64_t dimension : perm) {
    const auto d = static_cast<size_t>(dimension);
    if (keep_dims || !reduced[d]) after.push_back(left[d]);
  }
  attributes["axes"] = axes;
  return after;
}

double AveragedElements(const TensorType& input, const TensorType& output, const Attributes&) {
  return static_cast<double>(input.shape.elements()) / static_cast<double>(output.shape.elements());
}

template <ReduceFunction kFunction>
OpDef Define(absl::string_view name) {
  return OpDef{
      .name = name,
      .operands = {OperandRole::kActivation},
      .infer = &Infer<kFunction>,
      .prepare = &Prepare<kFunction>,
      .cost = &Cost,
      .sink_transpose = &SinkTranspose,
      .averaged_elements = kFunction == ReduceFunction::kMean ? &AveragedElements : nullptr};
}

}  // namespace

absl::Span<const OpDef> ReduceOps() {
  static const auto* const ops = new std::vector<OpDef>{
      Define<ReduceFunction::kMean>("reduce_mean"), Define<ReduceFunction::kSum>("reduce_sum"),
      Define<ReduceFunction::kMax>("reduce_max"),   Define<ReduceFunction::kMin>("reduce_min"),
      Define<ReduceFunction::kProd>("reduce_prod"), Define<ReduceFunction::kL2>("reduce_l2"),
  };
  return *ops;
}

}  // namespace synap_internal
