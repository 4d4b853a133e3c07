#include "compiler/testing/random_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/axes.h"
#include "base/check.h"
#include "compiler/testing/random_choice.h"
#include "kernels/emulated_types.h"
#include "kernels/registry.h"
#include "kernels/shared/linear/linear.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kMaxElements = 2000;  // of a tensor
constexpr size_t kSteps = 8;            // ops or patterns of a graph

// Small differences of the operands stay small.
const std::set<absl::string_view>& SmoothOps() {
  static const auto* const ops = new std::set<absl::string_view>{"add",
                                                                 "avg_pool2d",
                                                                 "clip",
                                                                 "concat",
                                                                 "conv2d",
                                                                 "elu",
                                                                 "expand",
                                                                 "gelu",
                                                                 "hard_sigmoid",
                                                                 "hard_swish",
                                                                 "leaky_relu",
                                                                 "matmul",
                                                                 "max_pool2d",
                                                                 "maximum",
                                                                 "minimum",
                                                                 "mul",
                                                                 "pad",
                                                                 "prelu",
                                                                 "reduce_max",
                                                                 "reduce_mean",
                                                                 "relu",
                                                                 "relu6",
                                                                 "reshape",
                                                                 "sigmoid",
                                                                 "silu",
                                                                 "slice",
                                                                 "softmax",
                                                                 "sub",
                                                                 "tanh",
                                                                 "transpose",
                                                                 "cumsum",
                                                                 "abs",
                                                                 "neg",
                                                                 "resize",
                                                                 "fully_connected",
                                                                 "erf",
                                                                 "depthwise_conv2d",
                                                                 "conv_transpose2d"};
  return *ops;
}

class Builder {
 public:
  Builder(GraphKind kind, uint64_t seed) : kind_(kind), choice_(seed) {
    graph_.name = absl::StrCat(Name(kind), "_", seed);
  }

  Graph Build() {
    AddInputs();
    for (size_t step = 0; step < kSteps; ++step) {
      if (choice_.OneIn(2)) {
        AddPattern();
      } else {
        AddRandomOp();
      }
    }
    ChooseOutputs();
    const absl::Status valid = VerifyGraph(graph_);
    CHECK(valid.ok());
    return std::move(graph_);
  }

 private:
  using Recipe = Tensor* (Builder::*)(Tensor* x);

  // ---- types -------------------------------------------------------------------------------

  bool quantized() const {
    return kind_ == GraphKind::kUint8 || kind_ == GraphKind::kInt8 || kind_ == GraphKind::kInt16;
  }

  DataType dtype() const {
    if (kind_ == GraphKind::kUint8) return DataType::kUint8;
    if (kind_ == GraphKind::kInt8) return DataType::kInt8;
    return kind_ == GraphKind::kInt16 ? DataType::kInt16 : DataType::kFloat32;
  }

  QuantParams RandomQuantizer(DataType type) {
    const float step = std::ldexp(1.0f, static_cast<int>(choice_.Between(-6, -2)));
    const bool power = kind_ == GraphKind::kConverted || choice_.OneIn(3);
    const float scale = power ? step : step * choice_.Between(65, 127) / 64;
    if (type == DataType::kInt16) return QuantParams::FixedPoint(choice_.Between(8, 12));
    const IntegerRange range = RangeOf(type);
    return QuantParams::Affine(scale, choice_.Between(range.min, range.max));
  }

  TensorType Activation(Shape shape) {
    if (!quantized()) return {DataType::kFloat32, std::move(shape), {}};
    return {dtype(), std::move(shape), RandomQuantizer(dtype())};
  }

  // ---- tensors -----------------------------------------------------------------------------

  Shape ImageShape() {
    return Shape({choice_.Between(1, 2), choice_.Between(2, 6), choice_.Between(3, 7),
                  choice_.Between(1, 5)});
  }

  void AddInputs() {
    AddInput(Activation(ImageShape()));
    AddInput(Activation(Shape({choice_.Between(1, 4), choice_.Between(2, 6)})));
    if (choice_.OneIn(2)) AddInput(Activation(Shape({choice_.Between(2, 7)})));
    if (quantized() && choice_.OneIn(3)) AddInput({DataType::kFloat32, ImageShape(), {}});
  }

  void AddInput(TensorType type) {
    if (kind_ == GraphKind::kConverted) {
      type.dtype = choice_.OneIn(2) ? DataType::kUint8 : DataType::kInt8;
      type.quant = RandomQuantizer(type.dtype);
    }
    Tensor* input = graph_.AddTensor(graph_.UniqueName("x"), std::move(type));
    graph_.inputs.push_back(input);
    if (kind_ == GraphKind::kConverted) input = Add("dequantize", {input}, {});
    CHECK(input != nullptr);
    pool_.push_back(input);
  }

  // The newest of the tensors more often than not.
  Tensor* Pick() {
    if (choice_.OneIn(2)) return pool_.back();
    return pool_[choice_.Below(pool_.size())];
  }

  // A tensor of that rank, its type that of flowing data; null if there is none.
  Tensor* PickRank(size_t rank) {
    std::vector<Tensor*> fitting;
    for (Tensor* t : pool_) {
      if (t->type.shape.rank() == rank && t->type.dtype == dtype()) fitting.push_back(t);
    }
    if (fitting.empty()) return nullptr;
    return choice_.OneIn(2) ? fitting.back() : fitting[choice_.Below(fitting.size())];
  }

  Tensor* RandomConstant(TensorType type) {
    const TestTensor data = RandomTensor(type, random());
    return graph_.AddConstant("c", std::move(type), Constant::Own(data.bytes()));
  }

  Tensor* FloatConstant(Shape shape, std::vector<float> values) {
    return graph_.AddConstant("s", {DataType::kFloat32, std::move(shape), {}},
                              Constant::Own(std::move(values)));
  }

  // Of magnitude 1/2 to 2: products and quotients stay of a size.
  Tensor* Factors(Shape shape) {
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    for (float& value : values) {
      value = choice_.Between(32, 128) / 64.0f * (choice_.OneIn(2) ? 1 : -1);
    }
    return FloatConstant(std::move(shape), std::move(values));
  }

  Tensor* Indices(Shape shape, int64_t extent) {
    std::vector<int64_t> values(static_cast<size_t>(shape.elements()));
    for (int64_t& value : values) value = choice_.Between(-extent, extent - 1);
    return graph_.AddConstant("i", {DataType::kInt64, std::move(shape), {}},
                              Constant::Own(std::move(values)));
  }

  // ---- ops ---------------------------------------------------------------------------------

  // The types of the outputs with quantizers; empty if the op takes no such operands.
  std::vector<TensorType> OutputsOf(const OpDef& def, absl::Span<Tensor* const> inputs,
                                    const Attributes& attributes) {
    std::vector<TensorType> operands;
    for (const Tensor* t : inputs) operands.push_back(t == nullptr ? TensorType{} : t->type);
    absl::StatusOr<std::vector<TensorType>> types = InferOp(def, {operands, attributes});
    if (!types.ok()) return {};
    for (TensorType& type : *types) {
      if (type.shape.elements() > kMaxElements || type.shape.elements() == 0) return {};
      if (operands.empty() || !operands[0].quant.quantized() || type.dtype != operands[0].dtype) {
        continue;
      }
      if (def.quant_rule == QuantRule::kOwnRange) type.quant = RandomQuantizer(type.dtype);
      if (def.quant_rule == QuantRule::kFixedRange) type.quant = RangeQuantizer(def, type.dtype);
    }
    return *std::move(types);
  }

  QuantParams RangeQuantizer(const OpDef& def, DataType type) {
    const IntegerRange range = RangeOf(type);
    const float scale = (def.fixed_max - def.fixed_min) / static_cast<float>(range.max - range.min);
    const auto zero = static_cast<int64_t>(std::nearbyint(-def.fixed_min / scale)) + range.min;
    return QuantParams::Affine(scale, static_cast<int32_t>(std::clamp(zero, range.min, range.max)));
  }

  // The op's output, in the pool; null, and nothing else, if there is no kernel for it.
  Tensor* Add(absl::string_view name, std::vector<Tensor*> inputs, Attributes attributes,
              TensorType output = {}) {
    const OpDef* def = FindOp(name);
    CHECK(def != nullptr);
    if (std::find(inputs.begin(), inputs.begin() + std::min<ptrdiff_t>(def->required, Size(inputs)),
                  nullptr) != inputs.begin() + std::min<ptrdiff_t>(def->required, Size(inputs))) {
      return nullptr;
    }
    std::vector<TensorType> types = OutputsOf(*def, inputs, attributes);
    if (types.empty()) return nullptr;
    if (output.present()) types[0] = {output.dtype, types[0].shape, output.quant};
    Op op;
    op.def = def;
    op.attributes = attributes;
    // Weights that are dequantized become constant when they are folded.
    const bool folds = inputs.size() > 1 && inputs[1] != nullptr &&
                       inputs[1]->producer != nullptr &&
                       inputs[1]->producer->inputs[0]->is_constant();
    if (!folds && !CanRun(op, inputs, types).ok()) return nullptr;
    auto added = graph_.AddInferredOp(name, std::move(inputs), std::move(attributes),
                                      {absl::StrCat("n", graph_.ops().size())}, "t");
    CHECK(added.ok());
    for (size_t i = 0; i < types.size(); ++i) {
      (*added)->outputs[i]->type = types[i];
      pool_.push_back((*added)->outputs[i]);
    }
    return pool_.back();
  }

  static ptrdiff_t Size(const std::vector<Tensor*>& list) {
    return static_cast<ptrdiff_t>(list.size());
  }

  bool Allowed(absl::string_view name) const {
    return kind_ == GraphKind::kFloat || quantized() || SmoothOps().count(name) > 0;
  }

  void AddRandomOp() {
    const absl::Span<const OpDef* const> all = AllOps();
    for (int attempt = 0; attempt < 30; ++attempt) {
      const OpDef& def = *all[choice_.Below(all.size())];
      if (!Allowed(def.name)) continue;
      const auto recipe = Recipes().find(def.name);
      Tensor* x = Pick();
      Tensor* added = recipe == Recipes().end() ? AddGeneric(def) : (this->*recipe->second)(x);
      if (added != nullptr) return Quantize(added);
    }
  }

  // Over the first operand that it takes: some ops take one data type only.
  Tensor* AddGeneric(const OpDef& def) {
    Tensor* added = AddGeneric(def, Pick());
    const std::vector<Tensor*> candidates = pool_;
    for (size_t i = 0; added == nullptr && i < candidates.size(); ++i) {
      added = AddGeneric(def, candidates[i]);
    }
    return added;
  }

  // What the op's row alone tells: operands like the first one, no attributes.
  Tensor* AddGeneric(const OpDef& def, Tensor* x) {
    std::vector<Tensor*> inputs = {x};
    while (static_cast<int>(inputs.size()) < def.required) {
      inputs.push_back(PartnerOf(x, def.operands[inputs.size()]));
    }
    Attributes attributes;
    if (kind_ == GraphKind::kFloat && choice_.OneIn(4)) attributes["max"] = 0.75f;
    Tensor* added = Add(def.name, inputs, attributes);
    if (added == nullptr) added = Add(def.name, inputs, {});
    if (added == nullptr) std::reverse(inputs.begin(), inputs.end());
    return added == nullptr ? Add(def.name, inputs, {}) : added;
  }

  // Operand beside x: another tensor, x itself, or a constant that broadcasts.
  Tensor* PartnerOf(Tensor* x, OperandRole role) {
    if (role == OperandRole::kIndex) return Indices(Shape({choice_.Between(1, 4)}), 2);
    const Shape& shape = x->type.shape;
    TensorType type = x->type;
    if (type.quant.quantized() && choice_.OneIn(2)) type.quant = RandomQuantizer(type.dtype);
    const Shape channels = shape.rank() == 0 ? Shape() : Shape({shape.back()});
    switch (choice_.Below(5)) {
      case 0:
        return pool_[choice_.Below(pool_.size())];
      case 1:
        type.shape = Shape({1});
        break;
      case 2:
        type.shape = channels;
        break;
      case 3:
        break;
      default:
        for (auto t = pool_.rbegin(); t != pool_.rend(); ++t) {
          if (*t != x && (*t)->type.dtype == type.dtype && (*t)->type.shape == shape) return *t;
        }
        return x;
    }
    return type.dtype == DataType::kFloat32 ? Factors(type.shape) : RandomConstant(type);
  }

  // ---- recipes of ops that need attributes or weights ----------------------------------------

  static const std::map<absl::string_view, Recipe>& Recipes() {
    static const auto* const recipes = new std::map<absl::string_view, Recipe>{
        {"argmax", &Builder::Axis<0>},
        {"avg_pool2d", &Builder::Pool<0>},
        {"cast", &Builder::Cast},
        {"clip", &Builder::Clip},
        {"concat", &Builder::Concat},
        {"conv2d", &Builder::Linear<0>},
        {"conv_transpose2d", &Builder::Linear<2>},
        {"cumsum", &Builder::Axis<1>},
        {"depthwise_conv2d", &Builder::Linear<1>},
        {"dequantize", &Builder::Convert<0>},
        {"expand", &Builder::Expand},
        {"fully_connected", &Builder::Linear<3>},
        {"gather", &Builder::Gather},
        {"grid_sample", &Builder::GridSample},
        {"image_to_tensor", &Builder::ImageToTensor},
        {"log_softmax", &Builder::Axis<2>},
        {"lookup", &Builder::Lookup},
        {"matmul", &Builder::Matmul},
        {"normalization", &Builder::Normalization},
        {"max_pool2d", &Builder::Pool<1>},
        {"pad", &Builder::Pad},
        {"quantize", &Builder::Convert<1>},
        {"reduce_l2", &Builder::Reduce<0>},
        {"reduce_max", &Builder::Reduce<1>},
        {"reduce_mean", &Builder::Reduce<2>},
        {"reduce_min", &Builder::Reduce<3>},
        {"reduce_prod", &Builder::Reduce<4>},
        {"reduce_sum", &Builder::Reduce<5>},
        {"requantize", &Builder::Convert<2>},
        {"reshape", &Builder::Reshape},
        {"resize", &Builder::Resize},
        {"scatter", &Builder::Scatter},
        {"slice", &Builder::Slice},
        {"softmax", &Builder::Axis<3>},
        {"top_k", &Builder::TopK},
        {"transpose", &Builder::Transpose},
        {"where", &Builder::Where},
    };
    return *recipes;
  }

  template <size_t kOp>
  Tensor* Axis(Tensor* x) {
    constexpr std::array<absl::string_view, 4> kNames = {"argmax", "cumsum", "log_softmax",
                                                         "softmax"};
    const auto rank = static_cast<int64_t>(x->type.shape.rank());
    if (rank == 0) return nullptr;
    return Add(kNames[kOp], {x}, {{"axis", choice_.Between(-rank, rank - 1)}});
  }

  template <size_t kOp>
  Tensor* Pool(Tensor*) {
    Attributes attributes = {{"kernel", Dims{choice_.Between(1, 3), choice_.Between(1, 3)}}};
    if (choice_.OneIn(2)) {
      attributes["strides"] = Dims{choice_.Between(1, 3), choice_.Between(1, 3)};
      attributes["pads"] = RandomPads();
    }
    return Add(kOp == 0 ? "avg_pool2d" : "max_pool2d", {PickRank(4)}, std::move(attributes));
  }

  Dims RandomPads() {
    return {choice_.Between(0, 2), choice_.Between(0, 2), choice_.Between(0, 2),
            choice_.Between(0, 2)};
  }

  template <size_t kOp>
  Tensor* Reduce(Tensor* x) {
    constexpr std::array<absl::string_view, 6> kNames = {"reduce_l2",  "reduce_max",  "reduce_mean",
                                                         "reduce_min", "reduce_prod", "reduce_sum"};
    const auto rank = static_cast<int64_t>(x->type.shape.rank());
    if (rank == 0) return nullptr;
    Dims axes = {choice_.Between(-rank, rank - 1)};
    const int64_t second = choice_.Between(-rank, rank - 1);
    if ((second - axes[0]) % rank != 0) axes.push_back(second);
    // Sums and products of more floats depend on their order, which a transpose may change.
    const bool extreme = kNames[kOp] == "reduce_max" || kNames[kOp] == "reduce_min";
    int64_t count = 1;
    for (const int64_t axis : axes)
      count *= x->type.shape[AxisFromFront(axis, x->type.shape.rank())];
    if (kind_ == GraphKind::kFloat && !extreme && count > 2) return nullptr;
    Attributes attributes = {{"axes", axes}};
    if (choice_.OneIn(2)) attributes["keep_dims"] = choice_.Between(0, 1);
    return Add(kNames[kOp], {x}, std::move(attributes));
  }

  // Along one dimension, with factors of each of its elements.
  Tensor* Normalization(Tensor* x) {
    const Shape& shape = x->type.shape;
    if (shape.rank() == 0) return nullptr;
    const size_t axis = choice_.Below(shape.rank());
    Dims dims(shape.rank() - axis, 1);
    dims[0] = shape[axis];
    std::vector<Tensor*> operands = {x, nullptr, nullptr};
    for (size_t i = 1; i < 3; ++i) {
      if (choice_.OneIn(2)) operands[i] = Factors(Shape(dims));
    }
    Attributes attributes = {{"axes", Dims{static_cast<int64_t>(axis)}}, {"epsilon", 0.5f}};
    if (choice_.OneIn(3)) attributes["center"] = int64_t{0};
    return Add("normalization", std::move(operands), std::move(attributes));
  }

  Tensor* Cast(Tensor* x) {
    const char* const to = choice_.Of({"float32", "int64", "int32", "bool"});
    return Add("cast", {x}, {{"to", std::string(to)}});
  }

  Tensor* Clip(Tensor* x) {
    return Add(
        "clip", {x},
        {{"min", choice_.Between(-128, 0) / 128.0f}, {"max", choice_.Between(1, 384) / 128.0f}});
  }

  Tensor* Concat(Tensor* x) {
    const auto rank = static_cast<int64_t>(x->type.shape.rank());
    if (rank == 0) return nullptr;
    std::vector<Tensor*> parts = {x};
    for (Tensor* t : pool_) {
      if (parts.size() < 3 && t->type.dtype == x->type.dtype && choice_.OneIn(2) &&
          t->type.shape == x->type.shape) {
        parts.push_back(t);
      }
    }
    return Add("concat", std::move(parts), {{"axis", choice_.Between(-rank, rank - 1)}});
  }

  template <size_t kOp>
  Tensor* Convert(Tensor* x) {
    if (!quantized()) return nullptr;
    const TensorType real{DataType::kFloat32, {}, {}},
        integers{dtype(), {}, RandomQuantizer(dtype())};
    if (kOp == 0) return Add("dequantize", {x}, {}, real);
    return Add(kOp == 1 ? "quantize" : "requantize", {x}, {}, integers);
  }

  Tensor* Expand(Tensor* x) {
    Dims shape = x->type.shape.dims();
    for (int64_t& dim : shape) {
      if (dim == 1) dim = choice_.Between(1, 3);
    }
    if (choice_.OneIn(2)) shape.insert(shape.begin(), choice_.Between(1, 2));
    return Add("expand", {x}, {{"shape", shape}});
  }

  Tensor* Gather(Tensor* x) {
    const auto rank = static_cast<int64_t>(x->type.shape.rank());
    if (rank == 0) return nullptr;
    const int64_t axis = choice_.Between(0, rank - 1);
    const int64_t extent = x->type.shape[static_cast<size_t>(axis)];
    return Add("gather", {x, Indices(Shape({choice_.Between(1, 4)}), extent)}, {{"axis", axis}});
  }

  Tensor* GridSample(Tensor*) {
    Tensor* x = PickRank(4);
    if (x == nullptr) return nullptr;
    return Add("grid_sample", {x, Factors(Shape({x->type.shape[0], 2, 3, 2}))}, {});
  }

  Tensor* ImageToTensor(Tensor*) {
    const Shape picture({1, choice_.Between(1, 4), choice_.Between(1, 4), 3});
    return Add("image_to_tensor", {RandomConstant({DataType::kUint8, picture, {}})},
               {{"type", std::string("rgb")},
                {"size", Dims{choice_.Between(1, 4), choice_.Between(1, 4)}},
                {"scale", std::vector<float>{128}}});
  }

  Tensor* Lookup(Tensor* x) {
    const TensorType integers{DataType::kUint8, {}, RandomQuantizer(DataType::kUint8)};
    if (kind_ != GraphKind::kUint8 || x->type.dtype != DataType::kUint8) return nullptr;
    return Add("lookup", {x, RandomConstant({DataType::kUint8, Shape({256}), {}})}, {}, integers);
  }

  Tensor* Matmul(Tensor*) {
    Tensor* x = PickRank(2);
    if (x == nullptr) return nullptr;
    const Shape shape({x->type.shape.back(), choice_.Between(1, 5)});
    if (choice_.OneIn(3)) {  // attention
      Tensor* values = Add("transpose", {x}, {{"perm", Dims{1, 0}}});
      Tensor* weights = Add("softmax", {x}, {{"axis", int64_t{1}}});
      return Add("matmul", {weights, values}, {});
    }
    return Add(
        "matmul",
        {x, choice_.OneIn(3) ? Add("transpose", {x}, {{"perm", Dims{1, 0}}}) : Weights(shape, 1)},
        {});
  }

  Tensor* Pad(Tensor* x) {
    Dims pads(2 * x->type.shape.rank());
    for (int64_t& pad : pads) pad = choice_.OneIn(3) ? choice_.Between(1, 2) : 0;
    Attributes attributes = {{"pads", pads}};
    if (choice_.OneIn(3)) attributes["mode"] = std::string(choice_.Of({"edge", "reflect"}));
    if (choice_.OneIn(3)) attributes["value"] = 0.5f;
    return Add("pad", {x}, std::move(attributes));
  }

  Tensor* Reshape(Tensor* x) {
    Dims shape = x->type.shape.dims();
    if (shape.empty() || choice_.OneIn(6)) return Add("reshape", {x}, {{"shape", shape}});
    const size_t at = choice_.Below(shape.size());
    switch (choice_.Below(3)) {
      case 0:
        shape.insert(shape.begin() + static_cast<ptrdiff_t>(at), 1);
        break;
      case 1:
        if (at + 1 == shape.size()) return nullptr;
        shape[at] *= shape[at + 1];
        shape.erase(shape.begin() + static_cast<ptrdiff_t>(at) + 1);
        break;
      default: {
        const int64_t factor = choice_.Between(2, 3);
        if (shape[at] % factor != 0) return nullptr;
        shape[at] /= factor;
        shape.insert(shape.begin() + static_cast<ptrdiff_t>(at), factor);
      }
    }
    return Add("reshape", {x}, {{"shape", shape}});
  }

  Tensor* Resize(Tensor*) {
    Tensor* x = PickRank(4);
    if (x == nullptr) return nullptr;
    const int64_t height = x->type.shape[1], width = x->type.shape[2];
    const std::string mode = choice_.Of({"nearest", "linear"});
    return Add(
        "resize", {x},
        {{"mode", mode}, {"size", Dims{2 * height, width}}, {"scales", std::vector<float>{2, 1}}});
  }

  Tensor* Scatter(Tensor* x) {
    if (x->type.shape.rank() == 0) return nullptr;
    TensorType updates = x->type;
    Dims dims = updates.shape.dims();
    const Shape indices({choice_.Between(1, 3)});
    dims[0] = indices[0];
    updates.shape = Shape(dims);
    return Add("scatter", {x, Indices(indices, x->type.shape[0]), RandomConstant(updates)}, {});
  }

  Tensor* Slice(Tensor* x) {
    Dims starts, sizes, steps;
    for (const int64_t dim : x->type.shape.dims()) {
      const bool whole = choice_.OneIn(2);
      const int64_t step = !whole && choice_.OneIn(3) ? choice_.Of({int64_t{-1}, int64_t{2}}) : 1;
      const int64_t size = whole ? dim : choice_.Between(1, (dim + 1) / 2);
      steps.push_back(step);
      sizes.push_back(size);
      starts.push_back(step < 0 ? dim - 1 : 0);
      if (step == 1 && !whole) starts.back() = choice_.Between(0, dim - size);
    }
    return Add("slice", {x}, {{"starts", starts}, {"sizes", sizes}, {"steps", steps}});
  }

  Tensor* TopK(Tensor* x) {
    if (x->type.shape.rank() == 0) return nullptr;
    return Add("top_k", {x}, {{"k", choice_.Between(1, x->type.shape.back())}});
  }

  Tensor* Transpose(Tensor* x) {
    Dims perm;
    for (size_t i = 0; i < x->type.shape.rank(); ++i) perm.push_back(static_cast<int64_t>(i));
    for (size_t i = perm.size(); i > 1; --i) std::swap(perm[i - 1], perm[choice_.Below(i)]);
    return Add("transpose", {x}, {{"perm", perm}});
  }

  Tensor* Where(Tensor* x) {
    TensorType condition{DataType::kBool, x->type.shape, {}};
    return Add("where", {RandomConstant(condition), x, PartnerOf(x, OperandRole::kActivation)}, {});
  }

  // ---- layers ------------------------------------------------------------------------------

  // Constant weights in the kind's type; `axis` counts output channels.
  Tensor* Weights(Shape shape, int32_t axis) {
    if (kind_ == GraphKind::kFloat || kind_ == GraphKind::kSmooth) {
      std::vector<float> values(static_cast<size_t>(shape.elements()));
      for (float& value : values) value = choice_.Between(-96, 96) / 128.0f;
      return FloatConstant(std::move(shape), std::move(values));
    }
    const bool by_channel = choice_.OneIn(2) && axis >= 0;
    TensorType type{by_channel ? DataType::kInt8 : DataType::kUint8, shape, {}};
    if (!by_channel && kind_ == GraphKind::kInt16) type.dtype = DataType::kInt16;
    if (!by_channel && kind_ == GraphKind::kInt8) type.dtype = DataType::kInt8;
    if (by_channel) {
      std::vector<float> scales;
      for (int64_t c = 0; c < shape[static_cast<size_t>(axis)]; ++c) {
        scales.push_back(std::ldexp(1.0f, static_cast<int>(choice_.Between(-9, -6))));
      }
      type.quant = QuantParams::PerChannel(std::move(scales), axis);
    } else {
      type.quant = type.dtype == DataType::kInt16 ? QuantParams::FixedPoint(14)
                                                  : RandomQuantizer(type.dtype);
    }
    Tensor* weights = RandomConstant(std::move(type));
    if (kind_ != GraphKind::kConverted) return weights;
    const TensorType real{DataType::kFloat32, {}, {}};
    auto op = graph_.AddInferredOp("dequantize", {weights}, {}, {"w"}, "w");
    CHECK(op.ok());
    return (*op)->output();
  }

  Tensor* Bias(const Tensor& x, const Tensor& weights, int64_t channels) {
    if (!x.type.quant.quantized()) {
      std::vector<float> values(static_cast<size_t>(channels));
      for (float& value : values) value = static_cast<float>(choice_.Between(-8, 8));
      return FloatConstant(Shape({channels}), std::move(values));
    }
    std::vector<int32_t> values(static_cast<size_t>(channels));
    for (int32_t& value : values) value = static_cast<int32_t>(choice_.Between(-2000, 2000));
    QuantParams quant = BiasQuantizer(x.type.quant, weights.type.quant);
    return graph_.AddConstant("b", {DataType::kInt32, Shape({channels}), std::move(quant)},
                              Constant::Own(std::move(values)));
  }

  // conv2d, depthwise_conv2d, conv_transpose2d or fully_connected over an operand of the pool.
  template <size_t kOp>
  Tensor* Linear(Tensor*) {
    Tensor* x = PickRank(kOp == 3 ? 2 : 4);
    return x == nullptr ? nullptr : LinearOver(x, kOp);
  }

  Tensor* LinearOver(Tensor* x, size_t op) {
    constexpr std::array<absl::string_view, 4> kNames = {"conv2d", "depthwise_conv2d",
                                                         "conv_transpose2d", "fully_connected"};
    const int64_t in = x->type.shape.back(), out = choice_.Between(1, 5);
    const int64_t rows = choice_.Between(1, 3), columns = choice_.Between(1, 3);
    const Shape shapes[] = {Shape({out, rows, columns, in}), Shape({1, rows, columns, in}),
                            Shape({out, rows, columns, in}), Shape({out, in})};
    Attributes attributes;
    if (op != 3 && choice_.OneIn(2)) {
      attributes["strides"] = Dims{choice_.Between(1, 2), choice_.Between(1, 3)};
      attributes["pads"] = RandomPads();
    }
    if (choice_.OneIn(5)) attributes["min"] = choice_.Between(-64, 0) / 64.0f;
    if (kind_ == GraphKind::kFloat && op != 2 && choice_.OneIn(6)) {
      attributes["activation"] = std::string(choice_.Of({"elu", "silu", "tanh"}));
    }
    Tensor* weights = Weights(shapes[op], op == 1 ? 3 : 0);
    std::vector<Tensor*> inputs = {x, weights};
    if (choice_.OneIn(2)) inputs.push_back(Bias(*x, *weights, op == 1 ? in : out));
    return Add(kNames[op], std::move(inputs), std::move(attributes));
  }

  Tensor* RandomLinear() {
    Tensor* image = PickRank(4);
    Tensor* rows = PickRank(2);
    if (image != nullptr && (rows == nullptr || !choice_.OneIn(3))) {
      return LinearOver(image, choice_.Below(3));
    }
    return rows == nullptr ? nullptr : LinearOver(rows, 3);
  }

  // ---- patterns that passes look for -----------------------------------------------------------

  void AddPattern() {
    constexpr Tensor* (Builder::*kPatterns[])() = {
        &Builder::ScaledLinear,        &Builder::PaddedConvolution, &Builder::LinearPair,
        &Builder::SpelledSilu,         &Builder::SpelledHardSwish,  &Builder::TransposedAndBack,
        &Builder::SameOpTwice,         &Builder::OpsOfNothing,      &Builder::OpsOverConstants,
        &Builder::ActivatedSum,        &Builder::ResidualSum,       &Builder::ChannelShuffle,
        &Builder::SpelledNormalization};
    Tensor* added = (this->*kPatterns[choice_.Below(std::size(kPatterns))])();
    if (added != nullptr) Quantize(added);
  }

  // The end of an island of float ops.
  void Quantize(Tensor* real) {
    if (kind_ != GraphKind::kConverted || real->type.dtype != DataType::kFloat32) return;
    const DataType type = choice_.OneIn(2) ? DataType::kUint8 : DataType::kInt8;
    Tensor* integers = Add("quantize", {real}, {}, {type, {}, RandomQuantizer(type)});
    CHECK(integers != nullptr);
    graph_.outputs.push_back(integers);
    // The next island begins at the inputs again, so that one difference is one step.
    pool_.resize(graph_.inputs.size());
  }

  Tensor* MaybeClamp(Tensor* x) {
    if (x == nullptr || choice_.OneIn(2)) return x;
    Tensor* clamped = choice_.OneIn(2) ? Clip(x) : Add(choice_.Of({"relu", "relu6"}), {x}, {});
    return clamped == nullptr ? x : clamped;
  }

  Tensor* ScaledLinear() {
    Tensor* y = RandomLinear();
    if (y == nullptr || quantized()) return MaybeClamp(y);
    const Shape& shape = y->type.shape;
    for (size_t i = choice_.Below(3); i > 0; --i) {
      Shape factors({shape.back()});
      if (choice_.OneIn(4)) factors = Shape({1});
      if (choice_.OneIn(4)) factors = Shape(Dims(shape.rank(), 1));
      if (choice_.OneIn(4)) {
        Dims dims(shape.rank(), 1);
        const size_t axis = choice_.Below(dims.size());
        dims[axis] = shape[axis];
        factors = Shape(dims);
      }
      std::vector<Tensor*> operands = {y, Factors(factors)};
      const char* const op = choice_.Of({"mul", "add", "sub", "div"});
      if (choice_.OneIn(4) && *op != 'd') std::swap(operands[0], operands[1]);
      Tensor* scaled = Add(op, operands, {});
      if (scaled != nullptr) y = scaled;
    }
    return MaybeClamp(y);
  }

  Tensor* PaddedConvolution() {
    Tensor* x = PickRank(4);
    if (x == nullptr) return nullptr;
    Dims pads = {0, choice_.Between(0, 2), choice_.Between(0, 2), 0,
                 0, choice_.Between(0, 2), choice_.Between(0, 2), 0};
    if (choice_.OneIn(5)) pads[choice_.OneIn(2) ? 3 : 7] = 1;
    Tensor* padded = Add("pad", {x}, {{"pads", pads}});
    return padded == nullptr ? nullptr : LinearOver(padded, choice_.Below(3));
  }

  Tensor* LinearPair() {
    Tensor* first = RandomLinear();
    if (first == nullptr) return nullptr;
    if (choice_.OneIn(2)) first = Add("relu", {first}, {});
    if (first == nullptr) return nullptr;
    const size_t op = first->type.shape.rank() == 4 ? choice_.Below(2) : 3;
    Tensor* second = LinearOver(first, op);
    return second == nullptr ? first : second;
  }

  Tensor* SpelledSilu() {
    Tensor* x = Pick();
    Tensor* factor = Add(choice_.OneIn(3) ? "tanh" : "sigmoid", {x}, {});
    if (factor == nullptr) return nullptr;
    return choice_.OneIn(2) ? Add("mul", {x, factor}, {}) : Add("mul", {factor, x}, {});
  }

  Tensor* SpelledHardSwish() {
    Tensor* x = Pick();
    if (x->type.dtype != DataType::kFloat32) return nullptr;
    Tensor* three = FloatConstant(Shape({1}), {choice_.OneIn(5) ? 2.0f : 3.0f});
    const bool by_quotient = choice_.OneIn(2), last = choice_.OneIn(2);
    Tensor* six = FloatConstant(Shape({1}), {by_quotient ? 6.0f : 1.0f / 6});
    const char* const scale = by_quotient ? "div" : "mul";
    Tensor* y = Add("add", {x, three}, {});
    if (y != nullptr) y = Add("relu6", {y}, {});
    if (y != nullptr && !last) y = Add(scale, {y, six}, {});
    if (y != nullptr) y = Add("mul", {x, y}, {});
    if (y != nullptr && last) y = Add(scale, {y, six}, {});
    return y;
  }

  // In the ops that it is made of, with a deviation that is far from 0. Of pairs: longer sums
  // depend on their order, which a transpose may change.
  Tensor* SpelledNormalization() {
    Tensor* x = Pick();
    const int64_t elements = x->type.shape.elements();
    if (x->type.dtype != DataType::kFloat32 || elements == 0 || elements % 2 != 0) return nullptr;
    x = Add("reshape", {x}, {{"shape", Dims{elements / 2, 2}}});
    if (x == nullptr) return nullptr;
    const Attributes over = {{"axes", Dims{1}}};
    Tensor* y = x;
    if (!choice_.OneIn(3)) y = Add("sub", {y, Add("reduce_mean", {y}, over)}, {});
    Tensor* power = Add("square", {y}, {});
    if (power != nullptr) power = Add("reduce_mean", {power}, over);
    if (power != nullptr) power = Add("add", {power, FloatConstant(Shape({1}), {1})}, {});
    if (power != nullptr && choice_.OneIn(2)) {
      y = Add("mul", {y, Add("rsqrt", {power}, {})}, {});
    } else if (power != nullptr) {
      y = Add("div", {y, Add("sqrt", {power}, {})}, {});
    }
    if (y != nullptr && choice_.OneIn(2)) y = Add("mul", {y, Factors(Shape({2}))}, {});
    if (y != nullptr && choice_.OneIn(2)) y = Add("add", {y, Factors(Shape({2}))}, {});
    return y;
  }

  Tensor* TransposedAndBack() {
    Tensor* y = Transpose(Pick());
    for (size_t i = choice_.Below(3); i > 0 && y != nullptr; --i) {
      Tensor* x = y;
      constexpr Recipe kCrossed[] = {&Builder::Slice,     &Builder::Pad,     &Builder::Concat,
                                     &Builder::Reduce<1>, &Builder::Axis<3>, &Builder::Reshape,
                                     &Builder::Expand};
      y = choice_.OneIn(3) ? AddGeneric(*FindOp(choice_.Of({"add", "sub", "relu", "maximum"})), x)
                           : (this->*kCrossed[choice_.Below(std::size(kCrossed))])(x);
      if (y == nullptr) y = x;
    }
    return y == nullptr ? nullptr : Transpose(y);
  }

  Tensor* SameOpTwice() {
    if (graph_.ops().empty()) return nullptr;
    const Op& last = graph_.ops().back();
    if (!last.inputs[0]->is_constant() && last.outputs.size() == 1) {
      Tensor* first = last.output();
      Tensor* copy = Add(last.def->name, last.inputs, last.attributes, first->type);
      if (copy != nullptr) return Add("sub", {first, copy}, {});
    }
    return nullptr;
  }

  Tensor* OpsOfNothing() {
    Tensor* x = Pick();
    const Shape shape = x->type.shape;
    Dims zeros(shape.rank(), 0), order;
    for (size_t i = 0; i < shape.rank(); ++i) order.push_back(static_cast<int64_t>(i));
    switch (choice_.Below(6)) {
      case 0:
        return Add("slice", {x}, {{"starts", zeros}, {"sizes", shape.dims()}});
      case 1:
        return Add("pad", {x}, {{"pads", Dims(2 * shape.rank(), 0)}});
      case 2:
        return Add("transpose", {x}, {{"perm", order}});
      case 3:
        return Add("concat", {x}, {{"axis", int64_t{0}}});
      case 4:
        return Add("expand", {x}, {{"shape", shape.dims()}});
      default:
        return Add("reshape", {x}, {{"shape", shape.dims()}});
    }
  }

  Tensor* OpsOverConstants() {
    Tensor* x = Pick();
    if (x->type.shape.rank() == 0 || x->type.dtype != dtype()) return nullptr;
    const TensorType type = Activation(Shape({2, x->type.shape.back()}));
    Tensor* c = type.quant.quantized() ? RandomConstant(type) : Factors(type.shape);
    Tensor* row = Add("slice", {c}, {{"starts", Dims{1, 0}}, {"sizes", Dims{1, type.shape[1]}}});
    Tensor* y = row == nullptr ? nullptr : Add("neg", {row}, {});
    return y == nullptr ? nullptr : Add("add", {x, y}, {});
  }

  Tensor* ActivatedSum() {
    Tensor* sum = RandomLinear();
    if (sum == nullptr) return nullptr;
    if (kind_ == GraphKind::kUint8 && choice_.OneIn(2)) return Lookup(sum);
    return Add(choice_.Of({"silu", "elu", "sigmoid", "leaky_relu"}), {sum}, {});
  }

  Tensor* ResidualSum() {
    Tensor* x = PickRank(4);
    if (x == nullptr) return nullptr;
    Tensor* sum =
        Add("depthwise_conv2d", {x, Weights(Shape({1, 1, 1, x->type.shape.back()}), 3)}, {});
    if (sum == nullptr) return nullptr;
    if (choice_.OneIn(3)) Add("neg", {x}, {});
    return choice_.OneIn(2) ? Add("add", {x, sum}, {}) : Add("add", {sum, x}, {{"min", -0.5f}});
  }

  Tensor* ChannelShuffle() {
    Tensor* x = PickRank(4);
    if (x == nullptr) return nullptr;
    const Dims dims = x->type.shape.dims();
    if (dims[3] % 2 != 0) return nullptr;
    Tensor* y = Add("transpose", {x}, {{"perm", Dims{0, 3, 1, 2}}});
    const Dims apart = {dims[0], 2, dims[3] / 2, dims[1], dims[2]};
    if (y != nullptr) y = Add("reshape", {y}, {{"shape", apart}});
    if (y != nullptr) y = Add("transpose", {y}, {{"perm", Dims{0, 2, 1, 3, 4}}});
    const Dims together = {dims[0], dims[3], dims[1], dims[2]};
    if (y != nullptr) y = Add("reshape", {y}, {{"shape", together}});
    return y == nullptr ? nullptr : Add("transpose", {y}, {{"perm", Dims{0, 2, 3, 1}}});
  }

  // ---- outputs -----------------------------------------------------------------------------

  // What nothing reads, some of what is read, and now and then an output twice.
  void ChooseOutputs() {
    for (const Op& op : graph_.ops()) {
      for (Tensor* output : op.outputs) {
        const bool wanted = output->users.empty() || choice_.OneIn(6);
        const bool ends = kind_ == GraphKind::kConverted;  // at quantize, above
        if (wanted && !ends) graph_.outputs.push_back(output);
      }
    }
    if (graph_.outputs.empty() || choice_.OneIn(8)) graph_.outputs.push_back(graph_.inputs[0]);
    if (choice_.OneIn(8)) graph_.outputs.push_back(graph_.outputs[0]);
    graph_.RemoveDead();
  }

  TestRandom& random() { return choice_.random(); }

  const GraphKind kind_;
  RandomChoice choice_;
  Graph graph_;
  std::vector<Tensor*> pool_;  // what may be read
};

// uint8 with quantizers that hold whatever the inputs are, and the sum of all roundings.
class BoundedBuilder {
 public:
  explicit BoundedBuilder(uint64_t seed) : choice_(seed) {
    graph_.name = absl::StrCat("bounded_", seed);
  }

  BoundedGraph Build() {
    Tensor* y = AddInput(Shape({1, choice_.Between(2, 4), choice_.Between(3, 5), 2}));
    for (size_t step = 0; step < 5; ++step) {
      y = choice_.OneIn(3) ? Linear(y) : Function(y);
      if (choice_.OneIn(5)) AddOutput(y);
    }
    if (graph_.outputs.empty() || choice_.OneIn(2)) AddOutput(y);
    graph_.RemoveDead();
    const absl::Status valid = VerifyGraph(graph_);
    CHECK(valid.ok());
    return {std::move(graph_), std::move(errors_)};
  }

 private:
  // Magnitudes that a tensor's values don't pass, and how far they are off.
  struct Bound {
    float magnitude = 0;
    float error = 0;
  };

  static QuantParams Quantizer(float magnitude) {
    return QuantParams::Affine(magnitude / 127, 128);
  }

  Tensor* AddInput(const Shape& shape) {
    Tensor* input = graph_.AddTensor("x", {DataType::kFloat32, shape, {}});
    graph_.inputs.push_back(input);
    return Add("quantize", {input}, {}, 2, 0);
  }

  // The op with an output in uint8: `error` is what the operands' errors make.
  Tensor* Add(absl::string_view name, std::vector<Tensor*> inputs, Attributes attributes,
              float magnitude, float error) {
    auto op = graph_.AddInferredOp(name, std::move(inputs), std::move(attributes),
                                   {absl::StrCat("n", graph_.ops().size())}, "t");
    CHECK(op.ok());
    Tensor* y = (*op)->output();
    y->type.dtype = DataType::kUint8;
    if (!y->type.quant.quantized()) y->type.quant = Quantizer(magnitude);
    // Half a step, and a little for float32's own roundings.
    bounds_[y] = {magnitude, error + 0.51f * y->type.quant.scale()};
    return y;
  }

  Tensor* Linear(Tensor* x) {
    const int64_t in = x->type.shape.back(), out = choice_.Between(1, 3);
    const int64_t columns = choice_.Between(1, std::min<int64_t>(2, x->type.shape[2]));
    const Shape shape({out, 1, columns, in});
    std::vector<uint8_t> values(static_cast<size_t>(shape.elements()));
    const QuantParams quant = QuantParams::Affine(1.0f / 128, 100);
    float largest = 0;  // sum of an output channel's magnitudes
    for (int64_t o = 0; o < out; ++o) {
      float sum = 0;
      for (int64_t i = 0; i < shape.elements() / out; ++i) {
        uint8_t& w = values[static_cast<size_t>(o * (shape.elements() / out) + i)];
        w = static_cast<uint8_t>(choice_.Between(40, 160));
        sum += std::abs(static_cast<float>(w) - 100) / 128;
      }
      largest = std::max(largest, sum);
    }
    Tensor* weights =
        graph_.AddConstant("w", {DataType::kUint8, shape, quant}, Constant::Own(std::move(values)));
    const Bound bound = bounds_.at(x);
    const float magnitude = std::max(largest * bound.magnitude, 0.01f);
    return Add("conv2d", {x, weights}, {}, magnitude, largest * bound.error);
  }

  // Nothing here makes more of an error than it is.
  Tensor* Function(Tensor* x) {
    const Bound bound = bounds_.at(x);
    const Dims& dims = x->type.shape.dims();
    switch (choice_.Below(7)) {
      case 0:
        return Add("tanh", {x}, {}, 1, bound.error);
      case 1:
        return Add("leaky_relu", {x}, {{"alpha", 0.25f}}, bound.magnitude, bound.error);
      case 2:
        return Add("sigmoid", {x}, {}, 1, bound.error);
      case 3:
        return Add("concat", {x, x}, {{"axis", choice_.Between(1, 3)}}, bound.magnitude,
                   bound.error);
      case 4:
        return Add(
            "slice", {x},
            {{"starts", Dims{0, dims[1] - 1, 0, 0}}, {"sizes", Dims{1, 1, dims[2], dims[3]}}},
            bound.magnitude, bound.error);
      case 5:
        return Add("softmax", {x}, {{"axis", choice_.Between(1, 3)}}, 1, bound.error);
      default:
        return Add("add", {x, x}, {}, 2 * bound.magnitude, 2 * bound.error);
    }
  }

  void AddOutput(Tensor* x) {
    auto op = graph_.AddInferredOp("dequantize", {x}, {}, {"out"}, "y");
    CHECK(op.ok());
    graph_.outputs.push_back((*op)->output());
    errors_.push_back(bounds_.at(x).error);
  }

  RandomChoice choice_;
  Graph graph_;
  std::map<const Tensor*, Bound> bounds_;
  std::vector<float> errors_;
};

}  // namespace

std::string Name(GraphKind kind) {
  constexpr absl::string_view kNames[] = {"float", "smooth", "uint8", "int8", "int16", "converted"};
  return std::string(kNames[static_cast<size_t>(kind)]);
}

Graph RandomGraph(GraphKind kind, uint64_t seed) { return Builder(kind, seed).Build(); }

BoundedGraph RandomBoundedGraph(uint64_t seed) { return BoundedBuilder(seed).Build(); }

}  // namespace synap_internal
