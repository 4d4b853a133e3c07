#include "compiler/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/ir/text.h"
#include "compiler/passes/equalize_weights.h"
#include "compiler/passes/float_outputs.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/passes/fold_pads.h"
#include "compiler/passes/fully_connected_from_matmul.h"
#include "compiler/passes/fuse_activations.h"
#include "compiler/passes/fuse_clamp.h"
#include "compiler/passes/fuse_float_activations.h"
#include "compiler/passes/fuse_qdq.h"
#include "compiler/passes/fuse_residuals.h"
#include "compiler/passes/fuse_scale_bias.h"
#include "compiler/passes/fuse_tables.h"
#include "compiler/passes/make_tables.h"
#include "compiler/passes/merge_duplicates.h"
#include "compiler/passes/remove_identities.h"
#include "compiler/passes/restore_floats.h"
#include "compiler/passes/sink_transposes.h"
#include "compiler/passes/unsigned_bytes.h"

namespace synap_internal {
namespace {

constexpr Pass kImportPasses[] = {
    {"fuse_qdq", FuseQdq, "first: folding would make floats of a quantized model's weights"},
    {"fold_constants", FoldConstants, "shape arithmetic hides what is constant"},
    {"remove_identities", RemoveIdentities, "exporters leave reshapes and casts of nothing"},
    {"merge_duplicates", MergeDuplicates,
     "the importer transposes an image for each of its readers; patterns compare tensors"},
    {"fuse_activations", FuseActivations, "before clamps are fused, which hides relu6(x + 3)"},
    {"sink_transposes", SinkTransposes, "what the later fusions match must be neighbours"},
    {"merge_duplicates", MergeDuplicates, "sunk transposes meet their twins"},
    {"remove_identities", RemoveIdentities, "a transpose of 1x1 images is a reshape"},
    {"fully_connected_from_matmul", FullyConnectedFromMatmul, "so that biases find a linear op"},
    {"fold_constants", FoldConstants, "weights that were just transposed"},
    {"fold_pads", FoldPads, "needs NHWC pads beside their convolution"},
    {"fuse_scale_bias", FuseScaleBias, "batch normalization, before the clamp behind it"},
    {"fuse_clamp", FuseClamp, "last: a clamp closes an op for everything else"},
};

constexpr Pass kRestorePasses[] = {
    {"restore_floats", RestoreFloats, "behind the import passes, which see quantizers best"},
};

constexpr Pass kEqualizePasses[] = {
    {"equalize_weights", EqualizeWeights, "before calibration: it changes what activations are"},
};

constexpr Pass kCompilePasses[] = {
    {"unsigned_bytes", UnsignedBytes, "first: what follows knows 8 bits as uint8 only"},
    {"float_outputs", FloatOutputs, "before tables make linear ops harder to recognize", true},
    {"make_tables", MakeTables, "8-bit functions of one operand become table look-ups"},
    {"fuse_tables", FuseTables, "needs the look-ups"},
    {"fuse_float_activations", FuseFloatActivations, "late: nothing else knows the attribute"},
    {"fuse_residuals", FuseResiduals, "an op adds behind its activation, so that comes first"},
    {"merge_duplicates", MergeDuplicates, "quantization inserts conversions"},
};

using Clock = std::chrono::steady_clock;

void Print(const PassOptions& options, absl::string_view text) {
  if (options.print) {
    options.print(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

bool Listed(const std::vector<std::string>& names, absl::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n == name || n == "all"; });
}

// Of all stages, those that stand several times too.
std::vector<const Pass*> AllPasses() {
  std::vector<const Pass*> passes;
  for (const absl::Span<const Pass> stage :
       {ImportPasses(), RestorePasses(), EqualizePasses(), CompilePasses()}) {
    for (const Pass& pass : stage) passes.push_back(&pass);
  }
  return passes;
}

}  // namespace

absl::Span<const Pass> ImportPasses() { return kImportPasses; }
absl::Span<const Pass> RestorePasses() { return kRestorePasses; }
absl::Span<const Pass> EqualizePasses() { return kEqualizePasses; }
absl::Span<const Pass> CompilePasses() { return kCompilePasses; }

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : AllPasses()) {
    if (pass->name == name) return pass;
  }
  return nullptr;
}

absl::Status CheckPassOptions(const PassOptions& options) {
  std::vector<std::string> asked = options.print_after;
  if (!options.stop_after.empty()) asked.push_back(options.stop_after);
  for (const std::string& name : asked) {
    if (name == "all" || FindPass(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const Pass* pass : AllPasses()) known.emplace_back(pass->name);
    return absl::NotFoundError(
        absl::StrCat("there is no pass '", name, "'", DidYouMean(name, known)));
  }
  return absl::OkStatus();
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
    if (Listed(options.print_after, pass.name)) {
      Print(options, absl::StrCat("# after ", pass.name, "\n", PrintGraph(graph)));
    }
    if (pass.name == options.stop_after) break;
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
