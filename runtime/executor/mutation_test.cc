// Programs of one instruction, damaged at random: whatever CheckProgram and
// Create accept must run inside of its buffers (the sanitizers see that), and
// both paths must give the same bits. Prints its seed; takes --seed, --rounds
// and, to see what crashes, --verbose.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "kernels/emulated_types.h"
#include "kernels/registry.h"
#include "kernels/testing/conformance.h"
#include "runtime/executor/executor.h"
#include "runtime/program/testing/hand_program.h"

namespace synap_internal {
namespace {

using Ints = std::vector<int64_t>;

uint64_t seed = 1;
int rounds = 1000;  // mutations of each seed
bool verbose = false;

// More than this would only make the test slow.
constexpr int64_t kMaxBytes = int64_t{1} << 20;
constexpr int64_t kMaxOperations = 20000000;
constexpr size_t kSpareConstants = 4096;

struct Seed {
  std::string op;
  std::vector<TensorType> inputs;
  std::vector<bool> constant;
  Attributes attributes;
  TensorType output;  // data type and quantization; empty: what Infer gives
};

const QuantParams kQuant = QuantParams::Affine(0.05f, 100);
const QuantParams kWeights = QuantParams::Affine(0.01f, 128);

TensorType F32(Shape shape) { return {DataType::kFloat32, std::move(shape)}; }
TensorType U8(Shape shape, QuantParams quant = kQuant) {
  return {DataType::kUint8, std::move(shape), std::move(quant)};
}
TensorType I64(Shape shape) { return {DataType::kInt64, std::move(shape)}; }
TensorType Bias(int64_t channels) {
  return {DataType::kInt32, {channels}, QuantParams::Affine(0.05f * 0.01f, 0)};
}

// Adds the op over float32 operands and over uint8 ones.
void AddBoth(std::vector<Seed>& seeds, const std::string& op, const std::vector<Shape>& shapes,
             const Attributes& attributes) {
  Seed real{.op = op, .attributes = attributes}, quantized = real;
  for (const Shape& shape : shapes) {
    real.inputs.push_back(F32(shape));
    quantized.inputs.push_back(U8(shape));
  }
  quantized.output = U8({}, kQuant);
  seeds.push_back(real);
  seeds.push_back(quantized);
}

// The same with constant weights [O, KH, KW, I] and a bias.
void AddWeighted(std::vector<Seed>& seeds, const std::string& op, const Shape& x, const Shape& w,
                 int64_t channels, const Attributes& attributes) {
  const std::vector<bool> constant = {false, true, true};
  seeds.push_back({op, {F32(x), F32(w), F32({channels})}, constant, attributes, {}});
  seeds.push_back({op, {U8(x), U8(w, kWeights), Bias(channels)}, constant, attributes, U8({})});
}

void AddLayers(std::vector<Seed>& seeds) {
  const Attributes window = {
      {"strides", Ints{2, 1}}, {"dilations", Ints{1, 2}}, {"pads", Ints{1, 2, 0, 1}}};
  Attributes grouped = window;
  grouped["groups"] = int64_t{2};
  Attributes pooled = window;
  pooled["kernel"] = Ints{3, 2};
  pooled["pads"] = Ints{1, 1, 1, 1};
  AddWeighted(seeds, "conv2d", {1, 9, 8, 6}, {10, 3, 2, 3}, 10, grouped);
  AddWeighted(seeds, "depthwise_conv2d", {1, 9, 8, 19}, {1, 3, 2, 19}, 19, window);
  AddWeighted(seeds, "conv_transpose2d", {1, 5, 6, 4}, {6, 3, 2, 4}, 6,
              {{"strides", Ints{2, 2}}, {"pads", Ints{1, 0, 0, 1}}});
  AddWeighted(seeds, "fully_connected", {3, 35}, {18, 35}, 18, {});
  // Every operand that there is.
  seeds.push_back(
      {"fully_connected",
       {U8({3, 35}), U8({18, 35}, kWeights), Bias(18), {DataType::kUint8, {256}}, U8({3, 18})},
       {false, true, true, true},
       {{"table_scale", 0.1f},
        {"table_zero_point", int64_t{3}},
        {"own_scale", 0.2f},
        {"own_zero_point", int64_t{9}},
        {"sum_min", 0.0f}},
       U8({})});
  AddBoth(seeds, "matmul", {{2, 5, 7}, {2, 7, 9}}, {});
  AddBoth(seeds, "max_pool2d", {{1, 9, 8, 18}}, pooled);
  AddBoth(seeds, "avg_pool2d", {{1, 9, 8, 18}}, pooled);
  AddBoth(seeds, "softmax", {{3, 21}}, {{"axis", int64_t{-1}}});
  AddBoth(seeds, "log_softmax", {{3, 21}}, {{"axis", int64_t{-1}}});
  AddBoth(seeds, "prelu", {{2, 3, 3, 18}, {18}}, {});
  seeds.push_back({"normalization",
                   {F32({2, 3, 18}), F32({3, 18}), F32({3, 1})},
                   {false, true, true},
                   {{"axes", Ints{1, 2}}, {"epsilon", 0.5f}},
                   {}});
  seeds.push_back({"normalization",
                   {U8({2, 5, 18}), F32({18})},
                   {false, true},
                   {{"axes", Ints{1}}, {"center", int64_t{0}}},
                   U8({}, kQuant)});
  seeds.push_back({"lookup", {U8({2, 35}), {DataType::kUint8, {256}}}, {false, true}, {}, U8({})});
}

void AddElementwise(std::vector<Seed>& seeds) {
  for (const char* op : {"add", "sub", "mul", "div", "minimum", "maximum", "pow", "mod"}) {
    AddBoth(seeds, op, {{2, 3, 1, 18}, {1, 3, 5, 18}}, {});
  }
  for (const char* op : {"add", "sub", "mul", "div", "minimum", "maximum"}) {
    seeds.push_back({op, {I64({7}), I64({1})}, {}, {}, {}});
  }
  for (const char* op : {"equal", "less", "greater"}) {
    seeds.push_back({op, {F32({2, 17}), F32({17})}, {}, {}, {}});
    seeds.push_back({op, {I64({5}), I64({5})}, {}, {}, {}});
  }
  seeds.push_back({"where", {{DataType::kBool, {2, 1}}, F32({2, 17}), F32({17})}, {}, {}, {}});
  for (const char* op :
       {"relu",     "relu6",      "leaky_relu", "sigmoid", "hard_sigmoid", "tanh",
        "silu",     "hard_swish", "gelu",       "erf",     "elu",          "mish",
        "softplus", "exp",        "log",        "sqrt",    "rsqrt",        "reciprocal",
        "square",   "abs",        "neg",        "sign",    "floor",        "ceil",
        "round",    "sin",        "cos",        "tan",     "asin",         "acos",
        "atan",     "sinh",       "cosh",       "asinh",   "acosh",        "atanh"}) {
    const bool alpha = op == std::string("leaky_relu") || op == std::string("elu");
    AddBoth(seeds, op, {{3, 37}}, alpha ? Attributes{{"alpha", 0.5f}} : Attributes{});
  }
  AddBoth(seeds, "clip", {{3, 37}}, {{"min", -0.5f}, {"max", 1.0f}});
  seeds.push_back({"logical_not", {{DataType::kBool, {19}}}, {}, {}, {}});
}

void AddReductions(std::vector<Seed>& seeds) {
  for (const char* op :
       {"reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_l2"}) {
    AddBoth(seeds, op, {{2, 5, 7, 18}}, {{"axes", Ints{1, 2}}, {"keep_dims", int64_t{0}}});
  }
  seeds.push_back({"argmax", {F32({3, 21})}, {}, {{"axis", int64_t{1}}}, {}});
  seeds.push_back({"argmax", {U8({3, 21})}, {}, {{"axis", int64_t{0}}}, {}});
  seeds.push_back({"top_k", {F32({3, 21})}, {}, {{"k", int64_t{5}}}, {}});
  seeds.push_back({"top_k", {U8({3, 21})}, {}, {{"k", int64_t{3}}, {"largest", int64_t{0}}}, {}});
  seeds.push_back({"cumsum", {F32({3, 5, 7})}, {}, {{"axis", int64_t{1}}}, {}});
}

void AddMoves(std::vector<Seed>& seeds) {
  AddBoth(seeds, "concat", {{2, 5, 7}, {2, 3, 7}, {2, 1, 7}}, {{"axis", int64_t{1}}});
  AddBoth(seeds, "slice", {{4, 9, 21}},
          {{"starts", Ints{1, 8, 3}}, {"sizes", Ints{2, 4, 17}}, {"steps", Ints{2, -2, 1}}});
  for (const char* mode : {"constant", "reflect", "edge"}) {
    AddBoth(seeds, "pad", {{4, 5, 9}},
            {{"pads", Ints{1, 0, 2, 0, 3, 1}}, {"mode", std::string(mode)}, {"value", 1.0f}});
  }
  AddBoth(seeds, "reshape", {{4, 5, 9}}, {{"shape", Ints{9, 20}}});
  AddBoth(seeds, "transpose", {{4, 17, 18}}, {{"perm", Ints{2, 0, 1}}});
  AddBoth(seeds, "expand", {{4, 1, 9}}, {{"shape", Ints{2, 4, 5, 9}}});
  for (const char* mode : {"nearest", "linear"}) {
    AddBoth(seeds, "resize", {{2, 5, 7, 17}},
            {{"size", Ints{9, 4}},
             {"mode", std::string(mode)},
             {"scales", std::vector<float>{2, 0.5f}}});
  }
  seeds.push_back({"gather", {F32({4, 9}), I64({2, 3})}, {}, {{"axis", int64_t{1}}}, {}});
  seeds.push_back({"gather", {U8({9, 4}), I64({3})}, {}, {{"axis", int64_t{0}}}, U8({})});
  for (const char* reduction : {"none", "add"}) {
    seeds.push_back({"scatter",
                     {F32({9, 4}), I64({3}), F32({3, 4})},
                     {},
                     {{"reduction", std::string(reduction)}},
                     {}});
  }
  for (const char* mode : {"bilinear", "nearest", "bicubic"}) {
    seeds.push_back({"grid_sample",
                     {F32({2, 5, 6, 3}), F32({2, 3, 4, 2})},
                     {},
                     {{"mode", std::string(mode)}, {"padding", std::string("reflection")}},
                     {}});
  }
  seeds.push_back({"cast", {F32({19})}, {}, {{"to", std::string("int32")}}, {}});
  seeds.push_back({"quantize", {F32({3, 19})}, {}, {}, U8({})});
  seeds.push_back({"dequantize", {U8({3, 19})}, {}, {}, F32({})});
  seeds.push_back({"requantize", {U8({3, 19}, kWeights)}, {}, {}, U8({})});
}

void AddPictures(std::vector<Seed>& seeds) {
  const auto plane = [](Shape shape) { return TensorType{DataType::kUint8, std::move(shape), {}}; };
  const TensorType number{DataType::kInt32, {1}, {}};
  const Attributes common = {{"size", Ints{3, 5}},
                             {"bgr", int64_t{0}},
                             {"mean", std::vector<float>{1, 2, 3}},
                             {"scale", std::vector<float>{2}}};
  const auto add = [&](const char* type, std::vector<TensorType> planes, TensorType out) {
    Attributes attributes = common;
    attributes["type"] = std::string(type);
    seeds.push_back({"image_to_tensor", planes, {}, attributes, std::move(out)});
    planes.insert(planes.end(), 4, number);
    seeds.push_back({"image_to_tensor", planes, {}, attributes, {}});
  };
  add("nv12", {plane({1, 6, 8, 1}), plane({1, 3, 4, 2})}, U8({}));
  add("yuv420", {plane({1, 6, 8, 1}), plane({1, 3, 4, 1}), plane({1, 3, 4, 1})}, U8({}));
  add("bgra", {plane({1, 5, 7, 4})}, {DataType::kInt16, {}, kQuant});
  add("rgb888p", {plane({1, 3, 5, 7})}, {});
}

// Operands by their roles, for an op that has no seed above. False if the op refuses them.
bool AddDefault(std::vector<Seed>& seeds, const OpDef& op) {
  Seed s{.op = std::string(op.name)};
  for (int i = 0; i < op.required; ++i) {
    const OperandRole role = op.operands[static_cast<size_t>(i)];
    const bool flows = role == OperandRole::kActivation || role == OperandRole::kWeight;
    s.inputs.push_back(flows                         ? F32({2, 3, 3, 18})
                       : role == OperandRole::kIndex ? I64({2})
                                                     : U8({256}));
    s.constant.push_back(role != OperandRole::kActivation && role != OperandRole::kIndex);
  }
  for (const Attributes& attributes : {Attributes{}, Attributes{{"axis", int64_t{1}}}}) {
    s.attributes = attributes;
    if (!InferOp(op, {s.inputs, s.attributes}).ok()) continue;
    seeds.push_back(std::move(s));
    return true;
  }
  return false;
}

bool HasSeed(const std::vector<Seed>& seeds, const OpDef& op) {
  return std::any_of(seeds.begin(), seeds.end(), [&](const Seed& s) { return s.op == op.name; });
}

std::vector<Seed> AllSeeds() {
  std::vector<Seed> seeds;
  AddLayers(seeds);
  AddElementwise(seeds);
  AddReductions(seeds);
  AddMoves(seeds);
  AddPictures(seeds);
  std::vector<Seed> known;
  for (Seed& s : seeds) {
    if (FindOp(s.op) != nullptr) known.push_back(std::move(s));
  }
  for (const OpDef* op : AllOps()) {
    if (!HasSeed(known, *op)) AddDefault(known, *op);
  }
  return known;
}

// Random bits of a mutation.
class Chance {
 public:
  explicit Chance(TestRandom& random) : random_(random) {}
  size_t Below(size_t count) {
    return static_cast<size_t>(random_.Integer(0, static_cast<int64_t>(count) - 1));
  }
  bool OneIn(size_t count) { return Below(count) == 0; }
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return *(values.begin() + Below(values.size()));
  }
  int64_t Integer() {
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
    if (!OneIn(4)) return random_.Integer(-3, 9);
    return Of({int64_t{16}, int64_t{255}, int64_t{65536}, int64_t{1} << 31, int64_t{1} << 40,
               -(int64_t{1} << 31), kMax, kMin});
  }
  float Number() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return Of({0.0f, -0.0f, 1.0f, -1.5f, 1e-30f, 1e30f, kInfinity, -kInfinity, std::nanf("")});
  }

 private:
  TestRandom& random_;
};

struct AttributeMutator {
  Chance& chance;
  void operator()(int64_t& value) const { value = chance.Integer(); }
  void operator()(float& value) const { value = chance.Number(); }
  void operator()(std::string& value) const {
    value = chance.Of<std::string>({"", "edge", "asymmetric", "nearest", "float32", "uint8"});
  }
  void operator()(Ints& values) const {
    if (values.empty() || chance.OneIn(6)) return values.push_back(chance.Integer());
    if (chance.OneIn(6)) return values.pop_back();
    values[chance.Below(values.size())] = chance.Integer();
  }
  void operator()(std::vector<float>& values) const {
    if (values.empty()) return values.push_back(chance.Number());
    values[chance.Below(values.size())] = chance.Number();
  }
};

void MutateType(TensorType& type, Chance& chance) {
  std::vector<int64_t> dims = type.shape.dims();
  switch (chance.Below(6)) {
    case 0:
      type.dtype = static_cast<DataType>(1 + chance.Below(kDataTypeCount - 1));
      break;
    case 1:
      type.quant =
          chance.Of({QuantParams(), QuantParams::Affine(0.1f, 0), QuantParams::Affine(1e-30f, 0),
                     QuantParams::Affine(1e30f, 255), QuantParams::FixedPoint(5)});
      break;
    case 2:
      type.quant = QuantParams::PerChannel(
          std::vector<float>(dims.empty() ? 1 : static_cast<size_t>(std::abs(dims[0] % 64)), 0.5f),
          0);
      break;
    case 3:
      if (!dims.empty() && chance.OneIn(2)) {
        dims.pop_back();
      } else {
        dims.insert(dims.begin(), chance.Of<int64_t>({0, 1, 2}));
      }
      break;
    default:
      if (!dims.empty()) dims[chance.Below(dims.size())] = chance.Integer();
  }
  type.shape = Shape(dims);
}

void MutateOnce(Program& program, Chance& chance) {
  Instruction& instruction = program.instructions[0];
  switch (chance.Below(5)) {
    case 0:
    case 1:
      return MutateType(program.tensors[chance.Below(program.tensors.size())].type, chance);
    case 2: {
      if (instruction.inputs.empty()) return;
      int32_t& input = instruction.inputs[chance.Below(instruction.inputs.size())];
      input = chance.OneIn(2) ? -1 : static_cast<int32_t>(chance.Below(program.tensors.size()));
      return;
    }
    default: {
      if (instruction.attributes.empty()) return;
      auto it = instruction.attributes.begin();
      std::advance(it, chance.Below(instruction.attributes.size()));
      if (chance.OneIn(8)) {
        instruction.attributes.erase(it);
      } else {
        std::visit(AttributeMutator{chance}, it->second);
      }
    }
  }
}

// Gives the output the shape that Infer wants now, so that more programs pass.
void RepairOutput(Program& program) {
  const Instruction& instruction = program.instructions[0];
  std::vector<TensorType> inputs;
  for (const int32_t input : instruction.inputs) {
    inputs.push_back(input < 0 ? TensorType() : program.tensors[static_cast<size_t>(input)].type);
    const TensorType& type = inputs.back();
    if (!type.shape.Validate().ok() || !type.quant.Validate(type.dtype, type.shape).ok()) return;
  }
  if (inputs.size() < static_cast<size_t>(instruction.op->required)) return;
  for (size_t i = 0; i < static_cast<size_t>(instruction.op->required); ++i) {
    if (!inputs[i].present()) return;
  }
  const auto inferred = InferOp(*instruction.op, {inputs, instruction.attributes});
  if (inferred.ok() && !inferred->empty()) {
    program.tensors.back().type.shape = (*inferred)[0].shape;
  }
}

bool IsSmall(const Program& program) {
  int64_t bytes = 0;
  std::vector<TensorType> inputs, outputs = {program.tensors.back().type};
  for (const ProgramTensor& tensor : program.tensors) {
    bytes += tensor.type.bytes();
    if (bytes > kMaxBytes) return false;
  }
  const Instruction& instruction = program.instructions[0];
  for (const int32_t input : instruction.inputs) {
    inputs.push_back(input < 0 ? TensorType() : program.tensors[static_cast<size_t>(input)].type);
  }
  if (instruction.op->cost == nullptr) return true;
  const OpCost cost = instruction.op->cost(inputs, outputs);
  return cost.macs + cost.ops <= kMaxOperations;
}

struct Free {
  void operator()(uint8_t* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<uint8_t[], Free>;

// Exactly as large as requested, so that a sanitizer sees an access to the first byte after it.
Buffer MakeBuffer(size_t bytes) {
  void* memory = nullptr;
  EXPECT_EQ(posix_memalign(&memory, kProgramAlignment, bytes), 0);
  return Buffer(static_cast<uint8_t*>(memory));
}

// The output's bytes, NaNs merged; "refused" if there is no kernel.
std::string RunOnce(const Program& program, const ExecutorOptions& options) {
  auto executor = Executor::Create(program, options);
  if (!executor.ok()) return "refused";
  TestRandom random(5);
  std::vector<Buffer> buffers;
  std::vector<const void*> inputs;
  for (const int32_t input : program.inputs) {
    const TestTensor data = RandomTensor(program.tensors[static_cast<size_t>(input)].type, random);
    const size_t bytes = static_cast<size_t>(data.type().bytes());
    buffers.push_back(MakeBuffer(bytes));
    if (bytes > 0) std::memcpy(buffers.back().get(), data.data(), bytes);
    inputs.push_back(buffers.back().get());
  }
  const size_t bytes = static_cast<size_t>(program.tensors.back().type.bytes());
  Buffer output = MakeBuffer(bytes);
  if (bytes > 0) std::memset(output.get(), 0xC3, bytes);
  void* const outputs[] = {output.get()};
  (*executor)->Run(inputs, outputs);
  MergeNans(program.tensors.back().type.dtype, {output.get(), bytes});
  return std::string(reinterpret_cast<const char*>(output.get()), bytes);
}

std::string Describe(const Program& program) {
  std::string text = absl::StrCat(program.instructions[0].op->name, "(");
  for (const int32_t input : program.instructions[0].inputs) {
    absl::StrAppend(&text, input, " ");
  }
  for (const auto& [name, value] : program.instructions[0].attributes) {
    absl::StrAppend(&text, name, "=", ToString(value), " ");
  }
  absl::StrAppend(&text, ")");
  for (const ProgramTensor& tensor : program.tensors) {
    absl::StrAppend(&text, "\n  ", tensor.name, ": ", Name(tensor.type.dtype), " ",
                    tensor.type.shape.ToString(), " ", tensor.type.quant.ToString(),
                    tensor.place == Place::kConstant ? " constant" : "");
  }
  return text;
}

// False, and a failure of the test, if the op doesn't accept the seed.
bool AddSeed(HandProgram& hand, const Seed& s) {
  const OpDef& op = *FindOp(s.op);
  TestRandom random(9);
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    const bool constant = i < s.constant.size() && s.constant[i];
    inputs.push_back(constant
                         ? hand.ConstantData(s.inputs[i], RandomTensor(s.inputs[i], random).data())
                         : hand.Input(s.inputs[i]));
  }
  hand.AddSpareConstants(kSpareConstants);
  const auto inferred = InferOp(op, {s.inputs, s.attributes});
  EXPECT_TRUE(inferred.ok()) << s.op << ": " << inferred.status();
  if (!inferred.ok()) return false;
  TensorType output = (*inferred)[0];
  if (s.output.present()) {
    output.dtype = s.output.dtype;
    output.quant = s.output.quant;
  }
  const int32_t y = hand.Output(output);
  hand.Add(s.op, inputs, {y}, s.attributes, "seed");
  return true;
}

TEST(MutationTest, EveryOpHasASeed) {
  const std::vector<Seed> seeds = AllSeeds();
  for (const OpDef* op : AllOps()) {
    EXPECT_TRUE(HasSeed(seeds, *op)) << op->name << " refuses the default seed; give it its own";
  }
}

TEST(MutationTest, DamagedProgramsAreRefusedOrRunAlikeOnBothPaths) {
  std::cout << "--seed=" << seed << " --rounds=" << rounds << std::endl;
  int run = 0;
  for (const Seed& s : AllSeeds()) {
    HandProgram hand(s.op);
    if (!AddSeed(hand, s)) continue;
    TestRandom random(seed);
    Chance chance(random);
    for (int round = 0; round < rounds; ++round) {
      Program program = hand.Get();
      if (round > 0) {
        for (size_t m = 0; m <= chance.Below(3); ++m) MutateOnce(program, chance);
        if (!chance.OneIn(4)) RepairOutput(program);
      }
      const absl::Status checked = CheckProgram(program);
      EXPECT_TRUE(round > 0 || checked.ok()) << s.op << ": " << checked;
      if (!checked.ok() || !IsSmall(program)) continue;
      if (verbose) std::cerr << round << ": " << Describe(program) << std::endl;
      SCOPED_TRACE(Describe(program));
      const std::string expected = RunOnce(program, {.path = KernelPath::kReference});
      const std::string actual = RunOnce(program, {});
      if (expected != "refused") ++run;
      EXPECT_TRUE(round > 0 || expected != "refused");
      EXPECT_TRUE(expected == actual) << "the paths differ, round " << round;
      if (expected != actual) break;
    }
  }
  EXPECT_GT(run, 0);
  std::cout << run << " programs ran" << std::endl;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (absl::StartsWith(argument, "--seed="))
      synap_internal::seed = std::stoull(argument.substr(7));
    if (argument == "--verbose") synap_internal::verbose = true;
    if (absl::StartsWith(argument, "--rounds="))
      synap_internal::rounds = std::stoi(argument.substr(9));
  }
  return RUN_ALL_TESTS();
}
