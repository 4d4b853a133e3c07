#include "compiler/graph/passes/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/bypass_concats.h"
#include "compiler/graph/passes/defer_division.h"
#include "compiler/graph/passes/equalize_weights.h"
#include "compiler/graph/passes/float_outputs.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/fold_pads.h"
#include "compiler/graph/passes/fully_connected_from_matmul.h"
#include "compiler/graph/passes/fuse_activations.h"
#include "compiler/graph/passes/fuse_clamp.h"
#include "compiler/graph/passes/fuse_float_activations.h"
#include "compiler/graph/passes/fuse_normalizations.h"
#include "compiler/graph/passes/fuse_qdq.h"
#include "compiler/graph/passes/fuse_residuals.h"
#include "compiler/graph/passes/fuse_scale_bias.h"
#include "compiler/graph/passes/fuse_tables.h"
#include "compiler/graph/passes/make_tables.h"
#include "compiler/graph/passes/merge_duplicates.h"
#include "compiler/graph/passes/remove_identities.h"
#include "compiler/graph/passes/restore_floats.h"
#include "compiler/graph/passes/sink_transposes.h"
#include "compiler/graph/passes/unsigned_bytes.h"
#include "compiler/graph/passes/wide_outputs.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

using Stage = PassStage;
using Effect = PassEffect;

constexpr Pass kPasses[] = {
    {"fuse_qdq", FuseQdq, Stage::kImport,
     "first: constant folding would turn the integer weights of a quantized model into floats",
     Effect::kSameWithinOneStep},
    {"fold_constants", FoldConstants, Stage::kImport, "shape arithmetic hides constants"},
    {"remove_identities", RemoveIdentities, Stage::kImport,
     "exporters leave reshapes and casts that change nothing"},
    {"merge_duplicates", MergeDuplicates, Stage::kImport,
     "the importer transposes an image for each of its readers; patterns compare tensors"},
    {"fuse_activations", FuseActivations, Stage::kImport,
     "before clamps are fused, which hides relu6(x + 3)", Effect::kSameWithinRounding},
    {"sink_transposes", SinkTransposes, Stage::kImport,
     "the later fusions match ops that follow each other directly"},
    {"merge_duplicates", MergeDuplicates, Stage::kImport, "sunk transposes are equal to others"},
    {"bypass_concats", BypassConcats, Stage::kImport,
     "after transposes have sunk, or an image would be turned for each part"},
    {"remove_identities", RemoveIdentities, Stage::kImport,
     "a transpose of 1x1 images is a reshape; a bypassed slice may hold all of what it reads"},
    {"fully_connected_from_matmul", FullyConnectedFromMatmul, Stage::kImport,
     "before biases are fused, which need a linear op"},
    {"defer_division", DeferDivision, Stage::kImport,
     "after products with constant matrices have become other ops", Effect::kSameWithinRounding},
    {"fold_constants", FoldConstants, Stage::kImport, "weights have just been transposed"},
    {"fold_pads", FoldPads, Stage::kImport, "needs NHWC pads next to their convolution"},
    {"fuse_scale_bias", FuseScaleBias, Stage::kImport,
     "batch normalization, before the clamp after it is fused", Effect::kSameWithinRounding},
    {"fuse_normalizations", FuseNormalizations, Stage::kImport,
     "after transposes have sunk, which don't cross the op, and before its clamp is fused",
     Effect::kSameWithinRounding},
    {"fuse_clamp", FuseClamp, Stage::kImport,
     "last: other fusions don't match an op that has a clamp"},

    {"restore_floats", RestoreFloats, Stage::kRestore,
     "after the import passes, which need the quantizers", Effect::kLessQuantizationError},

    {"equalize_weights", EqualizeWeights, Stage::kEqualize,
     "before calibration: it changes the values of activations"},

    {"unsigned_bytes", UnsignedBytes, Stage::kCompile,
     "first: the later passes know 8 bits as uint8 only"},
    {"float_outputs", FloatOutputs, Stage::kCompile,
     "before tables make linear ops harder to recognize", Effect::kLessQuantizationError,
     OutputEnds::kFloat32},
    {"wide_outputs", WideOutputs, Stage::kCompile, "instead of the pass before",
     Effect::kLessQuantizationError, OutputEnds::kInt16},
    {"make_tables", MakeTables, Stage::kCompile,
     "8-bit functions of one operand become table look-ups"},
    {"fuse_tables", FuseTables, Stage::kCompile, "needs the look-ups"},
    {"fuse_float_activations", FuseFloatActivations, Stage::kCompile,
     "late: no other pass expects the attribute"},
    {"fuse_residuals", FuseResiduals, Stage::kCompile,
     "a linear op adds after its activation, which has to be fused before"},
    {"merge_duplicates", MergeDuplicates, Stage::kCompile, "quantization inserts conversions"},
};

using Clock = std::chrono::steady_clock;

void Print(const PassOptions& options, absl::string_view text) {
  if (options.print) {
    options.print(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

bool IsListed(const std::vector<std::string>& names, absl::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n == name || n == "all"; });
}

std::vector<std::string> PassNames() {
  std::set<std::string> names;
  for (const Pass& pass : kPasses) names.emplace(pass.name);
  return {names.begin(), names.end()};
}

const Pass* FindPass(absl::string_view name) {
  const auto* const it = std::find_if(std::begin(kPasses), std::end(kPasses),
                                      [&](const Pass& pass) { return pass.name == name; });
  return it == std::end(kPasses) ? nullptr : it;
}

}  // namespace

absl::string_view Name(PassStage stage) {
  constexpr absl::string_view kNames[] = {"import", "restore", "equalize", "compile"};
  return kNames[static_cast<size_t>(stage)];
}

absl::Span<const Pass> AllPasses() { return kPasses; }

absl::Span<const Pass> PassesOf(PassStage stage) {
  const auto before = [](const Pass& pass, PassStage s) { return pass.stage < s; };
  const auto after = [](PassStage s, const Pass& pass) { return s < pass.stage; };
  const Pass* begin = std::lower_bound(std::begin(kPasses), std::end(kPasses), stage, before);
  const Pass* end = std::upper_bound(begin, std::end(kPasses), stage, after);
  return {begin, static_cast<size_t>(end - begin)};
}

absl::StatusOr<std::vector<Pass>> FindPasses(absl::Span<const std::string> names) {
  std::vector<Pass> passes;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (const Pass* pass = FindPass(name)) {
      passes.push_back(*pass);
    } else {
      unknown.push_back(absl::StrCat("'", name, "'", DidYouMean(name, PassNames())));
    }
  }
  if (unknown.empty()) return passes;
  return absl::NotFoundError(absl::StrCat(unknown.size() == 1 ? "unknown pass " : "unknown passes ",
                                          absl::StrJoin(unknown, ", "), ", expected ",
                                          absl::StrJoin(PassNames(), ", ")));
}

absl::Status CheckPassOptions(const PassOptions& options) {
  std::vector<std::string> asked;
  for (const std::string& name : options.print_after) {
    if (name != "all") asked.push_back(name);
  }
  if (!options.stop_after.empty()) asked.push_back(options.stop_after);
  return FindPasses(asked).status();
}

absl::Status RunPasses(absl::Span<const Pass> passes, const PassOptions& options, Graph& graph) {
  for (const Pass& pass : passes) {
    const Clock::time_point start = Clock::now();
    const absl::StatusOr<int> rewrites = pass.run(graph);
    if (!rewrites.ok()) return Annotate(rewrites.status(), pass.name);
    RETURN_IF_ERROR(Annotate(VerifyGraph(graph), absl::StrCat("after ", pass.name)));
    if (options.timing) {
      const std::chrono::duration<double, std::milli> time = Clock::now() - start;
      Print(options,
            absl::StrFormat("%-30s %6d rewrites %9.2f ms\n", pass.name, *rewrites, time.count()));
    }
    if (IsListed(options.print_after, pass.name)) {
      Print(options, absl::StrCat("# after ", pass.name, "\n", PrintGraph(graph)));
    }
    if (pass.name == options.stop_after) break;
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
