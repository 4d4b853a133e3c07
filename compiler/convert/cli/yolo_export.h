// Plan of `synap export_yolo`: which files Ultralytics' exporter writes, and the metafiles for
// them.
#ifndef COMPILER_CONVERT_CLI_YOLO_EXPORT_H_
#define COMPILER_CONVERT_CLI_YOLO_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

struct YoloExportOptions {
  std::vector<std::string> models;  // weights, .pt
  std::string export_dir = "models/exported";
  std::vector<std::string> input_sizes = {"640x352"};  // WxH, multiples of 32
  std::vector<std::string> formats = {"tflite"};       // of YoloExportFormats()
  std::vector<std::string> quant_types;                // of YoloQuantTypes(); none: float only
  std::string quant_dataset;                           // pattern of pictures
};

std::vector<std::string> YoloExportFormats();
std::vector<std::string> YoloQuantTypes();

// A text file to write beside an exported network.
struct YoloMetafile {
  std::string path;
  std::string text;
};

// One run of the exporter.
struct YoloExport {
  std::string folder;                   // of all files of this run; it is created
  std::string weights;                  // copied into the folder, beside which it writes
  std::vector<std::string> command;     // to run there: yolo export model=... format=... imgsz=h,w
  std::string network;                  // path of the file that the command writes
  std::vector<YoloMetafile> metafiles;  // one for each type
};

// The type of detections ("yolov8seg") of weights, the bytes of a .pt file of Ultralytics, by the
// class of the network's head in it; "" if there is none. A classifier has "classify".
std::string YoloTypeOfWeights(absl::string_view weights);

// The runs for all models, sizes and formats, in this order; their folders differ. InvalidArgument
// naming the model, size or option that is wrong. Names of weights tell the network; a file is only
// read if its name doesn't (best.pt).
absl::StatusOr<std::vector<YoloExport>> PlanYoloExports(const YoloExportOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_YOLO_EXPORT_H_
