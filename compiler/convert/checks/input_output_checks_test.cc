#include "compiler/convert/checks/input_output_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TensorMetadata MakeTensor(const std::string& name, const Shape& shape, const std::string& format) {
  TensorMetadata tensor;
  tensor.name = name;
  tensor.shape = shape;
  tensor.dtype = DataType::kFloat32;
  tensor.data_format = format;
  return tensor;
}

// A network with one output of each format, and the warnings about it.
std::vector<std::string> WarningsAbout(const std::vector<std::string>& formats,
                                       const Shape& shape = Shape{1, 84, 8400}) {
  Metafile metafile;
  metafile.path = "meta.yaml";
  ModelMetadata model;
  for (size_t i = 0; i < formats.size(); ++i) {
    OutputSpec& output = metafile.outputs.emplace_back();
    output.location = {static_cast<int>(i) + 2, 3};
    output.format = formats[i];
    model.outputs.push_back(MakeTensor("y" + std::to_string(i), shape, formats[i]));
  }
  Warnings warnings;
  CheckInputsAndOutputs(metafile, model, warnings);
  return warnings.Texts();
}

TEST(InputOutputChecksTest, NamesADetectorThatNothingDecodes) {
  EXPECT_THAT(
      WarningsAbout({"yolov7"}),
      ElementsAre(AllOf(
          HasSubstr("meta.yaml:2:3: format 'yolov7' of output 'y0' isn't decoded by any detector "
                    "(did you mean 'yolov5'"),
          HasSubstr("decoded are yolov5, yolov8, "))));
  for (const char* format :
       {"YOLOV5 landmarks=5", "yolov4", "yolo", "yolo12", "Yolov8", "yolov8segment", "ylov5",
        "tflite_detections", "tflite_detecton_boxes", "retinanet", "retinanet_box a=1"}) {
    EXPECT_THAT(WarningsAbout({format}), ElementsAre(HasSubstr("isn't decoded by any detector")))
        << format;
  }
}

TEST(InputOutputChecksTest, SaysItOnceForAllOutputs) {
  EXPECT_THAT(
      WarningsAbout({"yolov7", "yolov7", "yolov7 a=1"}),
      ElementsAre(AllOf(HasSubstr("meta.yaml:2:3: format 'yolov7' of outputs 'y0', 'y1' and "
                                  "'y2' isn't decoded"))));
}

TEST(InputOutputChecksTest, OtherWordsAreTheUsersOwn) {
  for (const char* format :
       {"", "rgb", "y8", "uv8", "nv12", "confidence_array class_index_base=0", "boxes", "input",
        "detection", "detection_boxes", "my_detector anchors=[1,2]", "landmarks=5", "v5", "float",
        "embedding dim=512", "mask"}) {
    EXPECT_THAT(WarningsAbout({format}), IsEmpty()) << format;
  }
}

TEST(InputOutputChecksTest, VariablesThatNothingReplacesAreNamed) {
  EXPECT_THAT(WarningsAbout({"boxes anchors=${ANCHOR} x=1"}),
              ElementsAre("meta.yaml:2:3: output 'y0': the format holds ${ANCHOR}, which nothing "
                          "replaces here; variables are ${ENV:name}, ${FILE:path} and, in an "
                          "output's format, ${ANCHORS}"));
  EXPECT_THAT(WarningsAbout({"boxes a=${anchors"}), ElementsAre(HasSubstr("holds ${anchors,")));
  EXPECT_THAT(WarningsAbout({"${ANCHORS"}), ElementsAre(HasSubstr("holds ${ANCHORS,")));
  EXPECT_THAT(WarningsAbout({"price=5$ {x}"}), IsEmpty());
}

TEST(InputOutputChecksTest, DecodedFormatsAreTried) {
  EXPECT_THAT(WarningsAbout({"yolov8"}), IsEmpty());
  EXPECT_THAT(WarningsAbout({"yolov5"}, Shape{1, 6300, 16}), IsEmpty());
  EXPECT_THAT(WarningsAbout({"yolov5"}, Shape{1, 20, 20, 48}),
              ElementsAre(AllOf(HasSubstr("meta.yaml:2:3: the detector 'yolov5' refuses the "
                                          "network's outputs: "),
                                HasSubstr("anchors"))));
  EXPECT_THAT(WarningsAbout({"yolov8 landmarks=x"}),
              ElementsAre(HasSubstr("format attribute 'landmarks' is 'x'")));
}

// The warnings about a network of pictures of 640x640 with one output.
std::vector<std::string> WarningsAboutHead(const std::string& format, const Shape& shape) {
  Metafile metafile;
  metafile.path = "meta.yaml";
  ModelMetadata model;
  model.inputs.push_back(MakeTensor("x", {1, 3, 640, 640}, ""));
  model.inputs[0].layout = TensorLayout::kNchw;
  model.outputs.push_back(MakeTensor("y", shape, format));
  Warnings warnings;
  CheckInputsAndOutputs(metafile, model, warnings);
  return warnings.Texts();
}

TEST(InputOutputChecksTest, ADecoderOfAnotherFamilyIsNamed) {
  for (const char* format : {"yolov8", "yolo11 transposed=0", "yolov8 w_scale=640 h_scale=640"}) {
    EXPECT_THAT(WarningsAboutHead(format, {1, 25200, 85}),
                ElementsAre(AllOf(HasSubstr("finds wrong boxes: output 'y' has 25200 boxes, three "
                                            "for each cell of a picture of 640x640"),
                                  HasSubstr("write 'yolov5' instead"))))
        << format;
  }
  EXPECT_THAT(WarningsAboutHead("yolov8", {1, 300, 6}),
              ElementsAre(HasSubstr("has 300 rows of 6 values as YOLOv10 and YOLO26 have")));
  EXPECT_THAT(WarningsAboutHead("yolov5", {1, 84, 8400}),
              ElementsAre(HasSubstr("write 'yolov8', or for YOLOX append 'transposed=1'")));
  EXPECT_THAT(WarningsAboutHead("yolov5", {1, 85, 25200}),
              ElementsAre(HasSubstr("in the place of a box's values; append 'transposed=1'")));
}

TEST(InputOutputChecksTest, ListsOfTheDecodersFamilyAreNotNamed) {
  EXPECT_THAT(WarningsAboutHead("yolov5", {1, 25200, 85}), IsEmpty());
  EXPECT_THAT(WarningsAboutHead("yolov5 transposed=1", {1, 85, 25200}), IsEmpty());
  EXPECT_THAT(WarningsAboutHead("yolov5", {1, 8400, 85}), IsEmpty());  // YOLOX
  EXPECT_THAT(WarningsAboutHead("yolov8", {1, 84, 8400}), IsEmpty());
  EXPECT_THAT(WarningsAboutHead("yolov8 transposed=0", {1, 8400, 84}), IsEmpty());
  EXPECT_THAT(WarningsAboutHead("yolov8", {1, 6, 8400}), IsEmpty());
  EXPECT_THAT(WarningsAboutHead("yolov10", {1, 300, 6}), IsEmpty());
}

TEST(InputOutputChecksTest, BgrInCapitalsSwapsNothing) {
  const auto warned = [](const std::string& format) {
    Metafile metafile;
    metafile.path = "meta.yaml";
    InputSpec& input = metafile.inputs.emplace_back();
    input.location = {2, 3};
    input.format = format;
    ModelMetadata model;
    model.inputs.push_back(MakeTensor("x", Shape{1, 3, 8, 8}, format));
    Warnings warnings;
    CheckInputsAndOutputs(metafile, model, warnings);
    return warnings.Texts();
  };
  EXPECT_THAT(warned("BGR a=1"),
              ElementsAre("meta.yaml:2:3: the pictures of input 'x' stay RGB: its format begins "
                          "with 'BGR'; write bgr in lower case"));
  for (const char* format : {"", "bgr", "bgra", "rgb", "RGB"}) {
    EXPECT_THAT(warned(format), IsEmpty()) << format;
  }
}

TEST(InputOutputChecksTest, NamesTensorsWithoutAnEntry) {
  ModelMetadata model;
  for (const char* name : {"a", "b"}) model.inputs.push_back(MakeTensor(name, Shape{1, 4}, ""));
  for (const char* name : {"x", "y", "z"}) {
    model.outputs.push_back(MakeTensor(name, Shape{1, 4}, ""));
  }
  const auto warned = [&](const Metafile& metafile) {
    Warnings warnings;
    CheckInputsAndOutputs(metafile, model, warnings);
    return warnings.Texts();
  };
  Metafile metafile;
  metafile.path = "meta.yaml";
  EXPECT_THAT(warned(metafile), IsEmpty());
  metafile.outputs.resize(1);
  metafile.outputs[0].location = {7, 3};
  metafile.outputs[0].dequantize = true;
  model.outputs[2].dtype = DataType::kUint8;
  model.outputs[2].quant = QuantParams::Affine(0.5f, 3);
  EXPECT_THAT(warned(metafile),
              ElementsAre("meta.yaml:7:3: 'outputs' has 1 of 3 entries: outputs 'y' and 'z' not "
                          "dequantized, without format; write an entry for each"));
  model.outputs[2] = MakeTensor("z", Shape{1, 4}, "");
  metafile.output_format = "rgb";
  EXPECT_THAT(warned(metafile), ElementsAre(HasSubstr("outputs 'y' and 'z' with 'output_format'")));
  metafile.outputs.resize(3);
  metafile.inputs.resize(1);
  metafile.inputs[0].location = {3, 3};
  EXPECT_THAT(warned(metafile), IsEmpty());
  metafile.inputs[0].means = {128};
  EXPECT_THAT(warned(metafile), IsEmpty());  // 'b' takes no pictures
  model.inputs[1] = MakeTensor("b", Shape{1, 3, 8, 8}, "");
  model.inputs[1].layout = TensorLayout::kNchw;
  EXPECT_THAT(warned(metafile),
              ElementsAre("meta.yaml:3:3: 'inputs' has 1 of 2 entries: input 'b' has no means and "
                          "scale; write an entry for each"));
  metafile.inputs[0].means.clear();
  EXPECT_THAT(warned(metafile), IsEmpty());  // neither has 'a'
  metafile.inputs[0].scale = 255;
  metafile.inputs.resize(2);
  EXPECT_THAT(warned(metafile), IsEmpty());
}

TEST(InputOutputChecksTest, SecureMemoryNeedsASecureModel) {
  Metafile metafile;
  metafile.path = "meta.yaml";
  metafile.inputs.resize(3);
  metafile.inputs[0].security = InputSecurity::kNonSecure;
  metafile.inputs[1].security = InputSecurity::kSecure;
  metafile.inputs[1].location = {3, 5};
  ModelMetadata model;
  for (const char* name : {"a", "b", "c"}) model.inputs.push_back(MakeTensor(name, {1, 4}, ""));
  const auto warnings_of = [&] {
    Warnings warnings;
    CheckInputsAndOutputs(metafile, model, warnings);
    return warnings.Texts();
  };
  EXPECT_THAT(warnings_of(),
              ElementsAre("meta.yaml:3:5: 'security: secure' of input 'b' has no effect, because "
                          "the model isn't secure; add the section 'security' with the keys"));
  metafile.inputs[2].security = InputSecurity::kSecure;
  EXPECT_THAT(warnings_of(), ElementsAre(HasSubstr("of inputs 'b' and 'c' has no effect")));
  metafile.security.secure = true;
  EXPECT_THAT(warnings_of(), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
