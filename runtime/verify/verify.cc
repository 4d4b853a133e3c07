#include "runtime/verify/verify.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "runtime/verify/tensor_values.h"

namespace synap_internal {
namespace {

using Inputs = absl::Span<const absl::Span<const uint8_t>>;
using LayerData = std::vector<std::vector<uint8_t>>;  // by output

std::vector<uint8_t> Copy(const ProgramTensor& tensor, const void* data) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  return {bytes, bytes + tensor.type.bytes()};
}

// The outputs of one layer during a run.
absl::StatusOr<LayerData> RunForLayer(BundleRun& run, Inputs inputs, size_t wanted) {
  LayerData data;
  RETURN_IF_ERROR(run.Run(inputs, [&](size_t layer, absl::Span<const void* const> outputs) {
    if (layer != wanted) return;
    for (size_t o = 0; o < outputs.size(); ++o) {
      data.push_back(Copy(run.layers()[layer].output(o), outputs[o]));
    }
  }));
  return data;
}

// Index of the first entry that differs.
std::optional<size_t> FirstDifferent(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  const auto [it, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (it == a.end()) return std::nullopt;
  return static_cast<size_t>(it - a.begin());
}

// "layer 12 of 57, conv2d 'Conv_5',".
std::string LayerName(const BundleRun& run, size_t layer) {
  return absl::StrCat("layer ", layer, " of ", run.layers().size(), ", ",
                      run.layers()[layer].instruction->Label(), ",");
}

// The first output of `layer` that the fast kernels and the reference make differently.
absl::StatusOr<std::string> KernelDifference(BundleRun& fast, BundleRun& reference, Inputs inputs,
                                             size_t layer) {
  ASSIGN_OR_RETURN(const LayerData found, RunForLayer(fast, inputs, layer));
  ASSIGN_OR_RETURN(const LayerData expected, RunForLayer(reference, inputs, layer));
  for (size_t o = 0; o < found.size(); ++o) {
    if (found[o] == expected[o]) continue;
    const ProgramTensor& tensor = fast.layers()[layer].output(o);
    const Difference difference = Compare(tensor.type, RealValues(tensor.type, found[o].data()),
                                          RealValues(tensor.type, expected[o].data()));
    // Zeros of two signs and the payloads of NaN are different bits of equal numbers.
    if (difference.differing == 0) {
      return absl::StrCat("in tensor '", tensor.name, "' in bits of equal numbers");
    }
    return absl::StrCat("in tensor '", tensor.name,
                        "': ", DifferenceText(difference, tensor.type.shape));
  }
  return absl::InternalError(
      absl::StrCat(LayerName(fast, layer), " gives other results when it is run again"));
}

// Why the outputs or layers of a case aren't those of its record. `found`: the layers' digests in
// the run that showed it; empty if it made none. REQUIRES: they aren't.
absl::StatusOr<std::string> Explain(BundleRun& fast, BundleRun& reference,
                                    const SelfTestCase& test_case, std::vector<std::string> found) {
  if (found.empty()) {
    ASSIGN_OR_RETURN(found, LayerDigests(fast, test_case.inputs));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> defined,
                   LayerDigests(reference, test_case.inputs));
  const std::optional<size_t> wrong = FirstDifferent(found, defined);
  const std::optional<size_t> recorded =
      test_case.layers.empty() ? std::nullopt : FirstDifferent(found, test_case.layers);
  if (wrong.has_value() && (!recorded.has_value() || *wrong <= *recorded)) {
    ASSIGN_OR_RETURN(const std::string difference,
                     KernelDifference(fast, reference, test_case.inputs, *wrong));
    return absl::StrCat(LayerName(fast, *wrong), " differs from its scalar definition ",
                        difference);
  }
  if (recorded.has_value()) {
    return absl::StrCat(LayerName(fast, *recorded),
                        " is the first that isn't as recorded, although its kernel agrees with the "
                        "scalar definition: its weights or attributes, or the definition, have "
                        "changed since the conversion");
  }
  if (!test_case.layers.empty()) {
    return std::string("every layer is as recorded, so the output's digest doesn't fit to theirs");
  }
  return std::string(
      "every kernel agrees with its scalar definition, so weights, attributes or a definition have "
      "changed since the conversion; convert with --profiling to record every layer");
}

absl::Status CheckFits(const BundleRun& run, const SelfTestCase& test_case) {
  if (test_case.outputs.size() != run.outputs().size()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", test_case.outputs.size(),
                                                   " outputs, expected ", run.outputs().size()));
  }
  if (!test_case.layers.empty() && test_case.layers.size() != run.layers().size()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", test_case.layers.size(),
                                                   " layers, expected ", run.layers().size()));
  }
  return absl::OkStatus();
}

// Adds to `result`, but for a failure's place.
absl::Status VerifyCase(BundleRun& fast, BundleRun& reference, const SelfTestCase& test_case,
                        Verification& result) {
  RETURN_IF_ERROR(CheckFits(fast, test_case));
  std::vector<std::string> layers;
  if (test_case.layers.empty()) {
    RETURN_IF_ERROR(fast.Run(test_case.inputs));
  } else {
    ASSIGN_OR_RETURN(layers, LayerDigests(fast, test_case.inputs));
  }
  result.layers += test_case.layers.size();
  result.outputs += test_case.outputs.size();
  const std::optional<size_t> output = FirstDifferent(OutputDigests(fast), test_case.outputs);
  if (layers == test_case.layers && !output.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string reason,
                   Explain(fast, reference, test_case, std::move(layers)));
  std::string what = "a layer isn't as recorded";
  if (output.has_value()) {
    what = absl::StrCat("output '", fast.outputs()[*output]->name, "' isn't as recorded");
  }
  result.failures.push_back(absl::StrCat(what, ": ", reason));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LayerDigests(BundleRun& run, Inputs inputs) {
  std::vector<std::string> digests;
  RETURN_IF_ERROR(run.Run(inputs, [&](size_t layer, absl::Span<const void* const> outputs) {
    std::string all;
    for (size_t o = 0; o < outputs.size(); ++o) {
      const ProgramTensor& tensor = run.layers()[layer].output(o);
      all.append(static_cast<const char*>(outputs[o]), static_cast<size_t>(tensor.type.bytes()));
    }
    digests.push_back(Digest(all));
  }));
  return digests;
}

std::vector<std::string> OutputDigests(const BundleRun& run) {
  std::vector<std::string> digests;
  for (size_t i = 0; i < run.outputs().size(); ++i) {
    const absl::Span<const uint8_t> data = run.output(i);
    digests.push_back(Digest({reinterpret_cast<const char*>(data.data()), data.size()}));
  }
  return digests;
}

absl::StatusOr<Verification> Verify(BundleRun& fast, BundleRun& reference,
                                    absl::Span<const SelfTestCase> cases) {
  Verification result;
  for (size_t c = 0; c < cases.size(); ++c) {
    const std::string where = absl::StrCat("self-test ", c, " ('", cases[c].name, "')");
    const size_t before = result.failures.size();
    RETURN_IF_ERROR(Annotate(VerifyCase(fast, reference, cases[c], result), where));
    if (result.failures.size() == before) continue;
    result.failures.back() = absl::StrCat(where, ": ", result.failures.back());
  }
  return result;
}

}  // namespace synap_internal
