// Writes the models of the Python tests: write_models FOLDER.
#include <string>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

// A model that gives its input `x` as its output "y" of another shape and format. The NPU would
// hold integers of 64 bits in 32.
std::string Reshape(const TensorMetadata& x, Shape shape, const std::string& format) {
  TensorMetadata y = x;
  y.name = "y";
  y.shape = std::move(shape);
  y.layout = TensorLayout::kNone;
  y.data_format = format;
  return MakeReshapeModel(x, y, x.dtype == DataType::kInt64 ? "cpu" : "npu");
}

// A picture of 2x1 pixels that is a list of one detection: x, y, w, h, confidence and score, in
// 1/255.
std::string Detection() {
  TensorMetadata x =
      MakeMetadata("image", {DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = TensorLayout::kNhwc;
  x.data_format = "rgb";
  return Reshape(x, {1, 1, 6}, "yolov5");
}

std::string Planar() {
  TensorMetadata x =
      MakeMetadata("image", {DataType::kUint8, {1, 3, 2, 2}, QuantParams::Affine(1, 0)});
  x.layout = TensorLayout::kNchw;
  x.data_format = "rgb";
  return Reshape(x, {12}, "");
}

// Whose output is its planar picture again.
std::string Picture() {
  TensorMetadata x = MakeMetadata("image", {DataType::kUint8, {1, 3, 2, 2}, {}});
  x.layout = TensorLayout::kNchw;
  x.data_format = "rgb";
  TensorMetadata y = x;
  y.name = "y";
  return MakeReshapeModel(x, y);
}

std::string Plain(DataType type, QuantParams quant) {
  return Reshape(MakeMetadata("x", {type, {1, 2, 3}, std::move(quant)}), {6}, "confidence_array");
}

std::string Scalar(DataType type) {
  return Reshape(MakeMetadata("x", {type, {1}, {}}), {1, 1}, "");
}

void Write(const std::string& folder, const std::string& name, const std::string& bytes) {
  CHECK(WriteFileAtomically(JoinPath(folder, name + ".synap"), bytes).ok());
}

void WriteAll(const std::string& folder) {
  Write(folder, "detection", Detection());
  Write(folder, "picture", Picture());
  Write(folder, "planar", Planar());
  Write(folder, "float32", Plain(DataType::kFloat32, {}));
  Write(folder, "float16", Plain(DataType::kFloat16, {}));
  Write(folder, "int8", Plain(DataType::kInt8, QuantParams::Affine(0.5f, 3)));
  Write(folder, "uint8", Plain(DataType::kUint8, QuantParams::Affine(0.5f, 3)));
  Write(folder, "int16", Plain(DataType::kInt16, QuantParams::FixedPoint(8)));
  Write(folder, "int32", Plain(DataType::kInt32, {}));
  Write(folder, "int64", Plain(DataType::kInt64, {}));
  Write(folder, "byte", Plain(DataType::kBool, {}));
  Write(folder, "scalar", Scalar(DataType::kInt32));
  Write(folder, "scalar_float32", Scalar(DataType::kFloat32));
  Write(folder, "scalar_int64", Scalar(DataType::kInt64));
  Write(folder, "scalar_uint32", Scalar(DataType::kUint32));
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  CHECK(argc == 2);
  synap_internal::WriteAll(argv[1]);
}
