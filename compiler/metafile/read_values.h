// Readers of the values of metafile fields, each with the checks of one field by itself.
#ifndef COMPILER_METAFILE_READ_VALUES_H_
#define COMPILER_METAFILE_READ_VALUES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/metafile/effort.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// A field's value, as readers get it.
struct FieldInput {
  const YamlReader& yaml;
  const MetafileOptions& options;  // for ${FILE:}
  const YamlValue& value;
};

template <typename Enum>
std::vector<std::string> WordsOf() {
  std::vector<std::string> words;
  for (const auto& row : Words<Enum>::kRows) words.emplace_back(row.text);
  return words;
}

template <typename Enum>
absl::Status ReadWord(const FieldInput& in, Enum& out) {
  ASSIGN_OR_RETURN(const size_t index, in.yaml.Word(in.value, WordsOf<Enum>()));
  out = Words<Enum>::kRows[index].value;
  return absl::OkStatus();
}

// Readers of numbers in a range, which is part of their types.
template <int64_t kMin, int64_t kMax>
struct IntegerFrom {
  absl::Status operator()(const FieldInput& in, std::optional<int64_t>& out) const {
    ASSIGN_OR_RETURN(out, in.yaml.Integer(in.value, kMin, kMax));
    return absl::OkStatus();
  }
};
template <int kMin, int kMax>
struct NumberFrom {
  absl::Status operator()(const FieldInput& in, std::optional<double>& out) const {
    constexpr auto kIsInside = [](double number) { return number >= kMin && number <= kMax; };
    const std::string expected = absl::StrCat("a number from ", kMin, " to ", kMax);
    ASSIGN_OR_RETURN(out, in.yaml.Number(in.value, expected, kIsInside));
    return absl::OkStatus();
  }
};

// `out`: a bool, or an optional one.
template <typename Bool>
absl::Status ReadBool(const FieldInput& in, Bool& out) {
  ASSIGN_OR_RETURN(out, in.yaml.Bool(in.value));
  return absl::OkStatus();
}

inline absl::Status ReadText(const FieldInput& in, std::string& text) {
  ASSIGN_OR_RETURN(text, in.yaml.String(in.value));
  return absl::OkStatus();
}

// A reader that also keeps the value's place in `location`, which must outlive it.
inline auto ReadName(SourceLocation& location) {
  return [&location](const FieldInput& in, std::string& name) -> absl::Status {
    location = in.value.location;
    ASSIGN_OR_RETURN(name, in.yaml.String(in.value));
    return absl::OkStatus();
  };
}

// A reader that also gives the other fields of the section that `effort` decides their values. They
// keep those that are written, since they are read after it.
inline auto ReadEffort(QuantizationSpec& quantization) {
  return [&quantization](const FieldInput& in, Effort& effort) -> absl::Status {
    RETURN_IF_ERROR(ReadWord(in, effort));
    SetEffortFields(effort, quantization);
    if (effort == Effort::kBest) effort = Effort::kStandard;
    return absl::OkStatus();
  };
}

// Above 0, at most 1.
absl::Status ReadWeight(const FieldInput& in, std::optional<double>& weight);
// A field of two names, of which only one may be written.
absl::Status ReadDequantize(const FieldInput& in, std::optional<bool>& dequantize);
// A null is no shape; [] is [1], the shape of a single number.
absl::Status ReadShape(const FieldInput& in, std::vector<int64_t>& shape);
// One number for all channels or a list; a null is none.
absl::Status ReadMeans(const FieldInput& in, std::vector<double>& means);
absl::Status ReadScale(const FieldInput& in, std::optional<double>& scale);
// One number for all elements or a list.
absl::Status ReadElements(const FieldInput& in, std::optional<std::vector<double>>& elements);
// With ${FILE:} expanded; a null is none.
absl::Status ReadFormat(const FieldInput& in, std::optional<std::string>& format);
// In lower case.
absl::Status ReadInputFormat(const FieldInput& in, std::string& format);
// In lower case but for the variable ${ANCHORS}.
absl::Status ReadOutputFormat(const FieldInput& in, std::string& format);
// true, false, or a list of measures.
absl::Status ReadMeasures(const FieldInput& in, std::set<MeasureKind>& measures);
absl::Status ReadDataset(const FieldInput& in, std::vector<DatasetSpec>& dataset);

std::vector<std::string> NetworkTypes();  // words of data_type
// data_type and choose_types.
absl::Status ReadDataTypes(const FieldInput& in, QuantizationSpec& quantization);
absl::Status ReadDelegates(const FieldInput& in, std::vector<DelegateRule>& rules);

// Section inputs[].preprocess as written.
struct PreprocessFields {
  SourceLocation location;
  absl::string_view type;     // one of PreprocessTypes(); "": absent
  std::vector<int64_t> size;  // width and height, or none
  bool crop = false;
};

// Words of the type, that of no preprocessing first.
std::vector<std::string> PreprocessTypes();

absl::Status ReadPreprocessType(const FieldInput& in, absl::string_view& type);
absl::Status ReadPictureSize(const FieldInput& in, std::vector<int64_t>& size);

// The fields go together.
absl::Status CheckPreprocess(const FieldInput& in, const PreprocessFields& fields);

// Empty for type none. REQUIRES: CheckPreprocess is ok.
std::optional<PreprocessSpec> SpecOf(const PreprocessFields& fields);
PreprocessFields FieldsOf(const PreprocessSpec& spec);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_READ_VALUES_H_
