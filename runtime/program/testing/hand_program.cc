#include "runtime/program/testing/hand_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

uint64_t Aligned(uint64_t bytes) {
  return (bytes + kProgramAlignment - 1) / kProgramAlignment * kProgramAlignment;
}

}  // namespace

int32_t HandProgram::AddTensor(TensorType type, Place place, uint64_t offset) {
  const int32_t index = static_cast<int32_t>(program_.tensors.size());
  program_.tensors.push_back({absl::StrCat("t", index), std::move(type), place, offset});
  if (place == Place::kInput) program_.inputs.push_back(index);
  if (place == Place::kOutput) program_.outputs.push_back(index);
  return index;
}

int32_t HandProgram::Arena(TensorType type) {
  const uint64_t offset = program_.arena_bytes;
  program_.arena_bytes += Aligned(static_cast<uint64_t>(type.bytes()));
  return AddTensor(std::move(type), Place::kArena, offset);
}

int32_t HandProgram::AddConstant(TensorType type, const void* data, size_t bytes) {
  CHECK(bytes == static_cast<size_t>(type.bytes()));
  const uint64_t offset = constants_.size();
  constants_.resize(offset + Aligned(bytes));
  if (bytes > 0) std::memcpy(constants_.data() + offset, data, bytes);
  return AddTensor(std::move(type), Place::kConstant, offset);
}

void HandProgram::Add(absl::string_view op, std::vector<int32_t> inputs,
                      std::vector<int32_t> outputs, Attributes attributes, std::string origin) {
  const OpDef* def = FindOp(op);
  CHECK(def != nullptr);
  program_.instructions.push_back(
      {def, std::move(inputs), std::move(outputs), std::move(attributes), {std::move(origin)}});
}

Program HandProgram::Get() {
  std::vector<uint8_t>& copy = copies_.emplace_back(constants_.size() + kProgramAlignment);
  const uint64_t shift =
      Aligned(reinterpret_cast<uintptr_t>(copy.data())) - reinterpret_cast<uintptr_t>(copy.data());
  std::copy(constants_.begin(), constants_.end(), copy.begin() + static_cast<ptrdiff_t>(shift));
  Program program = program_;
  program.constants = {copy.data() + shift, constants_.size()};
  return program;
}

void AddExample(HandProgram& hand) {
  using Ints = std::vector<int64_t>;
  const QuantParams quant = QuantParams::Affine(0.5f, 7);
  const int32_t x = hand.Input({DataType::kUint8, {1, 4, 4, 3}, quant});
  const int32_t f = hand.Input({DataType::kFloat32, {4, 3}});
  const int32_t indices = hand.Constant({2}, Ints{3, -4});
  const int32_t resized = hand.Arena({DataType::kUint8, {1, 8, 8, 3}, quant});
  const int32_t planes = hand.Arena({DataType::kUint8, {1, 3, 8, 8}, quant});
  const int32_t picked = hand.Arena({DataType::kFloat32, {2, 3}});
  const int32_t y = hand.Output({DataType::kUint8, {3, 64}, quant});
  const int32_t z = hand.Output({DataType::kFloat32, {2, 5}});
  hand.Add("resize", {x}, {resized}, {{"size", Ints{8, 8}}, {"mode", std::string("linear")}},
           "Resize_0");
  hand.Add("transpose", {resized}, {planes}, {{"perm", Ints{0, 3, 1, 2}}}, "Transpose_1");
  hand.Add("reshape", {planes}, {y}, {{"shape", Ints{3, 64}}}, "Reshape_2");
  hand.Add("gather", {f, indices}, {picked}, {{"axis", int64_t{0}}}, "Gather_3");
  hand.Add("pad", {picked}, {z}, {{"pads", Ints{0, 1, 0, 1}}, {"value", -1.5f}}, "Pad_4");
}

}  // namespace synap_internal
