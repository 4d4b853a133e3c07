// Placement of layers on the engines of a target: which one runs a layer, and why.
//
// A layer runs on the first engine, in the order of Target::engines, that runs layers of its kind
// in its types and has no limit against it. Kinds follow from the traits of ops.
#ifndef COMPILER_TARGET_PLACEMENT_H_
#define COMPILER_TARGET_PLACEMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/target/target.h"
#include "kernels/op_def.h"
#include "runtime/program/program.h"

namespace synap_internal {

LayerKind KindOf(const OpDef& op);

// Type of the op's layers as a board's profile names it: "Softmax2Layer", "TensorReduceMean".
std::string LayerTypeOf(const OpDef& op);

// What engines look at in a layer. The types are those that InferOp takes and returns.
LayerFacts FactsOf(const OpDef& op, absl::Span<const TensorType> inputs,
                   absl::Span<const TensorType> outputs, const Attributes& attributes);
// Of each instruction, with narrow integers (narrow_integers.h) as int32.
std::vector<LayerFacts> FactsOf(const Program& program);

struct Placement {
  Engine engine = Engine::kCpu;
  std::optional<Engine> helper;  // needed besides
  std::string reason;            // without a full stop
};

// "NN", or "NN+TP" with the engine that helps.
std::string EngineText(const Placement& placement);

// The engine that runs the layer, of those that `allows` lets (null: all). The CPU, which runs
// everything, is the last resort, also where `allows` excludes it.
Placement PlaceLayer(const Target& target, const LayerFacts& layer,
                     bool (*allows)(Engine) = nullptr);

// PlaceLayer of each instruction.
std::vector<Placement> PlaceProgram(const Target& target, const Program& program,
                                    bool (*allows)(Engine) = nullptr);

// Writes what the runtime shows into the program: the target's names, and of each instruction the
// type of its layer and the name of its engine.
void NameLayers(const Target& target, absl::Span<const Placement> placements, Program& program);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_PLACEMENT_H_
