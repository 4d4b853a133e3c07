// Chips that models are compiled for: the files of data/, or a file of the user's own. Generic code
// asks a target's fields, never its name.
#ifndef COMPILER_TARGET_TARGET_H_
#define COMPILER_TARGET_TARGET_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "compiler/target/engine.h"

namespace synap_internal {

// One of a target's engines.
struct EngineSpec {
  Engine engine = Engine::kCpu;
  int count = 1;                        // cores that share the work of a layer
  double hertz = 0;                     // 0: unknown
  std::vector<LayerKind> layers;        // the kinds that it runs; empty: all
  std::vector<DataType> types;          // of the data that flows; empty: all
  std::map<DataType, double> mac_rate;  // published peak of all cores, multiply-accumulates per
                                        // second; types without one are absent

  bool RunsKind(LayerKind kind) const;
};

// What engines look at in a layer.
struct LayerFacts {
  LayerKind kind = LayerKind::kOther;
  std::vector<DataType> types;  // of the operands and results that flow, each once
  int64_t kernel = 1;           // of a window: the longest side, stride and dilation
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t rank = 0;  // dimensions of the largest tensor that flows
};

// The layers that meet all that is given here.
struct LayerCondition {
  std::vector<LayerKind> layers;  // one of these; empty: any
  std::vector<DataType> types;    // has one of these; empty: any
  std::optional<int64_t> kernel_above;
  std::optional<int64_t> stride_above;
  std::optional<int64_t> dilation_above;
  std::optional<int64_t> kernel_and_dilation_above;  // their sum
  std::optional<int64_t> rank_above;

  bool Holds(const LayerFacts& layer) const;
};

// Layers that an engine can't run, or can run only with the help of another one.
struct TargetLimit {
  Engine engine = Engine::kCpu;
  LayerCondition when;
  std::optional<Engine> helper;
  std::string sentence;  // without a full stop: "the kernel is larger than 15"
};

struct Target {
  std::string name;  // in capitals
  std::vector<std::string> aliases;
  bool is_default = false;               // of commands that take a target and were given none
  std::vector<EngineSpec> engines;       // a layer runs on the first one that can
  double memory_bytes_per_second = 0;    // published peak of the board's memory
  std::optional<int64_t> on_chip_bytes;  // memory of the NPU; absent: unknown
  std::vector<TargetLimit> limits;
  // Parameters of the latency model (compiler/target), by name.
  std::map<std::string, double> latency;

  bool has_npu() const;
  // Null if the target has none.
  const EngineSpec* Find(Engine engine) const;
  // Peak rate of multiply-accumulates on operands of 8 or 16 bits, of the engine with the highest;
  // 0 if no engine has a published one.
  double PeakMacRate(DataType type) const;
};

// The reason why a target's engine can't run a layer: "the NN cores don't run softmax". Nullopt if
// it can, with or without another engine's help.
std::optional<std::string> WhyNot(const Target& target, Engine engine, const LayerFacts& layer);

// The same for all engines of the NPU together, each with its reason, or the lack of an NPU.
std::optional<std::string> WhyNotNpu(const Target& target, const LayerFacts& layer);

// The limit that makes an engine need another one's help for the layer; null if none does.
const TargetLimit* FindHelp(const Target& target, Engine engine, const LayerFacts& layer);

// All targets in the order of their names.
absl::Span<const Target> AllTargets();

// The target that is_default.
const Target& DefaultTarget();

// Names of all targets: "DVF120, GENERIC".
std::string TargetNames();

// Finds a target by name or alias; case is ignored. NotFound with the names and aliases of all,
// the nearest first.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

// A name, an alias, or the path of a target file, which has a slash or ends in ".yaml". Errors of a
// file name it, its line and the field. The target lives as long as the program. A file of data/
// is the target that is known by its name.
absl::StatusOr<const Target*> FindOrLoadTarget(const std::string& name_or_path);

// The target of a file that inherits from files of its folder alone. Errors and the target's life
// are those of FindOrLoadTarget.
absl::StatusOr<const Target*> LoadTarget(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_TARGET_H_
