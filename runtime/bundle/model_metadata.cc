#include "runtime/bundle/model_metadata.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

template <typename Enum>
struct Word {
  absl::string_view text;
  Enum value;
};

constexpr std::array kLayoutWords = {
    Word<TensorLayout>{"none", TensorLayout::kNone},
    Word<TensorLayout>{"nchw", TensorLayout::kNchw},
    Word<TensorLayout>{"nhwc", TensorLayout::kNhwc},
};

constexpr std::array kSecurityWords = {
    Word<TensorSecurity>{"none", TensorSecurity::kNone},
    Word<TensorSecurity>{"any", TensorSecurity::kAny},
    Word<TensorSecurity>{"secure", TensorSecurity::kSecure},
    Word<TensorSecurity>{"non-secure", TensorSecurity::kNonSecure},
    Word<TensorSecurity>{"secure-if-input-secure", TensorSecurity::kSecureIfInputSecure},
};

// Inputs and outputs are never quantized per channel.
constexpr std::array kQuantizerWords = {
    Word<QuantScheme>{Name(QuantScheme::kNone), QuantScheme::kNone},
    Word<QuantScheme>{Name(QuantScheme::kAsymmetricAffine), QuantScheme::kAsymmetricAffine},
    Word<QuantScheme>{Name(QuantScheme::kDynamicFixedPoint), QuantScheme::kDynamicFixedPoint},
};

// Older files abbreviate the types of quantized data.
constexpr bool HasAbbreviation(const DataTypeRow& row) {
  return row.type != DataType::kBool && !row.is_float && row.bytes <= 2;
}

std::vector<Word<DataType>> MakeTypeWords() {
  std::vector<Word<DataType>> words, abbreviations;
  for (const DataTypeRow& row : kDataTypes) {
    if (row.type == DataType::kInvalid) continue;
    words.push_back({row.metadata_name, row.type});
    if (HasAbbreviation(row)) abbreviations.push_back({row.abbreviation, row.type});
  }
  words.insert(words.end(), abbreviations.begin(), abbreviations.end());
  return words;
}

const std::vector<Word<DataType>>& TypeWords() {
  static const auto* const words = new std::vector<Word<DataType>>(MakeTypeWords());
  return *words;
}

constexpr char kUnknownPixels[] = "unknown";

template <typename Words, typename Enum>
absl::Status ParseWord(const Words& words, const Json& json, absl::string_view what, Enum* value) {
  ASSIGN_OR_RETURN(const std::string text, JsonString(json, what));
  std::string expected;
  for (const auto& word : words) {
    if (word.text == text) {
      *value = word.value;
      return absl::OkStatus();
    }
    absl::StrAppend(&expected, expected.empty() ? "" : ", ", word.text);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is '", text.substr(0, 60), "', expected one of ", expected));
}

template <typename Words, typename Enum>
absl::string_view WordOf(const Words& words, Enum value) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return "";
}

// The value itself, or the first one of a list.
const Json& First(const Json& json) { return json.is_array() && !json.empty() ? json[0] : json; }

absl::Status ParseShape(const Json& json, TensorMetadata* tensor) {
  constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();
  if (!json.is_array()) {
    ASSIGN_OR_RETURN(const int64_t dim, JsonInteger(json, "shape", 1, kMaxDim));
    tensor->shape = Shape{dim};
    tensor->scalar = true;
    return absl::OkStatus();
  }
  std::vector<int64_t> dims;
  for (const Json& item : json) {
    ASSIGN_OR_RETURN(const int64_t dim, JsonInteger(item, "a dimension of shape", 1, kMaxDim));
    dims.push_back(dim);
  }
  if (dims.empty()) return absl::InvalidArgumentError("shape is [], expected positive numbers");
  tensor->shape = Shape(std::move(dims));
  return tensor->shape.Validate();
}

absl::Status ParseQuantization(const Json& object, TensorMetadata* tensor) {
  const Json* quantizer = Member(object, "quantizer");
  const Json* quantize = Member(object, "quantize");
  if (quantize != nullptr && quantize->is_object()) {
    const Json* qtype = Member(*quantize, "qtype");
    if (qtype != nullptr && tensor->dtype != DataType::kFloat32) {
      RETURN_IF_ERROR(ParseWord(TypeWords(), *qtype, "quantize.qtype", &tensor->dtype));
    }
  }
  if (quantizer == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(ParseWord(kQuantizerWords, *quantizer, "quantizer", &tensor->quant.scheme));
  if (!tensor->quant.quantized()) return absl::OkStatus();
  if (quantize == nullptr || !quantize->is_object()) {
    return absl::InvalidArgumentError("quantize is missing, expected an object for the quantizer");
  }
  if (tensor->quant.scheme == QuantScheme::kDynamicFixedPoint) {
    const Json* fl = Member(*quantize, "fl");
    if (fl == nullptr) return absl::InvalidArgumentError("quantize.fl is missing");
    ASSIGN_OR_RETURN(const int64_t length, JsonInteger(First(*fl), "quantize.fl", -100, 100));
    tensor->quant = QuantParams::FixedPoint(static_cast<int32_t>(length));
    return absl::OkStatus();
  }
  const Json* scale = Member(*quantize, "scale");
  if (scale == nullptr) return absl::InvalidArgumentError("quantize.scale is missing");
  ASSIGN_OR_RETURN(const float step, JsonNumber(First(*scale), "quantize.scale"));
  int64_t zero = 0;
  if (const Json* zero_point = Member(*quantize, "zero_point"); zero_point != nullptr) {
    ASSIGN_OR_RETURN(zero, JsonInteger(First(*zero_point), "quantize.zero_point",
                                       std::numeric_limits<int32_t>::min(),
                                       std::numeric_limits<int32_t>::max()));
  }
  tensor->quant = QuantParams::Affine(step, static_cast<int32_t>(zero));
  return absl::OkStatus();
}

absl::Status ParseNormalization(const Json& object, TensorMetadata* tensor) {
  if (const Json* scale = Member(object, "scale"); scale != nullptr && !scale->is_null()) {
    ASSIGN_OR_RETURN(tensor->scale, JsonNumber(First(*scale), "scale"));
    if (*tensor->scale == 0) return absl::InvalidArgumentError("scale is 0, expected another");
  }
  const Json* mean = Member(object, "mean");
  if (mean == nullptr || mean->is_null()) return absl::OkStatus();
  if (!mean->is_array()) {
    ASSIGN_OR_RETURN(const float value, JsonNumber(*mean, "mean"));
    tensor->mean = {value};
    return absl::OkStatus();
  }
  for (const Json& item : *mean) {
    ASSIGN_OR_RETURN(const float value, JsonNumber(item, "mean"));
    tensor->mean.push_back(value);
  }
  return absl::OkStatus();
}

absl::Status ParsePixelValues(const Json& pixels, absl::string_view name, size_t channels,
                              std::vector<float>* values) {
  const Json* list = Member(pixels, name);
  if (list == nullptr || !list->is_array() || (list->size() != 1 && list->size() != channels)) {
    return absl::InvalidArgumentError(
        absl::StrCat("pixels.", name, " isn't a list of one number, or of one for each channel"));
  }
  values->clear();
  for (const Json& item : *list) {
    ASSIGN_OR_RETURN(values->emplace_back(), JsonNumber(item, absl::StrCat("pixels.", name)));
  }
  return absl::OkStatus();
}

absl::Status ParsePixels(const Json& object, TensorMetadata* tensor) {
  const Json* pixels = Member(object, "pixels");
  if (pixels == nullptr || pixels->is_null()) return absl::OkStatus();
  if (*pixels == kUnknownPixels) {
    tensor->pixels_unknown = true;
    return absl::OkStatus();
  }
  if (!pixels->is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("pixels is no object, expected one or '", kUnknownPixels, "'"));
  }
  const auto channels = static_cast<size_t>(tensor->channels());
  PixelMapping& mapping = tensor->pixels.emplace();
  RETURN_IF_ERROR(ParsePixelValues(*pixels, "mean", channels, &mapping.mean));
  RETURN_IF_ERROR(ParsePixelValues(*pixels, "scale", channels, &mapping.scale));
  for (const float scale : mapping.scale) {
    if (scale == 0) return absl::InvalidArgumentError("pixels.scale has a 0, expected another");
  }
  return absl::OkStatus();
}

absl::Status ParseTensor(const Json& object, TensorMetadata* tensor) {
  if (!object.is_object()) return absl::InvalidArgumentError("not a JSON object");
  if (const Json* name = Member(object, "name"); name != nullptr) {
    ASSIGN_OR_RETURN(tensor->name, JsonString(*name, "name"));
  }
  const Json* shape = Member(object, "shape");
  if (shape == nullptr) return absl::InvalidArgumentError("shape is missing");
  RETURN_IF_ERROR(ParseShape(*shape, tensor));
  if (const Json* type = Member(object, "type"); type != nullptr && *type == "scalar") {
    tensor->scalar = true;
  }
  if (const Json* format = Member(object, "format"); format != nullptr) {
    RETURN_IF_ERROR(ParseWord(kLayoutWords, *format, "format", &tensor->layout));
  }
  if (const Json* dtype = Member(object, "dtype"); dtype != nullptr) {
    RETURN_IF_ERROR(ParseWord(TypeWords(), *dtype, "dtype", &tensor->dtype));
  }
  RETURN_IF_ERROR(ParseQuantization(object, tensor));
  if (tensor->dtype == DataType::kInvalid) return absl::InvalidArgumentError("dtype is missing");
  // A dequantized tensor may still have the quantizer that it had.
  if (IsFloat(tensor->dtype)) tensor->quant = QuantParams();
  RETURN_IF_ERROR(tensor->quant.Validate(tensor->dtype, tensor->shape));
  if (const Json* format = Member(object, "data_format"); format != nullptr) {
    ASSIGN_OR_RETURN(tensor->data_format, JsonString(*format, "data_format"));
  }
  RETURN_IF_ERROR(ParseNormalization(object, tensor));
  RETURN_IF_ERROR(ParsePixels(object, tensor));
  if (const Json* security = Member(object, "security"); security != nullptr) {
    RETURN_IF_ERROR(ParseWord(kSecurityWords, *security, "security", &tensor->security));
  }
  return absl::OkStatus();
}

absl::Status ParseTensors(const Json& root, absl::string_view key,
                          std::vector<TensorMetadata>* tensors) {
  const Json* object = Member(root, key);
  if (object == nullptr || !object->is_object()) {
    return absl::InvalidArgumentError(absl::StrCat("no object '", key, "'"));
  }
  for (const auto& [id, tensor] : object->items()) {
    tensors->emplace_back();
    if (absl::Status status = ParseTensor(tensor, &tensors->back()); !status.ok()) {
      return Annotate(status, absl::StrCat(key, " '", id.substr(0, 200), "'"));
    }
    if (tensors->back().name.empty()) tensors->back().name = id;
  }
  return absl::OkStatus();
}

Json PrintQuantize(const TensorMetadata& tensor) {
  Json json = Json::object();
  json["qtype"] = std::string(WordOf(TypeWords(), tensor.dtype));
  if (tensor.quant.scheme == QuantScheme::kDynamicFixedPoint) {
    json["fl"] = tensor.quant.fractional_length;
    return json;
  }
  const IntegerRange range = RangeOf(tensor.dtype);
  const int64_t zero = tensor.quant.zero_point();
  json["scale"] = tensor.quant.scale();
  json["zero_point"] = zero;
  json["min_value"] = static_cast<float>(range.min - zero) * tensor.quant.scale();
  json["max_value"] = static_cast<float>(range.max - zero) * tensor.quant.scale();
  return json;
}

absl::StatusOr<Json> PrintTensor(const TensorMetadata& tensor) {
  const absl::string_view dtype = WordOf(TypeWords(), tensor.dtype);
  const absl::string_view quantizer = WordOf(kQuantizerWords, tensor.quant.scheme);
  if (dtype.empty() || quantizer.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor '", tensor.name, "' is ", Name(tensor.dtype), " with quantizer ",
        Name(tensor.quant.scheme), ", which model.json can't express; expected another data type"));
  }
  Json json = Json::object();
  json["name"] = tensor.name;
  json["shape"] = tensor.shape.dims();
  json["format"] = std::string(WordOf(kLayoutWords, tensor.layout));
  json["dtype"] = std::string(dtype);
  json["quantizer"] = std::string(quantizer);
  if (tensor.quant.quantized()) json["quantize"] = PrintQuantize(tensor);
  json["data_format"] = tensor.data_format;
  if (tensor.scale.has_value()) json["scale"] = *tensor.scale;
  if (!tensor.mean.empty()) json["mean"] = tensor.mean;
  if (tensor.pixels.has_value()) {
    json["pixels"] = {{"mean", tensor.pixels->mean}, {"scale", tensor.pixels->scale}};
  }
  if (tensor.pixels_unknown) json["pixels"] = kUnknownPixels;
  if (tensor.security != TensorSecurity::kNone) {
    json["security"] = std::string(WordOf(kSecurityWords, tensor.security));
  }
  if (tensor.scalar) json["type"] = "scalar";
  return json;
}

// The ids are the tensors' names, with a suffix if a name repeats.
absl::StatusOr<Json> PrintTensors(const std::vector<TensorMetadata>& tensors) {
  Json json = Json::object();
  for (const TensorMetadata& tensor : tensors) {
    std::string id = tensor.name;
    for (int i = 1; json.contains(id); ++i) id = absl::StrCat(tensor.name, ":", i);
    ASSIGN_OR_RETURN(json[id], PrintTensor(tensor));
  }
  return json;
}

// Leaves `value` as it is if there is no such member.
absl::Status ReadBool(const Json& root, const char* name, bool& value) {
  const Json* member = Member(root, name);
  if (member == nullptr) return absl::OkStatus();
  if (!member->is_boolean()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is no truth value, expected true or false"));
  }
  value = member->get<bool>();
  return absl::OkStatus();
}

}  // namespace

absl::string_view Name(TensorSecurity security) { return WordOf(kSecurityWords, security); }

float TensorMetadata::effective_scale() const {
  if (scale.has_value()) return *scale;
  return quant.scheme == QuantScheme::kAsymmetricAffine ? 1 / quant.scale() : 1;
}

std::vector<float> TensorMetadata::effective_mean() const {
  if (!mean.empty()) return mean;
  if (quant.scheme != QuantScheme::kAsymmetricAffine) return {0};
  return {static_cast<float>(quant.zero_point())};
}

int64_t TensorMetadata::channels() const {
  if (layout == TensorLayout::kNone || shape.rank() != 4) return 1;
  return shape[layout == TensorLayout::kNchw ? 1 : 3];
}

absl::StatusOr<ModelMetadata> ParseModelMetadata(absl::string_view json) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseJsonObject(json));
  const Json& root = document.root();
  ModelMetadata metadata;
  RETURN_IF_ERROR(ParseTensors(root, "Inputs", &metadata.inputs));
  RETURN_IF_ERROR(ParseTensors(root, "Outputs", &metadata.outputs));
  RETURN_IF_ERROR(ReadBool(root, "secure", metadata.secure));
  RETURN_IF_ERROR(ReadBool(root, "profiling", metadata.profiling));
  if (const Json* delegate = Member(root, "delegate"); delegate != nullptr) {
    ASSIGN_OR_RETURN(metadata.delegate, JsonString(*delegate, "delegate"));
  }
  return metadata;
}

absl::StatusOr<std::string> PrintModelMetadata(const ModelMetadata& metadata) {
  Json root = Json::object();
  ASSIGN_OR_RETURN(root["Inputs"], PrintTensors(metadata.inputs));
  ASSIGN_OR_RETURN(root["Outputs"], PrintTensors(metadata.outputs));
  root["Recurrent_connections"] = Json::object();
  root["secure"] = metadata.secure;
  root["delegate"] = metadata.delegate;
  if (metadata.profiling) root["profiling"] = true;
  return PrintJson(root, 4);
}

}  // namespace synap_internal
