#include "compiler/report/add_loss.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

absl::Status NotALoss(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ", expected quantization_loss.json of synap convert"));
}

absl::StatusOr<std::string> LossString(const Json& json, absl::string_view name) {
  const Json* const value = Member(json, name);
  if (value == nullptr || !value->is_string()) return NotALoss(absl::StrCat("has no '", name, "'"));
  return value->get<std::string>();
}

absl::StatusOr<double> LossNumber(const Json& json, absl::string_view name) {
  const Json* const value = json.is_object() ? Member(json, name) : nullptr;
  if (value == nullptr || !value->is_number()) return NotALoss(absl::StrCat("has no '", name, "'"));
  return value->get<double>();
}

absl::StatusOr<std::vector<OutputError>> LossOfOutputs(const Json& json) {
  const Json* const outputs = Member(json, "outputs");
  if (outputs == nullptr || !outputs->is_array()) return NotALoss("has no list 'outputs'");
  std::vector<OutputError> errors;
  for (const Json& output : *outputs) {
    OutputError& error = errors.emplace_back();
    ASSIGN_OR_RETURN(error.sqnr_db, LossNumber(output, "sqnr_db"));
    ASSIGN_OR_RETURN(error.name, LossString(output, "name"));
  }
  return errors;
}

}  // namespace

absl::Status AddLoss(absl::string_view text, absl::string_view sha256, ModelReport& report) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseJsonObject(text));
  const Json& json = document.root();
  ASSIGN_OR_RETURN(const std::string found, LossString(json, "sha256"));
  if (found != sha256) {
    return absl::FailedPreconditionError(absl::StrCat("it is of the model with the SHA-256 ", found,
                                                      ", expected ", sha256, " of ", report.path));
  }
  ReportLoss loss;
  ASSIGN_OR_RETURN(loss.text, LossString(json, "text"));
  ASSIGN_OR_RETURN(const double samples, LossNumber(json, "samples"));
  const Json* const held_out = Member(json, "held_out");
  if (held_out == nullptr || !held_out->is_boolean()) return NotALoss("has no 'held_out'");
  loss.samples = absl::StrCat(samples, held_out->get<bool>() ? " held-out" : " calibration",
                              samples == 1 ? " sample" : " samples");
  ASSIGN_OR_RETURN(loss.outputs, LossOfOutputs(json));
  ASSIGN_OR_RETURN(const double milliseconds, LossNumber(json, "float_ms"));
  loss.float_seconds = milliseconds / 1e3;
  if (Member(json, "advice") != nullptr) {
    ASSIGN_OR_RETURN(loss.advice, LossString(json, "advice"));
  }
  report.loss = std::move(loss);
  return absl::OkStatus();
}

}  // namespace synap_internal
