#include "compiler/import/torchscript/graph_file.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::torchscript_import {
namespace {

// Blocks in blocks, more than any program has.
constexpr int kMaxTypeDepth = 64;

class Indexer {
 public:
  explicit Indexer(GraphFile& file) : file_(file) {}

  absl::Status AddBlock(const torchscript::Block& block, int depth) {
    if (depth > kMaxTypeDepth)
      return absl::InvalidArgumentError("its blocks are nested too deeply");
    const size_t visible = visible_.size();
    for (const torchscript::Value& input : block.inputs()) RETURN_IF_ERROR(Define(input));
    for (int i = 0; i < block.nodes_size(); ++i) {
      if (depth == 0) producer_ = static_cast<size_t>(i);
      RETURN_IF_ERROR(AddNode(block.nodes(i), depth));
    }
    for (const uint32_t output : block.outputs()) RETURN_IF_ERROR(CheckDefined(output));
    // A block's definitions aren't visible after it.
    for (; visible_.size() > visible; visible_.pop_back()) defined_[visible_.back()] = false;
    return absl::OkStatus();
  }

 private:
  absl::Status AddNode(const torchscript::Node& node, int depth) {
    for (const uint32_t input : node.inputs()) {
      RETURN_IF_ERROR(Annotate(CheckDefined(input), NodeLabel(node)));
    }
    for (const torchscript::Block& inner : node.blocks()) {
      RETURN_IF_ERROR(AddBlock(inner, depth + 1));
    }
    for (const torchscript::Value& output : node.outputs()) RETURN_IF_ERROR(Define(output));
    return absl::OkStatus();
  }

  absl::Status CheckDefined(uint32_t id) const {
    if (id < defined_.size() && defined_[id]) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("it reads value ", id, ", which nothing before it defines"));
  }

  absl::Status Define(const torchscript::Value& value) {
    if (value.id() != file_.values.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "value '", value.name(), "' has id ", value.id(), ", expected ", file_.values.size()));
    }
    if (!file_.by_name.emplace(value.name(), value.id()).second) {
      return absl::InvalidArgumentError(absl::StrCat("two values are called '", value.name(), "'"));
    }
    file_.values.push_back(&value);
    file_.producers.push_back(producer_);
    defined_.push_back(true);
    visible_.push_back(value.id());
    return absl::OkStatus();
  }

  GraphFile& file_;
  size_t producer_ = GraphFile::kInput;
  std::vector<bool> defined_;      // by id
  std::vector<uint32_t> visible_;  // in the order of their definitions
};

}  // namespace

std::optional<OpenShape> DeclaredShape(const torchscript::Value& input) {
  if (!input.has_shape()) return std::nullopt;
  OpenShape shape;
  for (const int64_t dim : input.shape().dims()) {
    shape.push_back(dim < 0 ? std::nullopt : std::make_optional(dim));
  }
  return shape;
}

DataType DeclaredType(const torchscript::Value& input) {
  switch (input.element_type()) {
    case torchscript::Tensor::INT64:
      return DataType::kInt64;
    case torchscript::Tensor::INT32:
    case torchscript::Tensor::INT16:
    case torchscript::Tensor::INT8:
    case torchscript::Tensor::UINT8:
      return DataType::kInt32;
    case torchscript::Tensor::BOOL:
      return DataType::kBool;
    default:
      return DataType::kFloat32;
  }
}

std::optional<Shape> TracedShape(const torchscript::Value& input) {
  if (!input.has_traced()) return std::nullopt;
  return Shape({input.traced().dims().begin(), input.traced().dims().end()});
}

std::string NodeLabel(const torchscript::Node& node) {
  const std::string name = node.outputs_size() > 0 ? node.outputs(0).name() : "";
  return absl::StrCat(
      "node '", name, "' (", node.kind(), ")",
      node.module().empty() ? "" : absl::StrCat(" of module '", node.module(), "'"));
}

std::string PlaceOf(const torchscript::Node& node) {
  if (node.module().empty()) return node.source().empty() ? "" : absl::StrCat("at ", node.source());
  return absl::StrCat("in ", node.module(),
                      node.source().empty() ? "" : absl::StrCat(" (", node.source(), ")"));
}

absl::StatusOr<GraphFile> ParseGraph(absl::string_view bytes) {
  auto proto = std::make_shared<torchscript::Graph>();
  const bool fits = bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || !proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("is not a graph of synap_torchscript_reader");
  }
  return IndexGraph(std::move(proto));
}

absl::StatusOr<GraphFile> IndexGraph(std::shared_ptr<const torchscript::Graph> proto) {
  GraphFile file;
  file.proto = std::move(proto);
  RETURN_IF_ERROR(Indexer(file).AddBlock(file.block(), 0));
  return file;
}

}  // namespace synap_internal::torchscript_import
