#include "runtime/bundle/bundle.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/aligned_file.h"
#include "base/aligned_memory.h"
#include "base/available_memory.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/model_checksum.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/sealed_files.h"

namespace synap_internal {
namespace {

constexpr int kMaxSubgraphs = 1000;
constexpr int kMaxTensors = 10000;
// Without ZIP64 no bundle is larger, nor is a FlatBuffers file.
constexpr size_t kMaxBundleBytes = size_t{4} << 30;

using Entries = std::map<std::string, absl::Span<const uint8_t>>;

// A copy that starts at a multiple of kZipAlignment.
struct AlignedCopy {
  std::shared_ptr<const void> owner;
  absl::Span<const uint8_t> bytes;
};

absl::StatusOr<AlignedCopy> CopyAligned(absl::Span<const uint8_t> bytes) {
  if (bytes.size() > kMaxBundleBytes || (bytes.data() == nullptr && !bytes.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has ", bytes.size(), " bytes",
                     bytes.data() == nullptr ? " at a null pointer" : "", ", expected at most ",
                     kMaxBundleBytes, " at a valid address"));
  }
  if (!IsAvailable(bytes.size())) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the model's copy needs ", MemorySizeText(bytes.size()), ", but only ",
        MemorySizeText(static_cast<uint64_t>(AvailableMemory())), " of memory are available"));
  }
  auto memory = std::make_shared<AlignedMemory>(bytes.size());
  if (memory->data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", MemorySizeText(bytes.size()), " for the model"));
  }
  if (!bytes.empty()) std::memcpy(memory->data(), bytes.data(), bytes.size());
  const absl::Span<const uint8_t> copy(memory->data(), bytes.size());
  return AlignedCopy{std::move(memory), copy};
}

absl::StatusOr<AlignedCopy> ReadAligned(const std::string& path) {
  ASSIGN_OR_RETURN(AlignedFile file, ReadAlignedFile(path, kMaxBundleBytes));
  const absl::Span<const uint8_t> bytes = file.bytes();
  return AlignedCopy{std::make_shared<AlignedMemory>(std::move(file.memory)), bytes};
}

bool IsAligned(absl::Span<const uint8_t> bytes) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % kZipAlignment == 0;
}

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::Status ParseEdge(const Json& json, absl::string_view what, BundleEdge* edge) {
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is no object, expected one with 'subgraph' and 'out'"));
  }
  const Json* subgraph = Member(json, "subgraph");
  const Json* index = Member(json, "out");
  if (index == nullptr) index = Member(json, "in");
  if (subgraph == nullptr || index == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " lacks a member, expected 'subgraph' and 'out'"));
  }
  ASSIGN_OR_RETURN(const int64_t from,
                   JsonInteger(*subgraph, absl::StrCat("'subgraph' of ", what), -1, kMaxSubgraphs));
  ASSIGN_OR_RETURN(const int64_t out,
                   JsonInteger(*index, absl::StrCat("'out' of ", what), 0, kMaxTensors));
  *edge = {static_cast<int>(from), static_cast<int>(out)};
  return absl::OkStatus();
}

absl::Status ParseEdges(const Json& object, absl::string_view key, absl::string_view what,
                        std::vector<BundleEdge>* edges) {
  const Json* list = Member(object, key);
  if (list == nullptr || !list->is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(what, " has no list '", key, "', expected one"));
  }
  for (const Json& item : *list) {
    edges->emplace_back();
    RETURN_IF_ERROR(
        ParseEdge(item, absl::StrCat("entry ", edges->size() - 1, " of '", key, "' of ", what),
                  &edges->back()));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const uint8_t>> FindEntry(const Entries& entries, const Json& object,
                                                    absl::string_view key, std::string* name) {
  const Json* value = Member(object, key);
  if (value == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("member '", key, "' is missing, expected the name of an entry"));
  }
  ASSIGN_OR_RETURN(*name, JsonString(*value, absl::StrCat("'", key, "'")));
  const auto it = entries.find(*name);
  if (it == entries.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", key, "' is '", *name, "', expected the name of an entry in the file"));
  }
  return it->second;
}

absl::Status ParseSubgraph(const Json& json, const Entries& entries, BundleSubgraph* subgraph) {
  if (!json.is_object()) return absl::InvalidArgumentError("not a JSON object");
  RETURN_IF_ERROR(ParseEdges(json, "inputs", "the subgraph", &subgraph->inputs));
  ASSIGN_OR_RETURN(subgraph->model, FindEntry(entries, json, "model", &subgraph->model_name));
  std::string meta_name;
  ASSIGN_OR_RETURN(const absl::Span<const uint8_t> meta,
                   FindEntry(entries, json, "meta", &meta_name));
  RETURN_IF_ERROR(Annotate(VerifyChecksum(AsText(meta), subgraph->model).status(), meta_name));
  absl::StatusOr<ModelMetadata> metadata = ParseModelMetadata(AsText(meta));
  if (!metadata.ok()) return Annotate(metadata.status(), meta_name);
  subgraph->metadata = *std::move(metadata);
  return absl::OkStatus();
}

// Checks that `edge` refers to an existing input or output.
absl::Status CheckEdge(const Bundle& bundle, const BundleEdge& edge, absl::string_view what) {
  if (edge.subgraph == -1) {
    if (edge.index < bundle.input_count) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        what, " is input ", edge.index, " of the bundle, expected less than ", bundle.input_count));
  }
  if (edge.subgraph >= static_cast<int>(bundle.subgraphs.size())) {
    return absl::InvalidArgumentError(absl::StrCat(what, " comes from subgraph ", edge.subgraph,
                                                   ", expected less than ",
                                                   bundle.subgraphs.size()));
  }
  const size_t count = bundle.subgraphs[static_cast<size_t>(edge.subgraph)].metadata.outputs.size();
  if (static_cast<size_t>(edge.index) < count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is output ", edge.index, " of subgraph ",
                                                 edge.subgraph, ", expected less than ", count));
}

// Every bundle input must be read by a subgraph, whose metadata describes it.
absl::Status CountInputs(Bundle* bundle) {
  std::vector<bool> used;
  for (const BundleSubgraph& subgraph : bundle->subgraphs) {
    for (const BundleEdge& edge : subgraph.inputs) {
      if (edge.subgraph != -1) continue;
      used.resize(std::max(used.size(), static_cast<size_t>(edge.index) + 1));
      used[static_cast<size_t>(edge.index)] = true;
    }
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused != used.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no subgraph reads the bundle's input ", unused - used.begin(),
                     ", expected readers for inputs 0 to ", used.size() - 1));
  }
  bundle->input_count = static_cast<int>(used.size());
  return absl::OkStatus();
}

absl::Status CheckEdges(const Bundle& bundle) {
  for (size_t s = 0; s < bundle.subgraphs.size(); ++s) {
    const BundleSubgraph& subgraph = bundle.subgraphs[s];
    if (subgraph.inputs.size() != subgraph.metadata.inputs.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "subgraph ", s, " has ", subgraph.inputs.size(), " inputs in bundle.json and ",
          subgraph.metadata.inputs.size(), " in its model.json, expected as many"));
    }
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      RETURN_IF_ERROR(
          CheckEdge(bundle, subgraph.inputs[i], absl::StrCat("input ", i, " of subgraph ", s)));
    }
  }
  for (size_t i = 0; i < bundle.outputs.size(); ++i) {
    RETURN_IF_ERROR(CheckEdge(bundle, bundle.outputs[i], absl::StrCat("the bundle's output ", i)));
  }
  return absl::OkStatus();
}

// Kahn's algorithm; the lowest index first, so that the order is a function of
// the bundle.
absl::Status OrderSubgraphs(Bundle* bundle) {
  std::vector<bool> done(bundle->subgraphs.size());
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t s = 0; s < done.size(); ++s) {
      const std::vector<BundleEdge>& inputs = bundle->subgraphs[s].inputs;
      const bool ready = std::all_of(inputs.begin(), inputs.end(), [&](const BundleEdge& edge) {
        return edge.subgraph == -1 || done[static_cast<size_t>(edge.subgraph)];
      });
      if (done[s] || !ready) continue;
      done[s] = progress = true;
      bundle->execution_order.push_back(static_cast<int>(s));
    }
  }
  const auto stuck = std::find(done.begin(), done.end(), false);
  if (stuck == done.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("subgraph ", stuck - done.begin(),
                   " is part of a cycle, expected an order in which each follows its inputs"));
}

// Anyone could have written the policies of a model without a seal.
void DropUnsealedPolicies(Bundle* bundle) {
  if (bundle->is_sealed) return;
  for (BundleSubgraph& subgraph : bundle->subgraphs) {
    for (std::vector<TensorMetadata>* tensors :
         {&subgraph.metadata.inputs, &subgraph.metadata.outputs}) {
      for (TensorMetadata& tensor : *tensors) tensor.security = TensorSecurity::kNone;
    }
  }
}

absl::Status CheckBundle(Bundle* bundle) {
  DropUnsealedPolicies(bundle);
  if (bundle->outputs.empty()) {
    return absl::InvalidArgumentError("the bundle has no outputs, expected one or more");
  }
  RETURN_IF_ERROR(CountInputs(bundle));
  RETURN_IF_ERROR(CheckEdges(*bundle));
  return OrderSubgraphs(bundle);
}

absl::Status ParseGraph(const Json& root, const Entries& entries, Bundle* bundle) {
  const Json* graph = Member(root, "graph");
  if (graph == nullptr || !graph->is_array() || graph->empty() || graph->size() > kMaxSubgraphs) {
    return absl::InvalidArgumentError(absl::StrCat(
        "bundle.json has no list 'graph', expected one of 1 to ", kMaxSubgraphs, " subgraphs"));
  }
  for (const Json& item : *graph) {
    bundle->subgraphs.emplace_back();
    if (absl::Status status = ParseSubgraph(item, entries, &bundle->subgraphs.back());
        !status.ok()) {
      return Annotate(status, absl::StrCat("subgraph ", bundle->subgraphs.size() - 1));
    }
  }
  RETURN_IF_ERROR(ParseEdges(root, "outputs", "bundle.json", &bundle->outputs));
  return absl::OkStatus();
}

// A model is marked secure exactly if it has a seal: no mark can be removed or added without
// notice.
absl::Status CheckMarks(const Bundle& bundle) {
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    if (subgraph.metadata.secure == bundle.is_sealed) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(subgraph.model_name, " is ", bundle.is_sealed ? "not " : "",
                     "marked secure, but the model has", bundle.is_sealed ? " a" : " no",
                     " seal: it was changed after the conversion; use the original file"));
  }
  return absl::OkStatus();
}

// `storage` owns `bytes`. Of a sealed bundle only its decrypted programs are kept.
absl::StatusOr<Bundle> Parse(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> storage,
                             bool check_marks) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> list, ReadStoredZip(bytes));
  ASSIGN_OR_RETURN(OpenedEntries opened, OpenEntries(bytes, std::move(list)));
  Entries entries;
  for (const ZipEntry& entry : opened.entries) entries[entry.name] = entry.data;
  const auto json = entries.find("bundle.json");
  if (json == entries.end()) {
    return absl::InvalidArgumentError(
        "the ZIP file has no entry 'bundle.json', expected a model of synap convert");
  }
  const absl::StatusOr<JsonDocument> document = ParseJsonObject(AsText(json->second));
  if (!document.ok()) return Annotate(document.status(), "bundle.json");

  Bundle bundle;
  bundle.is_sealed = opened.is_sealed;
  RETURN_IF_ERROR(ParseGraph(document->root(), entries, &bundle));
  if (check_marks) RETURN_IF_ERROR(CheckMarks(bundle));
  RETURN_IF_ERROR(CheckBundle(&bundle));
  auto owners =
      std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(opened.programs));
  if (!bundle.is_sealed) owners->push_back(std::move(storage));
  std::map<std::string, absl::Span<const uint8_t>> copies;
  for (BundleSubgraph& subgraph : bundle.subgraphs) {
    if (IsAligned(subgraph.model)) continue;
    const auto [it, inserted] = copies.try_emplace(subgraph.model_name);
    if (inserted) {
      ASSIGN_OR_RETURN(AlignedCopy copy, CopyAligned(subgraph.model));
      it->second = copy.bytes;
      owners->push_back(std::move(copy.owner));
    }
    subgraph.model = it->second;
  }
  bundle.storage = std::move(owners);
  return bundle;
}

absl::StatusOr<Bundle> MakeSingle(absl::Span<const uint8_t> model,
                                  std::shared_ptr<const void> storage, absl::string_view json) {
  Bundle bundle;
  bundle.storage = std::move(storage);
  BundleSubgraph& subgraph = bundle.subgraphs.emplace_back();
  subgraph.model_name = "model.nb";
  subgraph.model = model;
  bundle.is_sealed = IsSealedModel(model);
  if (bundle.is_sealed) {
    ASSIGN_OR_RETURN(DecryptedProgram program, OpenModelFile(model, json));
    subgraph.model = program.bytes;
    bundle.storage = std::move(program.memory);
  } else {
    ASSIGN_OR_RETURN(bundle.is_verified, VerifyChecksum(json, model));
  }
  ASSIGN_OR_RETURN(subgraph.metadata, ParseModelMetadata(json));
  RETURN_IF_ERROR(CheckMarks(bundle));
  for (size_t i = 0; i < subgraph.metadata.inputs.size(); ++i) {
    subgraph.inputs.push_back({-1, static_cast<int>(i)});
  }
  for (size_t i = 0; i < subgraph.metadata.outputs.size(); ++i) {
    bundle.outputs.push_back({0, static_cast<int>(i)});
  }
  RETURN_IF_ERROR(CheckBundle(&bundle));
  return bundle;
}

Json PrintEdges(absl::Span<const BundleEdge> edges) {
  Json json = Json::array();
  for (const BundleEdge& edge : edges) {
    json.push_back(Json{{"subgraph", edge.subgraph}, {"out", edge.index}});
  }
  return json;
}

}  // namespace

absl::StatusOr<Bundle> OpenBundle(const std::string& path) {
  ASSIGN_OR_RETURN(AlignedCopy file, ReadAligned(path));
  return Parse(file.bytes, std::move(file.owner), /*check_marks=*/true);
}

absl::StatusOr<Bundle> ReadBundle(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(AlignedCopy copy, CopyAligned(bytes));
  return Parse(copy.bytes, std::move(copy.owner), /*check_marks=*/true);
}

absl::StatusOr<Bundle> ReadUnsealedBundle(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(AlignedCopy copy, CopyAligned(bytes));
  return Parse(copy.bytes, std::move(copy.owner), /*check_marks=*/false);
}

absl::StatusOr<Bundle> OpenModel(const std::string& model_path, const std::string& metadata_path) {
  ASSIGN_OR_RETURN(AlignedCopy model, ReadAligned(model_path));
  ASSIGN_OR_RETURN(const std::string json, ReadFile(metadata_path));
  return Annotate(MakeSingle(model.bytes, std::move(model.owner), json), metadata_path);
}

absl::StatusOr<Bundle> ReadModel(absl::Span<const uint8_t> model, absl::string_view metadata) {
  ASSIGN_OR_RETURN(AlignedCopy copy, CopyAligned(model));
  return MakeSingle(copy.bytes, std::move(copy.owner), metadata);
}

absl::StatusOr<std::string> WriteBundle(absl::Span<const BundlePart> parts,
                                        absl::Span<const BundleEdge> outputs) {
  Json graph = Json::array();
  std::vector<std::string> metadata;
  metadata.reserve(parts.size());  // the entries refer to its elements
  std::vector<ZipEntry> entries(1);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string model_name = absl::StrCat(i, "/model.nb");
    const std::string meta_name = absl::StrCat(i, "/model.json");
    ASSIGN_OR_RETURN(std::string json, PrintModelMetadata(parts[i].metadata));
    metadata.push_back(std::move(json));
    entries.push_back({model_name, AsBytes(parts[i].model)});
    entries.push_back({meta_name, AsBytes(metadata.back())});
    graph.push_back(
        Json{{"inputs", PrintEdges(parts[i].inputs)}, {"model", model_name}, {"meta", meta_name}});
  }
  const std::string bundle_json =
      PrintJson(Json{{"graph", std::move(graph)}, {"outputs", PrintEdges(outputs)}}, 1);
  entries[0] = {"bundle.json", AsBytes(bundle_json)};
  return WriteStoredZip(entries);
}

absl::StatusOr<std::string> WriteBundle(absl::string_view model, const ModelMetadata& metadata) {
  BundlePart part{model, metadata, {}};
  std::vector<BundleEdge> outputs;
  for (size_t i = 0; i < metadata.inputs.size(); ++i) {
    part.inputs.push_back({-1, static_cast<int>(i)});
  }
  for (size_t i = 0; i < metadata.outputs.size(); ++i) outputs.push_back({0, static_cast<int>(i)});
  return WriteBundle({&part, 1}, outputs);
}

}  // namespace synap_internal
