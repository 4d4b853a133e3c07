// Engines of a chip that run layers, and the kinds of layers that data about targets names.
#ifndef COMPILER_TARGET_ENGINE_H_
#define COMPILER_TARGET_ENGINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

enum class Engine : uint8_t { kNn, kTp, kPpu, kGpu, kCpu };

struct EngineRow {
  Engine engine = Engine::kCpu;
  absl::string_view word;  // in target files
  absl::string_view name;  // in reports
  absl::string_view full_name;
  bool is_npu = false;  // part of the neural processing unit
};

// Indexed by Engine.
inline constexpr EngineRow kEngines[] = {
    {Engine::kNn, "nn", "NN", "neural network cores", true},
    {Engine::kTp, "tp", "TP", "tensor processor", true},
    {Engine::kPpu, "ppu", "PPU", "parallel processing unit", true},
    {Engine::kGpu, "gpu", "GPU", "graphics processor", false},
    {Engine::kCpu, "cpu", "CPU", "processor", false},
};

constexpr const EngineRow& RowOf(Engine engine) { return kEngines[static_cast<size_t>(engine)]; }
constexpr absl::string_view Name(Engine engine) { return RowOf(engine).name; }
constexpr bool IsNpu(Engine engine) { return RowOf(engine).is_npu; }

// What a layer computes, as far as an engine cares. Follows from the traits of its op.
enum class LayerKind : uint8_t {
  kConvolution,
  kDepthwiseConvolution,
  kTransposedConvolution,
  kFullyConnected,
  kMatrixProduct,  // of two flowing operands
  kPooling,
  kAddition,    // sums and differences, element by element
  kArithmetic,  // other functions of several operands, element by element
  kActivation,  // functions of one operand, element by element
  kMovement,    // elements in another order, or some of them, with or without a border
  kConversion,  // to another data type or quantizer
  kSoftmax,
  kOther,  // reductions, resizing, gathering, ...
};

struct LayerKindRow {
  LayerKind kind = LayerKind::kOther;
  absl::string_view word;  // in target files, and with blanks in sentences
};

// Indexed by LayerKind.
inline constexpr LayerKindRow kLayerKinds[] = {
    {LayerKind::kConvolution, "convolution"},
    {LayerKind::kDepthwiseConvolution, "depthwise_convolution"},
    {LayerKind::kTransposedConvolution, "transposed_convolution"},
    {LayerKind::kFullyConnected, "fully_connected"},
    {LayerKind::kMatrixProduct, "matrix_product"},
    {LayerKind::kPooling, "pooling"},
    {LayerKind::kAddition, "addition"},
    {LayerKind::kArithmetic, "arithmetic"},
    {LayerKind::kActivation, "activation"},
    {LayerKind::kMovement, "movement"},
    {LayerKind::kConversion, "conversion"},
    {LayerKind::kSoftmax, "softmax"},
    {LayerKind::kOther, "other"},
};

constexpr absl::string_view WordOf(LayerKind kind) {
  return kLayerKinds[static_cast<size_t>(kind)].word;
}

}  // namespace synap_internal

#endif  // COMPILER_TARGET_ENGINE_H_
