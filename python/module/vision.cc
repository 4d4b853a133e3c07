// Input data, preprocessing, classification, detection and class names.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/module/binding.h"
#include "synap/classifier.hpp"
#include "synap/detector.hpp"
#include "synap/image_postprocessor.hpp"
#include "synap/input_data.hpp"
#include "synap/label_info.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

namespace py = pybind11;
using synaptics::synap::Classifier;
using synaptics::synap::Detector;
using synaptics::synap::Dimensions;
using synaptics::synap::ImagePostprocessor;
using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::LabelInfo;
using synaptics::synap::Landmark;
using synaptics::synap::Layout;
using synaptics::synap::Mask;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Shape;

RectTuple ToTuple(const Rect& rect) {
  return {rect.origin.x, rect.origin.y, rect.size.x, rect.size.y};
}

Rect FromTuple(const RectTuple& rect) {
  return {{std::get<0>(rect), std::get<1>(rect)}, {std::get<2>(rect), std::get<3>(rect)}};
}

// A Detector that several threads may use, one at a time.
struct SharedDetector {
  std::mutex mutex;
  Detector detector;
};

// What `make` makes, without the interpreter's lock; an exception if it is empty.
template <typename Make>
std::unique_ptr<InputData> MakeInputData(Make make) {
  std::unique_ptr<InputData> data;
  RunUnlocked([&] {
    data = std::make_unique<InputData>(make());
    return !data->empty();
  });
  return data;
}

std::unique_ptr<InputData> FromFile(const std::string& file) {
  return MakeInputData([&] { return InputData(file); });
}

std::unique_ptr<InputData> FromBytes(const py::object& data, bool is_image) {
  const Bytes bytes(data);
  return MakeInputData([&] {
    return InputData(bytes.data(), bytes.size(),
                     is_image ? InputType::encoded_image : InputType::raw);
  });
}

// shape: [1, height, width, channels], or [1, channels, height, width] if is_planar.
std::unique_ptr<InputData> FromPixels(const py::object& data, const std::vector<int32_t>& shape,
                                      bool is_planar, const std::string& format) {
  const Bytes bytes(data);
  return MakeInputData([&] {
    return InputData(bytes.data(), bytes.size(), InputType::image_8bits,
                     Shape(shape.begin(), shape.end()), is_planar ? Layout::nchw : Layout::nhwc,
                     format);
  });
}

std::unique_ptr<InputData> FromYuv(const py::object& data, int32_t width, int32_t height,
                                   bool is_nv12) {
  const Bytes bytes(data);
  return MakeInputData([&] {
    return InputData(bytes.data(), bytes.size(), is_nv12 ? InputType::nv12 : InputType::nv21,
                     {1, height, width, 3}, Layout::nhwc);
  });
}

// Width and height. An encoded image is decoded for it.
std::pair<int32_t, int32_t> SizeOf(const InputData& data) {
  Dimensions dimensions;
  RunUnlocked([&] {
    dimensions = data.dimensions();
    return data.type() != InputType::encoded_image || !dimensions.empty();
  });
  return {dimensions.w, dimensions.h};
}

RectTuple Preprocess(SharedNetwork& shared, size_t index, const InputData& data,
                     const std::optional<RectTuple>& roi) {
  Preprocessor preprocessor;
  if (roi) preprocessor.set_roi(FromTuple(*roi));
  Rect assigned;
  RunOn(shared, [&] { return preprocessor.assign(shared.network.inputs, data, index, &assigned); });
  return ToTuple(assigned);
}

RectTuple PreprocessTensor(const SharedTensor& shared, const InputData& data) {
  Rect assigned;
  RunOn(*shared.owner, [&] { return Preprocessor().assign(*shared.tensor, data, &assigned); });
  return ToTuple(assigned);
}

// Pairs of class index and confidence.
std::vector<std::pair<int32_t, float>> Classify(SharedNetwork& shared, size_t top_count) {
  Classifier::Result result;
  RunOn(shared, [&] {
    result = Classifier(top_count).process(shared.network.outputs);
    return result.success;
  });
  std::vector<std::pair<int32_t, float>> classes;
  for (const Classifier::Result::Item& item : result.items) {
    classes.emplace_back(item.class_index, item.confidence);
  }
  return classes;
}

// The memory of an array that Python may write to.
template <typename T>
py::bytearray Copy(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

// (height, width, float[height][width]), or None for an empty mask.
py::object ToTuple(const Mask& mask) {
  if (mask.data.empty()) return py::none();
  return py::make_tuple(mask.height, mask.width, Copy(mask.data));
}

// (class index, confidence, box, landmarks, mask)
py::tuple ToTuple(const Detector::Result::Item& item) {
  std::vector<std::tuple<int32_t, int32_t, int32_t, float>> landmarks;
  for (const Landmark& l : item.landmarks) landmarks.emplace_back(l.x, l.y, l.z, l.visibility);
  return py::make_tuple(item.class_index, item.confidence, ToTuple(item.bounding_box), landmarks,
                        ToTuple(item.mask));
}

std::vector<py::tuple> Detect(SharedDetector& detector, SharedNetwork& shared,
                              const RectTuple& input_rect) {
  Detector::Result result;
  RunUnlocked([&] {
    const std::scoped_lock lock(detector.mutex, shared.mutex);
    result = detector.detector.process(shared.network.outputs, FromTuple(input_rect));
    return result.success;
  });
  std::vector<py::tuple> items;
  for (const Detector::Result::Item& item : result.items) items.push_back(ToTuple(item));
  return items;
}

// (data, width, height, format) of the image that the outputs are.
py::tuple OutputImage(SharedNetwork& shared) {
  ImagePostprocessor::Result result;
  RunOn(shared, [&] {
    result = ImagePostprocessor().process(shared.network.outputs);
    return result.success;
  });
  return py::make_tuple(Copy(result.data), result.dim.x, result.dim.y, result.ext);
}

// The class names of a model, none if it has none.
std::vector<std::string> Labels(const std::string& model_file) {
  std::vector<std::string> names;
  RunUnlocked([&] {
    synaptics::synap::clear_last_error();
    const LabelInfo labels = LabelInfo::find(model_file);
    for (size_t i = 0; i < labels.size(); ++i) {
      names.push_back(labels.label(static_cast<int32_t>(i)));
    }
    return !labels.empty() || synaptics::synap::last_error().empty();
  });
  return names;
}

void BindInputData(py::module_& module) {
  py::class_<InputData>(module, "InputData")
      .def_static("from_file", &FromFile)
      .def_static("from_bytes", &FromBytes)
      .def_static("from_pixels", &FromPixels)
      .def_static("from_yuv", &FromYuv)
      .def_property_readonly("format", &InputData::format)
      .def_property_readonly("nbytes", &InputData::size)
      .def_property_readonly("size", &SizeOf);
}

}  // namespace

void BindVision(py::module_& module) {
  BindInputData(module);
  module.def("preprocess", &Preprocess);
  module.def("preprocess_tensor", &PreprocessTensor);
  module.def("classify", &Classify);
  module.def("labels", &Labels);
  module.def("output_image", &OutputImage);
  py::class_<SharedDetector, std::unique_ptr<SharedDetector>>(module, "Detector")
      .def(py::init([](float score_threshold, int max_detections, bool nms, float iou_threshold,
                       bool iou_with_min) {
        auto shared = std::make_unique<SharedDetector>();
        shared->detector =
            Detector(score_threshold, max_detections, nms, iou_threshold, iou_with_min);
        return shared;
      }))
      .def("process", &Detect);
}

}  // namespace synap_internal
