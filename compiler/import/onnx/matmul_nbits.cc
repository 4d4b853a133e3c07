// MatMulNBits of com.microsoft, a product with weights that are quantized block by block. Source:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

constexpr int64_t kBitsOfByte = 8;

// Each of `columns` has `depth` weights in `count` blocks of `size`, of which the last may be
// longer than its weights.
struct Blocks {
  int64_t columns = 0, depth = 0, size = 0, count = 0;
  int64_t bits = 4;

  // Bytes of `n` packed numbers.
  int64_t Packed(int64_t n) const { return (n * bits + kBitsOfByte - 1) / kBitsOfByte; }
};

// Number `i` of packed ones: the first is in the low bits of the first byte.
int32_t Unpack(const uint8_t* bytes, int64_t i, int64_t bits) {
  const int64_t at = i * bits;
  return (bytes[at / kBitsOfByte] >> (at % kBitsOfByte)) & ((1 << bits) - 1);
}

absl::StatusOr<Blocks> ReadBlocks(NodeContext& node) {
  Blocks blocks{node.Int("N", 0), node.Int("K", 0), node.Int("block_size", 0)};
  blocks.bits = node.Int("bits", 4);
  node.IgnoreAttribute("accuracy_level");  // of the sums, which are float32 here
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8) {
    return absl::UnimplementedError(absl::StrCat("attribute 'bits' is ", blocks.bits));
  }
  constexpr int64_t kMost = int64_t{1} << 24;
  for (const int64_t number : {blocks.columns, blocks.depth, blocks.size}) {
    if (number >= 1 && number <= kMost) continue;
    return absl::InvalidArgumentError(absl::StrCat("attributes 'N', 'K' and 'block_size' are ",
                                                   blocks.columns, ", ", blocks.depth, " and ",
                                                   blocks.size, ", expected 1 to ", kMost));
  }
  blocks.count = (blocks.depth - 1) / blocks.size + 1;
  return blocks;
}

// Operand i is a constant of `type` with as many elements.
absl::Status CheckConstant(const NodeContext& node, size_t i, absl::string_view what, DataType type,
                           int64_t elements) {
  const Tensor& tensor = *node.input(i);
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  const int64_t found = tensor.type.shape.elements();
  if (tensor.type.dtype == type && found == elements) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "its '", what, "' has ", found, " elements of ", synap_internal::Name(tensor.type.dtype),
      ", expected ", elements, " of ", synap_internal::Name(type)));
}

// Of each block, [columns, count]: packed column by column, or as floats. Without the operand the
// middle of the range.
absl::StatusOr<std::vector<float>> ReadZeroPoints(NodeContext& node, const Blocks& blocks) {
  const int64_t all = blocks.columns * blocks.count;
  if (!node.HasInput(3)) {
    return std::vector<float>(static_cast<size_t>(all), static_cast<float>(1 << (blocks.bits - 1)));
  }
  constexpr char kWhat[] = "zero_points";
  if (node.input(3)->type.dtype == DataType::kFloat32) {
    RETURN_IF_ERROR(CheckConstant(node, 3, kWhat, DataType::kFloat32, all));
    return node.ConstantFloats(3, kWhat);
  }
  const int64_t row = blocks.Packed(blocks.count);
  RETURN_IF_ERROR(CheckConstant(node, 3, kWhat, DataType::kUint8, blocks.columns * row));
  const uint8_t* bytes = node.input(3)->values<uint8_t>().data();
  std::vector<float> zero_points;
  for (int64_t i = 0; i < all; ++i) {
    const uint8_t* column = bytes + i / blocks.count * row;
    zero_points.push_back(static_cast<float>(Unpack(column, i % blocks.count, blocks.bits)));
  }
  return zero_points;
}

// The block whose scale and zero point each of `depth` weights of a column has.
absl::StatusOr<std::vector<int64_t>> ReadGroups(NodeContext& node, const Blocks& blocks) {
  std::vector<int64_t> groups;
  if (!node.HasInput(4)) {
    for (int64_t k = 0; k < blocks.depth; ++k) groups.push_back(k / blocks.size);
    return groups;
  }
  ASSIGN_OR_RETURN(groups, node.ConstantInts(4, "g_idx"));
  bool inside = static_cast<int64_t>(groups.size()) == blocks.depth;
  for (const int64_t group : groups) inside = inside && group >= 0 && group < blocks.count;
  if (inside) return groups;
  return absl::InvalidArgumentError(absl::StrCat("its 'g_idx' has ", groups.size(),
                                                 " elements, expected ", blocks.depth, " of 0 to ",
                                                 blocks.count - 1));
}

// The weights as float32 [depth, columns].
absl::StatusOr<Tensor*> ReadWeights(NodeContext& node, const Blocks& blocks) {
  const Shape shape({blocks.depth, blocks.columns});
  RETURN_IF_ERROR(shape.Validate());
  RETURN_IF_ERROR(node.builder().Charge(shape.elements() * int64_t{sizeof(float)}));
  const int64_t block = blocks.Packed(blocks.size), all = blocks.columns * blocks.count;
  RETURN_IF_ERROR(CheckConstant(node, 1, "B", DataType::kUint8, all * block));
  RETURN_IF_ERROR(CheckConstant(node, 2, "scales", DataType::kFloat32, all));
  ASSIGN_OR_RETURN(const std::vector<float> zero_points, ReadZeroPoints(node, blocks));
  ASSIGN_OR_RETURN(const std::vector<int64_t> groups, ReadGroups(node, blocks));
  const uint8_t* bytes = node.input(1)->values<uint8_t>().data();
  const absl::Span<const float> scales = node.input(2)->values<float>();
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(shape.elements()));
  for (int64_t k = 0; k < blocks.depth; ++k) {
    for (int64_t n = 0; n < blocks.columns; ++n) {
      const uint8_t* packed = bytes + (n * blocks.count + k / blocks.size) * block;
      const auto q = static_cast<float>(Unpack(packed, k % blocks.size, blocks.bits));
      const auto at = static_cast<size_t>(n * blocks.count + groups[static_cast<size_t>(k)]);
      weights.push_back((q - zero_points[at]) * scales[at]);
    }
  }
  return node.Values(shape, std::move(weights), ".weights");
}

// Operands: A [..., K], B, scales, zero_points, g_idx, bias [N].
absl::Status MapMatMulNBits(NodeContext& node) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(node));
  ASSIGN_OR_RETURN(Tensor * weights, ReadWeights(node, blocks));
  if (!node.HasInput(5)) return node.SetOutput(EmitMatmul(node, node.input(0), weights));
  return node.SetOutput(
      node.Emit("add", {EmitMatmul(node, node.input(0), weights, ".product"), node.input(5)}));
}

constexpr OpMapping kMatmulNbitsMappings[] = {
    {"MatMulNBits", 3, 6, MapMatMulNBits, "constant weights of 2, 4 and 8 bits"},
};

}  // namespace

absl::Span<const OpMapping> ContributedMatmulMappings() { return kMatmulNbitsMappings; }

}  // namespace synap_internal::onnx_import
