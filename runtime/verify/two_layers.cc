#include "runtime/verify/two_layers.h"

#include <vector>

#include "base/check.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {

std::string TwoLayers(float addend) {
  const Shape shape({1, 1, 4, 2});
  const TensorType real{DataType::kFloat32, shape, {}};
  const TensorType quantized{DataType::kUint8, shape, QuantParams::Affine(0.5f, 10)};
  HandProgram hand("two_layers");
  const int32_t x = hand.Input(real);
  const int32_t sum = hand.Arena(real);
  const int32_t y = hand.Output(quantized);
  const int32_t values = hand.Constant<float>(shape, std::vector<float>(8, addend));
  hand.Add("add", {x, values}, {sum}, {}, "Add_0");
  hand.Add("quantize", {sum}, {y}, {}, "Quantize_1");
  Program program = hand.Get();
  program.tensors[static_cast<size_t>(sum)].name = "layer/sum";
  program.tensors[static_cast<size_t>(y)].name = "y";
  const absl::StatusOr<std::string> bytes = SerializeProgram(program);
  CHECK(bytes.ok());
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", real)};
  metadata.outputs = {MakeMetadata("y", quantized)};
  return *WriteBundle(*bytes, metadata);
}

}  // namespace synap_internal
