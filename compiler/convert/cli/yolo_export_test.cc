#include "compiler/convert/cli/yolo_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "compiler/metafile/metafile.h"
#include "runtime/vision/detector/detection_formats.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Error(const YoloExportOptions& options) {
  return std::string(PlanYoloExports(options).status().message());
}

TEST(YoloExportTest, PlansARunForEachModelSizeAndFormat) {
  YoloExportOptions options;
  options.models = {"weights/yolov8s-seg.pt"};
  options.export_dir = "/out";
  options.input_sizes = {"640x352", "320x320"};
  options.formats = {"tflite", "onnx"};
  const auto exports = PlanYoloExports(options);
  ASSERT_TRUE(exports.ok()) << exports.status();
  ASSERT_EQ(exports->size(), 4);
  const YoloExport& first = (*exports)[0];
  EXPECT_EQ(first.folder, "/out/yolov8s-seg_640x352_tflite");
  EXPECT_EQ(first.weights, "weights/yolov8s-seg.pt");
  EXPECT_THAT(first.command, ElementsAre("yolo", "export", "model=yolov8s-seg.pt", "format=tflite",
                                         "imgsz=352,640"));
  EXPECT_EQ(first.network,
            "/out/yolov8s-seg_640x352_tflite/yolov8s-seg_saved_model/yolov8s-seg_float32.tflite");
  ASSERT_EQ(first.metafiles.size(), 1);
  EXPECT_EQ(first.metafiles[0].path, "/out/yolov8s-seg_640x352_tflite/float.yaml");
  EXPECT_EQ(first.metafiles[0].text,
            "inputs:\n  - format: rgb\n    means: [0, 0, 0]\n    scale: 255\n\noutputs:\n  - "
            "format: yolov8seg\n    dequantize: true\n");
  EXPECT_EQ((*exports)[3].network, "/out/yolov8s-seg_320x320_onnx/yolov8s-seg.onnx");
  EXPECT_THAT((*exports)[3].metafiles[0].text, HasSubstr("yolov8seg w_scale=320 h_scale=320\n"));
}

TEST(YoloExportTest, WritesMetafilesThatAConversionReads) {
  YoloExportOptions options;
  options.models = {"yolo11n.pt", "yolov5su.pt", "yolov10n.pt", "yolo26n-obb.pt",
                    "yolo11n-pose.pt"};
  options.quant_types = YoloQuantTypes();
  options.quant_dataset = "/pictures/*.jpg";
  const auto exports = PlanYoloExports(options);
  ASSERT_TRUE(exports.ok()) << exports.status();
  ASSERT_EQ(exports->size(), 5);
  for (const YoloExport& run : *exports) {
    ASSERT_EQ(run.metafiles.size(), 5);
    for (const YoloMetafile& metafile : run.metafiles) {
      const auto parsed = ParseMetafile(metafile.text);
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      EXPECT_TRUE(parsed->quantized());
      const std::string format = parsed->outputs[0].format.value_or("");
      EXPECT_NE(FindDetectionFormat(format.substr(0, format.find(' '))), nullptr) << format;
    }
  }
  EXPECT_THAT((*exports)[1].metafiles[0].text, HasSubstr("format: yolov8\n"));
  EXPECT_THAT((*exports)[0].metafiles[4].text, HasSubstr("data_type: auto\n"));
}

// The part of a pickle that names the head's class and says whether it is end to end.
std::string WeightsOf(const std::string& head, bool is_end_to_end = false) {
  using std::string_literals::operator""s;
  return "PK..data.pkl\x80\x02}cultralytics.nn.modules.block\nC2f\nX\x07\0\0\0end2endq\x05"s +
         (is_end_to_end ? "\x88" : "\x89") + "cultralytics.nn.modules.head\n" + head + "\n(K";
}

TEST(YoloExportTest, ReadsTheHeadOfWeightsWhoseNameTellsNothing) {
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("Detect")), "yolov8");
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("Detect", /*is_end_to_end=*/true)), "yolo26");
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("Segment")), "yolov8seg");
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("OBB26", true)), "yolo26obb");
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("v10Detect", true)), "yolov10");
  EXPECT_EQ(YoloTypeOfWeights(WeightsOf("WorldDetect")), "");
  EXPECT_EQ(YoloTypeOfWeights(""), "");
  const std::string path = JoinPath(testing::TempDir(), "best.pt");
  ASSERT_TRUE(WriteFileAtomically(path, WeightsOf("Pose")).ok());
  YoloExportOptions options;
  options.models = {path};
  const auto exports = PlanYoloExports(options);
  ASSERT_TRUE(exports.ok()) << exports.status();
  EXPECT_THAT((*exports)[0].metafiles[0].text, HasSubstr("format: yolov8pose\n"));
  ASSERT_TRUE(WriteFileAtomically(path, WeightsOf("Classify")).ok());
  EXPECT_THAT(Error(options), HasSubstr("best.pt: a classifier, expected a detector"));
}

TEST(YoloExportTest, SaysWhatIsWrong) {
  YoloExportOptions options;
  options.models = {JoinPath(testing::TempDir(), "other.pt")};
  ASSERT_TRUE(WriteFileAtomically(options.models[0], "weights").ok());
  EXPECT_THAT(Error(options),
              HasSubstr("other.pt: neither the file, which has no head of Ultralytics' detectors, "
                        "nor its name tells the network, expected a name that begins with yolov3, "
                        "yolov5, "));
  options.models = {"yolov8n-cls.pt"};
  EXPECT_THAT(Error(options), HasSubstr("yolov8n-cls.pt: a classifier, expected a detector"));
  options.models = {"yolov8n.onnx"};
  EXPECT_EQ(Error(options), "yolov8n.onnx: not a .pt file, expected weights");
  options.models = {"yolov8n.pt"};
  options.input_sizes = {"640x360"};
  EXPECT_EQ(Error(options),
            "input size 640x360: not a multiple of 32, expected for example 640x384");
  options.input_sizes = {"640"};
  EXPECT_THAT(Error(options), HasSubstr("'640' is not a size"));
  options.input_sizes = {"640x352"};
  options.quant_types = {"uint8"};
  EXPECT_THAT(Error(options), HasSubstr("--quant_dataset"));
}

}  // namespace
}  // namespace synap_internal
