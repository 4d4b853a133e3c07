#include "compiler/convert/programs/provenance.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr char kNone[] = "none";
constexpr char kStage[] = "stage";
constexpr char kSamples[] = "samples";
constexpr char kStatistics[] = "statistics";

// The values of each name, in order.
using Fields = std::vector<std::pair<std::string, std::vector<std::string>>>;

// "1=path" is input 1's; the input is part of the value.
absl::StatusOr<std::string> SampleValue(const std::string& text) {
  const size_t equals = text.find('=');
  size_t input = 0;
  const bool indexed =
      equals != std::string::npos && absl::SimpleAtoi(text.substr(0, equals), &input);
  ASSIGN_OR_RETURN(const std::string digest,
                   DigestOfFile(indexed ? text.substr(equals + 1) : text));
  return absl::StrCat("input ", input, " ", digest);
}

absl::StatusOr<Fields> FieldsOf(const StageRecord& record) {
  Fields fields = {{kStage, {record.stage}}};
  for (const auto& [name, value] : record.options) {
    fields.push_back({name, {value.empty() ? kNone : value}});
  }
  for (const auto& [name, paths] : record.files) {
    std::vector<std::string>& values = fields.emplace_back(name, std::vector<std::string>()).second;
    for (const std::string& path : paths) {
      if (path.empty()) continue;
      ASSIGN_OR_RETURN(std::string value,
                       name == kSamples ? SampleValue(path) : DigestOfFile(path));
      values.push_back(std::move(value));
    }
    if (values.empty()) values.push_back(kNone);
  }
  return fields;
}

std::string Print(const Fields& fields) {
  std::string text;
  for (const auto& [name, values] : fields) {
    for (const std::string& value : values) absl::StrAppend(&text, name, ": ", value, "\n");
  }
  return text;
}

// Of a text that isn't a provenance, fields that no stage has.
Fields Parse(absl::string_view text) {
  Fields fields;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (fields.empty() || fields.back().first != parts.first) {
      fields.emplace_back(parts.first, std::vector<std::string>());
    }
    fields.back().second.push_back(parts.second);
  }
  return fields;
}

std::string DifferenceOf(const std::string& name, const std::vector<std::string>& found,
                         const std::vector<std::string>& expected) {
  if (found.size() == 1 && expected.size() == 1) {
    return absl::StrCat(name, ": ", found[0], ", expected ", expected[0]);
  }
  const auto others = std::count_if(found.begin(), found.end(), [&](const std::string& value) {
    return std::find(expected.begin(), expected.end(), value) == expected.end();
  });
  return absl::StrCat(name, ": ", found.size(), " files of which ", others,
                      " aren't among those of this build, expected ", expected.size());
}

std::vector<std::string> Differences(const Fields& found, const Fields& expected) {
  std::vector<std::string> differing;
  if (found.size() != expected.size()) {
    return {"the text has other fields than the provenance of this stage"};
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found[i].first != expected[i].first) {
      differing.push_back(absl::StrCat(found[i].first, ", expected ", expected[i].first));
    } else if (found[i].second != expected[i].second) {
      differing.push_back(DifferenceOf(found[i].first, found[i].second, expected[i].second));
    }
  }
  return differing;
}

absl::Status MadeOfSomethingElse(const std::string& result,
                                 const std::vector<std::string>& differing) {
  return absl::FailedPreconditionError(absl::StrCat(
      result,
      ": it is made of something else than this build asks for: ", absl::StrJoin(differing, "; "),
      "; a cache gave another action's result: clear that cache, or build without it"));
}

// With as many digits as tell it from all others.
std::string Limit(const std::optional<double>& limit) {
  if (!limit.has_value()) return "";
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), *limit).ptr};
}

bool IsOfShard(const std::string& name) { return name == kSamples || name == kStatistics; }

// Sorted, without kNone.
void Sort(std::vector<std::string>& values) {
  values.erase(std::remove(values.begin(), values.end(), kNone), values.end());
  std::sort(values.begin(), values.end());
}

}  // namespace

StageRecord RecordOf(const ImportedFiles& files) {
  return {"import",
          {},
          {{"model", {files.model}},
           {"weights", {files.weights}},
           {"data", files.data},
           {"metafile", {files.metafile}},
           {"graph", {files.graph}}}};
}

StageRecord RecordOf(const CalibratedFiles& files) {
  return {"calibrate",
          {},
          {{"graph", {files.graph}},
           {"metafile", {files.metafile}},
           {kSamples, files.samples},
           {kStatistics, files.statistics}}};
}

StageRecord RecordOf(const QuantizedFiles& files) {
  return {"quantize",
          {{"target", files.target}},
          {{"graph", {files.graph}},
           {"metafile", {files.metafile}},
           {kStatistics, files.statistics},
           {kSamples, files.samples},
           {"quantized", {files.quantized}},
           {"info", {files.info}}}};
}

StageRecord RecordOf(const CompiledFiles& files) {
  return {"compile",
          {{"target", files.target},
           {"profiling", files.profiling ? "yes" : "no"},
           {"self-test", absl::StrCat(files.self_test)}},
          {{"graph", {files.graph}},
           {"metafile", {files.metafile}},
           {"imported", {files.imported}},
           {kSamples, files.samples},
           {"model", {files.model}},
           {"info", {files.info}}}};
}

StageRecord RecordOf(const PreprocessingFiles& files) {
  return {"preprocess",
          {{"target", files.target},
           {"type", files.type},
           {"size", files.size},
           {"crop", files.crop ? "yes" : "no"},
           {"input", files.input}},
          {{"network", {files.network}}, {"model", {files.model}}, {"info", {files.info}}}};
}

StageRecord RecordOf(const AnalyzedFiles& files) {
  return {"analyze",
          {{"max_samples", absl::StrCat(files.max_samples)}},
          {{"graph", {files.graph}},
           {"quantized", {files.quantized}},
           {"metafile", {files.metafile}},
           {kSamples, files.samples},
           {"analysis", {files.analysis}}}};
}

StageRecord RecordOf(const CheckedFiles& files) {
  return {"check",
          {{"max_latency_ms", Limit(files.max_latency_ms)},
           {"max_arena_kb", Limit(files.max_arena_kb)},
           {"max_cpu_macs_percent", Limit(files.max_cpu_macs_percent)},
           {"min_sqnr_db", Limit(files.min_sqnr_db)},
           {"target", files.target}},
          {{"model", {files.model}}, {"analysis", {files.analysis}}, {"figures", {files.figures}}}};
}

absl::StatusOr<std::string> ProvenanceText(const StageRecord& record) {
  ASSIGN_OR_RETURN(const Fields fields, FieldsOf(record));
  return Print(fields);
}

absl::Status CheckProvenance(const std::string& provenance, const StageRecord& record,
                             const std::string& result) {
  ASSIGN_OR_RETURN(const Fields expected, FieldsOf(record));
  if (provenance == Print(expected)) return absl::OkStatus();
  std::vector<std::string> differing = Differences(Parse(provenance), expected);
  if (differing.empty()) differing.push_back("the text has other lines than a provenance");
  return MadeOfSomethingElse(result, differing);
}

absl::Status CheckShards(absl::Span<const std::string> provenances, const CalibratedFiles& files) {
  ASSIGN_OR_RETURN(Fields expected, FieldsOf(RecordOf(files)));
  for (auto& [name, values] : expected) {
    if (IsOfShard(name)) Sort(values);
  }
  Fields all;  // of all shards
  for (const std::string& provenance : provenances) {
    Fields found = Parse(provenance);
    if (Print(found) != provenance || found.size() != expected.size()) {
      return MadeOfSomethingElse(files.statistics[0],
                                 {"the text has other fields than the provenance of this stage"});
    }
    if (all.empty()) {
      all = std::move(found);
      continue;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (IsOfShard(found[i].first)) {
        all[i].second.insert(all[i].second.end(), found[i].second.begin(), found[i].second.end());
      } else if (found[i] != expected[i]) {
        all[i] = found[i];
      }
    }
  }
  for (auto& [name, values] : all) {
    if (IsOfShard(name)) Sort(values);
  }
  const std::vector<std::string> differing = Differences(all, expected);
  if (differing.empty()) return absl::OkStatus();
  return MadeOfSomethingElse(files.statistics[0], differing);
}

}  // namespace synap_internal
