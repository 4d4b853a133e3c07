#include "rules/checker/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rules/checker/float_values.h"
#include "rules/checker/npz.h"

namespace synap_internal {
namespace {

using synaptics::synap::DataType;
using synaptics::synap::Network;
using synaptics::synap::Tensor;
using Arrays = std::map<std::string, NpyArray>;

// The drawing is defined on a square of kSide x kSide.
constexpr int64_t kSide = 320;

struct Face {
  int64_t x, y, size;
};
constexpr Face kFaces[] = {{160, 170, 140}, {45, 275, 30}, {260, 290, 20}, {285, 60, 24}};

// An ellipse; centre and radii in hundredths of the face's size.
struct Part {
  int64_t x, y, radius_x, radius_y;
  int64_t colour[3];
};
constexpr Part kParts[] = {
    {0, -20, 88, 115, {60, 50, 40}},                                        // hair
    {0, 0, 75, 100, {155, 190, 225}},                                       // face
    {-32, -38, 20, 4, {60, 60, 60}},                                        // brows
    {32, -38, 20, 4, {60, 60, 60}},    {-32, -20, 16, 9, {235, 235, 235}},  // eyes
    {32, -20, 16, 9, {235, 235, 235}}, {-32, -20, 8, 8, {30, 30, 30}},
    {32, -20, 8, 8, {30, 30, 30}},     {-8, 20, 5, 4, {70, 90, 110}},   // nose
    {8, 20, 5, 4, {70, 90, 110}},      {0, 50, 28, 9, {50, 100, 150}},  // mouth
};

// The part that is drawn last at a position, null if there is none.
const Part* PartAt(int64_t u, int64_t v) {
  const Part* top = nullptr;
  for (const Face& face : kFaces) {
    for (const Part& part : kParts) {
      const int64_t across = ((u - face.x) * 100 - part.x * face.size) * part.radius_y;
      const int64_t down = ((v - face.y) * 100 - part.y * face.size) * part.radius_x;
      const int64_t radius = part.radius_x * part.radius_y * face.size;
      if (across * across + down * down < radius * radius) top = &part;
    }
  }
  return top;
}

struct Reference {
  Arrays inputs, patterns, outputs, sampled, every;
};

absl::StatusOr<Reference> ReadReference(const std::string& path) {
  Reference reference;
  ASSIGN_OR_RETURN(reference.inputs, ReadNpz(path, "input__"));
  ASSIGN_OR_RETURN(reference.patterns, ReadNpz(path, "pattern__"));
  ASSIGN_OR_RETURN(reference.outputs, ReadNpz(path, "output__"));
  ASSIGN_OR_RETURN(reference.sampled, ReadNpz(path, "sampled__"));
  ASSIGN_OR_RETURN(reference.every, ReadNpz(path, "every__"));
  return reference;
}

// By name; the only one whatever its name.
const NpyArray* Find(const Arrays& arrays, const std::string& name, bool is_only) {
  const auto found = arrays.find(name);
  if (found != arrays.end()) return &found->second;
  return is_only && arrays.size() == 1 ? &arrays.begin()->second : nullptr;
}

absl::Status SetInput(const Reference& reference, bool is_only, Tensor& tensor) {
  const std::string name = absl::StrCat("input ", tensor.name());
  if (tensor.data_type() != DataType::float32) {
    return absl::InvalidArgumentError(absl::StrCat(name, " isn't float32: the model is quantized"));
  }
  std::vector<float> values;
  if (const NpyArray* array = Find(reference.inputs, tensor.name(), is_only)) {
    values = array->values;
  } else if (const NpyArray* pattern = Find(reference.patterns, tensor.name(), is_only)) {
    if (pattern->values.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": a pattern is a mean and a scale"));
    }
    const bool nhwc = tensor.layout() == synaptics::synap::Layout::nhwc;
    values = PatternInput(tensor.shape(), nhwc, pattern->values[0], pattern->values[1]);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not in the reference"));
  }
  if (values.size() != tensor.item_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", tensor.item_count(), " values, the reference ", values.size()));
  }
  const void* const data = values.data();
  if (!tensor.assign(data, values.size() * sizeof(float))) {
    return absl::InternalError(absl::StrCat(name, " can't be assigned"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputError> Compare(const Tensor& tensor, absl::Span<const float> expected,
                                    size_t every) {
  OutputError error{.output = tensor.name(), .compared = expected.size()};
  ASSIGN_OR_RETURN(const absl::Span<const float> found, FloatValues(tensor));
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(double{found[i * every]} - double{expected[i]});
    if (difference <= error.largest && i > 0) continue;
    error.largest = difference;
    error.index = i * every;
    error.expected = expected[i];
    error.found = found[i * every];
    if (std::isnan(difference)) break;
  }
  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  error.range = double{*high} - double{*low};
  return error;
}

absl::StatusOr<OutputError> CompareOutput(const Reference& reference, bool is_only,
                                          const Tensor& tensor) {
  size_t every = 1;
  const NpyArray* expected = Find(reference.outputs, tensor.name(), is_only);
  if (expected == nullptr) {
    expected = Find(reference.sampled, tensor.name(), is_only);
    const NpyArray* distance = Find(reference.every, tensor.name(), is_only);
    if (distance != nullptr && distance->values.size() == 1 && distance->values[0] >= 1) {
      every = static_cast<size_t>(distance->values[0]);
    }
  }
  if (expected == nullptr || expected->values.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output ", tensor.name(), " is not in the reference"));
  }
  const size_t needed = (tensor.item_count() + every - 1) / every;
  if (expected->values.size() != needed) {
    return absl::InvalidArgumentError(absl::StrCat("output ", tensor.name(), " has ", needed,
                                                   " values to compare, the reference ",
                                                   expected->values.size()));
  }
  return Compare(tensor, expected->values, every);
}

}  // namespace

std::vector<float> PatternInput(absl::Span<const int32_t> shape, bool nhwc, float mean,
                                float scale) {
  int64_t sizes[4] = {1, 1, 1, 1};
  for (size_t back = 0; back < shape.size(); ++back) {
    sizes[back < 4 ? 3 - back : 0] *= shape[shape.size() - 1 - back];
  }
  const int64_t batch = sizes[0], channels = sizes[nhwc ? 3 : 1];
  const int64_t height = sizes[nhwc ? 1 : 2], width = sizes[nhwc ? 2 : 3];
  const int64_t plane = height * width;
  std::vector<float> values(batch * channels * plane);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t u = x * kSide / width, v = y * kSide / height;
      const Part* const part = PartAt(u, v);
      for (int64_t i = 0; i < batch * channels; ++i) {
        const int64_t c = i % channels;
        const int64_t pixel =
            part != nullptr ? part->colour[c % 3] : 96 + (u * 3 + v * 5) % 64 + 8 * c;
        const int64_t at = y * width + x;
        const int64_t element =
            nhwc ? ((i / channels) * plane + at) * channels + c : i * plane + at;
        values[element] = (static_cast<float>(pixel) - mean) / scale;
      }
    }
  }
  return values;
}

absl::StatusOr<std::vector<OutputError>> CompareWithReference(Network& network,
                                                              const std::string& npz_path) {
  ASSIGN_OR_RETURN(const Reference reference, ReadReference(npz_path));
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    RETURN_IF_ERROR(SetInput(reference, network.inputs.size() == 1, network.inputs[i]));
  }
  if (!network.predict()) return absl::InternalError("inference failed");
  std::vector<OutputError> errors;
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    ASSIGN_OR_RETURN(OutputError error,
                     CompareOutput(reference, network.outputs.size() == 1, network.outputs[i]));
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace synap_internal
