#include "rules/checker/golden.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/visit_type.h"
#include "rules/checker/float_values.h"
#include "runtime/api/api_type.h"
#include "runtime/vision/format_string.h"
#include "synap/detector.hpp"
#include "synap/input_data.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Detector;
using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;

// Enough to tell a shifted output from a noisy one, and few enough to be read in a review.
constexpr size_t kSampledValues = 200;

template <typename T>
Json Element(const Tensor& tensor, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(tensor.data()) + index * sizeof(T), sizeof(T));
  return value;
}

// Element `index` as it is stored; of float types the value, from `floats`.
Json StoredValue(const Tensor& tensor, const float* floats, size_t index) {
  Json value;
  const bool is_integer = VisitIntegers(FromApi(tensor.data_type()), [&](auto zero) {
    value = Element<decltype(zero)>(tensor, index);
  });
  if (!is_integer) value = floats[index];
  return value;
}

std::string Sha256(const void* data, size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(data, size, digest, &length, EVP_sha256(), nullptr);
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest), length});
}

// The distance of the sampled elements: coprime to the last dimension, so that all its positions
// come up.
size_t SampleDistance(const Tensor& tensor) {
  size_t every = std::max<size_t>(1, tensor.item_count() / kSampledValues);
  while (std::gcd(every, static_cast<size_t>(tensor.shape().back())) != 1) ++every;
  return every;
}

Json RecordDetection(const Detector::Result::Item& item) {
  Json landmarks = Json::array();
  for (const auto& point : item.landmarks) landmarks.push_back({point.x, point.y});
  const Rect& box = item.bounding_box;
  return {{"class", item.class_index},
          {"confidence", item.confidence},
          {"box", {box.origin.x, box.origin.y, box.size.x, box.size.y}},
          {"landmarks", landmarks}};
}

// [0, 3, 4] of flat index 19 in shape [1, 4, 5].
std::string Position(size_t index, const Json& shape) {
  std::vector<size_t> position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    const size_t size = std::max<size_t>(1, shape[axis].get<size_t>());
    position[axis] = index % size;
    index /= size;
  }
  return absl::StrCat("[", absl::StrJoin(position, ", "), "]");
}

bool SameKind(const Json& a, const Json& b) {
  return a.at("type") == b.at("type") && a.at("shape") == b.at("shape") &&
         a.at("every") == b.at("every") && a.at("values").size() == b.at("values").size();
}

// In figures, as far as the sampled values tell. REQUIRES: SameKind.
std::string ValueDifferences(const Json& golden, const Json& found) {
  const std::vector<double> before = golden.at("values").get<std::vector<double>>();
  const std::vector<double> after = found.at("values").get<std::vector<double>>();
  size_t count = 0, first = 0;
  double largest = 0;
  for (size_t i = before.size(); i-- > 0;) {
    if (before[i] == after[i]) continue;
    ++count;
    first = i;
    largest = std::max(largest, std::abs(before[i] - after[i]));
  }
  if (count == 0) return absl::StrCat("none of the ", before.size(), " sampled values differs");
  return absl::StrFormat(
      "%d of %d sampled values differ, the first at %s: %g, golden %g; largest difference %g",
      count, before.size(), Position(first * golden.at("every").get<size_t>(), golden.at("shape")),
      after[first], before[first], largest);
}

std::string OutputDifference(const Json& golden, const Json& found) {
  if (golden == found) return "";
  const std::string name = absl::StrCat("output ", found.at("name").get<std::string>());
  if (golden.at("name") != found.at("name")) {
    return absl::StrCat(name, " stands where the golden has ",
                        golden.at("name").get<std::string>());
  }
  if (!SameKind(golden, found)) {
    return absl::StrCat(name, " is ", found.at("type").get<std::string>(), found.at("shape").dump(),
                        ", golden ", golden.at("type").get<std::string>(),
                        golden.at("shape").dump());
  }
  return absl::StrCat(name, " differs: ", ValueDifferences(golden, found));
}

std::string DetectionDifference(const Json& golden, const Json& found) {
  if (golden == found) return "";
  size_t first = 0;
  while (first < std::min(golden.size(), found.size()) && golden[first] == found[first]) ++first;
  const auto text = [first](const Json& list) {
    return first < list.size() ? list[first].dump() : std::string("none");
  };
  return absl::StrCat("detections differ: ", found.size(), ", golden ", golden.size(),
                      "; the first that differs, number ", first, ": ", text(found), ", golden ",
                      text(golden));
}

void AppendRunDifferences(const Json& golden, const Json& found, std::vector<std::string>& lines) {
  const std::string input = found.at("input").get<std::string>() + ": ";
  if (golden.at("input") != found.at("input")) {
    lines.push_back(input + "the golden has the input " + golden.at("input").get<std::string>());
    return;
  }
  if (golden.at("outputs").size() != found.at("outputs").size()) {
    lines.push_back(absl::StrCat(input, found.at("outputs").size(), " outputs, golden ",
                                 golden.at("outputs").size()));
    return;
  }
  for (size_t i = 0; i < found.at("outputs").size(); ++i) {
    const std::string difference =
        OutputDifference(golden.at("outputs").at(i), found.at("outputs").at(i));
    if (!difference.empty()) lines.push_back(input + difference);
  }
  const std::string difference = DetectionDifference(golden.value("detections", Json::array()),
                                                     found.value("detections", Json::array()));
  if (!difference.empty()) lines.push_back(input + difference);
}

// "SQNR 31.52 dB, cosine 0.999648" of `after` against `before`, which has as many values.
std::string FidelityText(const std::vector<double>& before, const std::vector<double>& after) {
  double signal = 0, noise = 0, product = 0, power = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    signal += before[i] * before[i];
    noise += (after[i] - before[i]) * (after[i] - before[i]);
    product += before[i] * after[i];
    power += after[i] * after[i];
  }
  if (noise == 0) return "the same";
  const std::string sqnr =
      signal > 0 ? absl::StrFormat("%.2f dB", 10 * std::log10(signal / noise)) : "none";
  const std::string cosine = signal > 0 && power > 0
                                 ? absl::StrFormat("%.6f", product / std::sqrt(signal * power))
                                 : "none";
  return absl::StrCat("SQNR ", sqnr, ", cosine ", cosine);
}

void AppendRunFidelities(const Json& golden, const Json& found, std::vector<std::string>& lines) {
  if (golden.at("input") != found.at("input")) return;
  for (size_t i = 0; i < found.at("outputs").size(); ++i) {
    const Json& before = golden.at("outputs").at(i);
    const Json& after = found.at("outputs").at(i);
    if (before == after || before.at("name") != after.at("name") || !SameKind(before, after)) {
      continue;
    }
    lines.push_back(absl::StrCat(found.at("input").get<std::string>(), ": output ",
                                 after.at("name").get<std::string>(),
                                 ", sampled values after against before: ",
                                 FidelityText(before.at("values").get<std::vector<double>>(),
                                              after.at("values").get<std::vector<double>>())));
  }
}

void AppendText(const Json& value, int indent, std::string& text) {
  const auto is_plain = [](const Json& element) { return !element.is_structured(); };
  const auto is_point = [&](const Json& element) {
    return is_plain(element) || std::all_of(element.begin(), element.end(), is_plain);
  };
  if (!value.is_structured() ||
      (value.is_array() && std::all_of(value.begin(), value.end(), is_point) &&
       !(value.size() > 0 && value[0].is_object()))) {
    absl::StrAppend(&text, value.dump());
    return;
  }
  const std::string margin(indent + 1, ' ');
  text += value.is_array() ? '[' : '{';
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    absl::StrAppend(&text, separator, margin);
    if (value.is_object()) absl::StrAppend(&text, Json(key).dump(), ": ");
    AppendText(element, indent + 1, text);
    separator = ",\n";
  }
  absl::StrAppend(&text, "\n", std::string(indent, ' '), value.is_array() ? "]" : "}");
}

// The record of one output of a network that has run.
absl::StatusOr<Json> RecordOutput(const Tensor& tensor) {
  const size_t every = SampleDistance(tensor);
  ASSIGN_OR_RETURN(const absl::Span<const float> floats, FloatValues(tensor));
  Json values = Json::array();
  for (size_t i = 0; i < tensor.item_count(); i += every) {
    values.push_back(StoredValue(tensor, floats.data(), i));
  }
  return Json{{"name", tensor.name()},
              {"type", RowOf(FromApi(tensor.data_type())).metadata_name},
              {"shape", static_cast<const std::vector<int32_t>&>(tensor.shape())},
              {"sha256", Sha256(tensor.data(), tensor.size())},
              {"every", every},
              {"values", std::move(values)}};
}

}  // namespace

bool IsDetector(const Network& network) {
  const std::string type = FormatType(network.outputs[0].format());
  return !type.empty() && type != "confidence_array";
}

absl::StatusOr<Rect> RunOnPicture(const InputData& picture, Network& network) {
  Rect rectangle;
  if (!Preprocessor().assign(network.inputs, picture, 0, &rectangle)) {
    return absl::InvalidArgumentError("not taken as the network's input");
  }
  if (!network.predict()) return absl::InternalError("inference failed");
  return rectangle;
}

absl::StatusOr<Json> RecordRun(Network& network, const std::string& picture) {
  const absl::StatusOr<Rect> rectangle = RunOnPicture(InputData(picture), network);
  RETURN_IF_ERROR(Annotate(rectangle.status(), picture));
  Json outputs = Json::array();
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    ASSIGN_OR_RETURN(Json output, RecordOutput(network.outputs[i]));
    outputs.push_back(std::move(output));
  }
  Json run = {{"input", Basename(picture)}, {"outputs", std::move(outputs)}};
  if (IsDetector(network)) {
    const Detector::Result result = Detector().process(network.outputs, *rectangle);
    if (!result.success) return absl::InternalError(absl::StrCat(picture, ": detection failed"));
    run["detections"] = Json::array();
    for (const auto& item : result.items) run["detections"].push_back(RecordDetection(item));
  }
  return run;
}

std::string GoldenText(const Json& golden) {
  std::string text;
  AppendText(golden, 0, text);
  return text + "\n";
}

absl::StatusOr<Json> ParseGolden(absl::string_view text, absl::string_view path) {
  Json golden = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!golden.is_object() || !golden.contains("runs") || !golden["runs"].is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a golden"));
  }
  return golden;
}

std::vector<std::string> Differences(const Json& golden, const Json& found) {
  if (golden == found) return {};
  std::vector<std::string> lines;
  if (golden["runs"].size() != found["runs"].size()) {
    return {absl::StrCat(found["runs"].size(), " inputs, golden ", golden["runs"].size())};
  }
  try {
    for (size_t i = 0; i < found["runs"].size(); ++i) {
      AppendRunDifferences(golden["runs"].at(i), found["runs"][i], lines);
    }
  } catch (const nlohmann::json::exception& error) {
    lines.push_back(absl::StrCat("the golden is damaged: ", error.what()));
  }
  if (lines.empty()) lines.push_back("the golden has something that no run gives");
  return lines;
}

std::vector<std::string> Fidelities(const Json& golden, const Json& found) {
  std::vector<std::string> lines;
  try {
    for (size_t i = 0; i < std::min(golden["runs"].size(), found["runs"].size()); ++i) {
      AppendRunFidelities(golden["runs"].at(i), found["runs"].at(i), lines);
    }
  } catch (const nlohmann::json::exception&) {
    lines.clear();  // Differences says that the golden is damaged
  }
  return lines;
}

}  // namespace synap_internal
