#include "compiler/report/model_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/graph/live_memory.h"
#include "compiler/report/figures.h"
#include "compiler/report/layer_tables.h"
#include "compiler/target/estimate.h"
#include "compiler/target/placement.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/programs.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// The layer that makes each output of the subgraphs that have run: -1 for one of the network's
// inputs.
using Makers = std::map<std::pair<int, int>, int>;

std::string AttributesText(const Attributes& attributes) {
  return absl::StrJoin(attributes, " ", [](std::string* out, const auto& attribute) {
    absl::StrAppend(out, attribute.first, "=", ToString(attribute.second));
  });
}

absl::string_view ConstantOf(const Program& program, const ProgramTensor& tensor) {
  return {reinterpret_cast<const char*>(program.constants.data()) + tensor.offset,
          static_cast<size_t>(tensor.type.bytes())};
}

// The rows of one program. A class, since tensors' makers are asked for again and again.
class ProgramRows {
 public:
  // `first`: the number of layers before this program's. `inputs`: the layer that makes each input.
  ProgramRows(const Program& program, int subgraph, int first, const std::vector<int>& inputs)
      : program_(program),
        subgraph_(subgraph),
        types_(DeclaredTypes(program)),
        makers_(program.tensors.size(), -1) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      makers_[static_cast<size_t>(program.inputs[i])] = inputs[i];
    }
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      for (const int32_t t : program.instructions[i].outputs) {
        makers_[static_cast<size_t>(t)] = first + static_cast<int>(i);
      }
    }
  }

  ReportLayer Row(size_t step) const {
    const Instruction& instruction = program_.instructions[step];
    ReportLayer row;
    row.subgraph = subgraph_;
    row.op = std::string(instruction.op->name);
    row.origins = instruction.origins;
    const ProgramTensor& output = Tensor(instruction.outputs[0]);
    row.output = types_[static_cast<size_t>(instruction.outputs[0])];
    row.output_name = output.name;
    row.attributes = AttributesText(instruction.attributes);
    AddOperands(instruction, row);
    const LayerTraffic traffic = TrafficOf(program_, instruction);
    row.macs = traffic.cost.macs;
    row.bytes_read = static_cast<uint64_t>(traffic.bytes_read);
    row.bytes_written = static_cast<uint64_t>(traffic.bytes_written);
    row.is_conversion = instruction.op->conversion != TypeConversion::kNone;
    row.kind = instruction.layer_type.empty() ? row.op : instruction.layer_type;
    row.engine = instruction.engine;
    return row;
  }

  int Maker(int32_t tensor) const { return makers_[static_cast<size_t>(tensor)]; }

 private:
  const ProgramTensor& Tensor(int32_t i) const { return program_.tensors[static_cast<size_t>(i)]; }

  void AddOperands(const Instruction& instruction, ReportLayer& row) const {
    std::set<int> producers;
    std::string constants;
    for (const int32_t operand : instruction.inputs) {
      if (operand < 0) continue;
      const ProgramTensor& tensor = Tensor(operand);
      if (tensor.place == Place::kConstant) {
        row.constant_bytes += static_cast<uint64_t>(tensor.type.bytes());
        absl::StrAppend(&constants, Digest(ConstantOf(program_, tensor)));
      } else if (Maker(operand) >= 0) {
        producers.insert(Maker(operand));
      }
    }
    row.producers.assign(producers.begin(), producers.end());
    if (!constants.empty()) row.constants = Digest(constants);
  }

  const Program& program_;
  const int subgraph_;
  const std::vector<TensorType> types_;  // of the tensors, as declared
  std::vector<int> makers_;  // of each tensor; -1: a constant or an input of the network
};

// What the target says of the program's layers, which are the last of the report. Returns their
// time.
LatencyEstimate AddTarget(const Program& program, const Target& target, ModelReport& report) {
  const size_t first = report.layers.size() - program.instructions.size();
  const std::vector<Placement> placements = PlaceProgram(target, program);
  LatencyEstimate latency = EstimateLatency(program, target);
  for (size_t i = 0; i < placements.size(); ++i) {
    ReportLayer& layer = report.layers[first + i];
    // Layers of another delegate run on its engine, whichever would be the first otherwise.
    if (layer.engine.empty() || layer.engine == Name(placements[i].engine)) {
      layer.engine = EngineText(placements[i]);
      layer.reason = placements[i].reason;
    } else {
      layer.reason = absl::StrCat("the layer's subgraph is for another delegate than the ",
                                  Name(placements[i].engine));
    }
    layer.seconds = latency.layers[i].seconds;
  }
  return latency;
}

void AddProgram(const Bundle& bundle, int index, const Program& program, Makers& makers,
                ModelReport& report) {
  const int first = static_cast<int>(report.layers.size());
  std::vector<int> inputs;
  for (const BundleEdge& edge : bundle.subgraphs[static_cast<size_t>(index)].inputs) {
    inputs.push_back(edge.subgraph < 0 ? -1 : makers[{edge.subgraph, edge.index}]);
  }
  const ProgramRows rows(program, index, first, inputs);
  const std::vector<uint64_t> live = LiveBytes(program);
  for (size_t step = 0; step < program.instructions.size(); ++step) {
    report.layers.push_back(rows.Row(step));
    report.layers.back().live_bytes = live[step];
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    makers[{index, static_cast<int>(i)}] = rows.Maker(program.outputs[i]);
  }
  report.arena_bytes += program.arena_bytes;
  report.constant_bytes += program.constants.size();
}

// Layers by what is slow in them: their part of the time, and the sentence.
struct SlowLayers {
  int count = 0;
  double seconds = 0;
  int first = -1;

  void Add(int layer, double time) {
    if (count++ == 0) first = layer;
    seconds += time;
  }
};

// `kind`: what the layers are, after "layer" or "layers".
void AddNote(const SlowLayers& layers, absl::string_view kind, absl::string_view remedy,
             ModelReport& report) {
  if (layers.count == 0) return;
  const double percent = 100 * layers.seconds / std::max(report.seconds, 1e-12);
  std::string text = layers.count == 1 ? absl::StrFormat("a layer %s takes", kind)
                                       : absl::StrFormat("the first of %d layers %s, which take",
                                                         layers.count, kind);
  absl::StrAppendFormat(&text, " %.0f %% of the time; %s", percent, remedy);
  report.notes.push_back({layers.first, std::move(text)});
}

// What a user may want to change, as far as the artifact tells.
void AddNotes(bool has_npu, ModelReport& report) {
  SlowLayers floats, conversions, outside;
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const ReportLayer& layer = report.layers[i];
    const int index = static_cast<int>(i);
    if (report.delegates[static_cast<size_t>(layer.subgraph)] != "npu") {
      if (has_npu) outside.Add(index, layer.seconds);
    } else if (layer.is_conversion) {
      conversions.Add(index, layer.seconds);
    } else if (IsFloat(layer.output.dtype)) {
      floats.Add(index, layer.seconds);
    }
  }
  AddNote(outside, "outside of the NPU", "the table of layers says why", report);
  AddNote(floats, "in float",
          "8 or 16 bits are faster: give the metafile a dataset, or drop the rule of data_type "
          "that names it",
          report);
  AddNote(conversions, "converting types",
          "fewer are needed if layers of one type follow each other", report);
}

// The number `sqnr_db` of a map; `place`: what it belongs to, for the error.
absl::StatusOr<double> SqnrDb(const Json* figures, absl::string_view place) {
  const Json* sqnr =
      figures == nullptr || !figures->is_object() ? nullptr : Member(*figures, "sqnr_db");
  if (sqnr != nullptr && sqnr->is_number()) return sqnr->get<double>();
  return absl::InvalidArgumentError(
      absl::StrCat(place, "sqnr_db, expected a report of synap analyze --json"));
}

absl::StatusOr<LayerError> ErrorOf(const Json& layer) {
  LayerError error;
  ASSIGN_OR_RETURN(error.own_db, SqnrDb(Member(layer, "own"), "a layer has no own."));
  ASSIGN_OR_RETURN(error.accumulated_db,
                   SqnrDb(Member(layer, "accumulated"), "a layer has no accumulated."));
  return error;
}

absl::Status AddOutputErrors(const Json& analysis, ModelReport& report) {
  const Json* outputs = Member(analysis, "outputs");
  if (outputs == nullptr || !outputs->is_array()) {
    return absl::InvalidArgumentError(
        "it has no list 'outputs', expected a report of synap analyze --json");
  }
  for (const Json& output : *outputs) {
    ASSIGN_OR_RETURN(const double sqnr_db, SqnrDb(&output, "an output has no "));
    const Json* name = Member(output, "name");
    report.output_errors.push_back(
        {name != nullptr && name->is_string() ? name->get<std::string>() : "", sqnr_db});
  }
  return absl::OkStatus();
}

// The strings of a list; none if it is anything else.
std::vector<std::string> Strings(const Json* list) {
  std::vector<std::string> strings;
  if (list == nullptr || !list->is_array()) return strings;
  for (const Json& value : *list) {
    if (value.is_string()) strings.push_back(value.get<std::string>());
  }
  return strings;
}

// Index of the layer that the imported node went into, or -1.
int LayerOf(const ModelReport& report, absl::string_view node) {
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const std::vector<std::string>& origins = report.layers[i].origins;
    if (std::find(origins.begin(), origins.end(), node) != origins.end())
      return static_cast<int>(i);
  }
  return -1;
}

void AddFindings(const Json& analysis, ModelReport& report) {
  const Json* warnings = Member(analysis, "warnings");
  if (warnings == nullptr || !warnings->is_array()) return;
  for (const Json& warning : *warnings) {
    if (!warning.is_object()) continue;
    const Json* layer = Member(warning, "layer");
    const Json* message = Member(warning, "message");
    if (layer == nullptr || message == nullptr || !layer->is_string() || !message->is_string()) {
      continue;
    }
    report.notes.push_back(
        {LayerOf(report, layer->get<std::string>()), message->get<std::string>()});
  }
}

}  // namespace

std::string ReportLayer::Name() const {
  return origins.empty() ? output_name : absl::StrJoin(origins, ", ");
}

absl::StatusOr<ModelReport> DescribeBundle(const Bundle& bundle, const std::string& path,
                                           uint64_t file_bytes, const Target* target) {
  ASSIGN_OR_RETURN(const std::vector<Program> programs, ReadPrograms(bundle));
  ModelReport report;
  report.path = path;
  report.file_bytes = file_bytes;
  report.name = programs[0].name;
  report.target = programs[0].target;
  for (const TensorMetadata* input : InputMetadata(bundle)) report.inputs.push_back(*input);
  for (const BundleEdge& output : bundle.outputs) {
    report.outputs.push_back(output.subgraph < 0 ? report.inputs[static_cast<size_t>(output.index)]
                                                 : OutputMetadata(bundle, output));
  }
  if (target == nullptr) target = FindTarget(report.target).value_or(nullptr);
  Makers makers;
  LatencyEstimate latency;
  for (const int index : bundle.execution_order) {
    const Program& program = programs[static_cast<size_t>(index)];
    AddProgram(bundle, index, program, makers, report);
    if (target != nullptr) latency.Add(AddTarget(program, *target, report));
  }
  report.seconds = latency.seconds;
  report.time_text = target == nullptr ? "unknown" : PrintMilliseconds(latency);
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    report.delegates.push_back(subgraph.metadata.delegate);
  }
  AddNotes(target == nullptr || target->has_npu(), report);
  return report;
}

absl::StatusOr<ModelReport> DescribeFile(const std::string& path, const Target* target) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  ASSIGN_OR_RETURN(const Bundle bundle, Annotate(ReadBundle(AsBytes(bytes)), path));
  return Annotate(DescribeBundle(bundle, path, bytes.size(), target), path);
}

absl::Status AddAnalysis(absl::string_view text, ModelReport& report) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseJsonObject(text));
  const Json& json = document.root();
  const Json* layers = Member(json, "layers");
  if (layers == nullptr || !layers->is_array()) {
    return absl::InvalidArgumentError(
        "it has no list 'layers', expected a report of synap analyze --json");
  }
  std::map<std::vector<std::string>, LayerError> errors;
  for (const Json& layer : *layers) {
    if (!layer.is_object()) {
      return absl::InvalidArgumentError(
          "'layers' holds something that is no layer, expected a report of synap analyze --json");
    }
    ASSIGN_OR_RETURN(const LayerError error, ErrorOf(layer));
    errors[Strings(Member(layer, "origins"))] = error;
  }
  int found = 0;
  for (ReportLayer& layer : report.layers) {
    const auto error = errors.find(layer.origins);
    if (error == errors.end()) continue;
    layer.error = error->second;
    ++found;
  }
  if (found == 0) {
    return absl::InvalidArgumentError(absl::StrCat("none of its ", layers->size(), " layers is in ",
                                                   report.path,
                                                   ", expected the analysis of the same network"));
  }
  AddFindings(json, report);
  return AddOutputErrors(json, report);
}

}  // namespace synap_internal
