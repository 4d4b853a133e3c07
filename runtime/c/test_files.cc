#include "runtime/c/test_files.h"

#include <string>

#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"

namespace {

using synap_internal::Image;
using synap_internal::TensorMetadata;

}  // namespace

const char* WriteDetectionModel() {
  TensorMetadata x =
      synap_internal::MakeMetadata("x", {synap_internal::DataType::kUint8,
                                         {1, 1, 2, 3},
                                         synap_internal::QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = synap_internal::TensorLayout::kNhwc;
  x.data_format = "rgb";
  TensorMetadata y = x;
  y.name = "y";
  y.shape = {1, 1, 6};
  y.layout = synap_internal::TensorLayout::kNone;
  y.data_format = "yolov5";
  static const auto* const path = new std::string(
      synap_internal::WriteTestFile("detection.synap", synap_internal::MakeReshapeModel(x, y)));
  return path->c_str();
}

const char* WriteDetectionPicture() {
  Image image = synap_internal::MakeImage(2, 1, 3);
  image.pixels = {128, 128, 255, 255, 255, 204};
  static const auto* const path =
      new std::string(synap_internal::WriteTestFile("picture.png", *EncodePng(image)));
  return path->c_str();
}
