#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/visit_type.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

// Constants of at most this many elements are printed in full.
constexpr int64_t kInlineElements = 16;

bool IsPlainName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains("_./:-", absl::string_view(&c, 1))) {
      return false;
    }
  }
  return !name.empty();
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

std::string TensorRef(const Tensor* tensor) {
  if (tensor == nullptr) return "_";
  return absl::StrCat("%", IsPlainName(tensor->name) ? tensor->name : Quoted(tensor->name));
}

std::string QuantText(const QuantParams& quant) {
  switch (quant.scheme) {
    case QuantScheme::kNone:
      return "";
    case QuantScheme::kAsymmetricAffine:
      return absl::StrCat("<affine ", FloatToString(quant.scale()), " ", quant.zero_point(), ">");
    case QuantScheme::kDynamicFixedPoint:
      return absl::StrCat("<fixed ", quant.fractional_length, ">");
    case QuantScheme::kPerChannelSymmetric:
      return absl::StrCat("<channel ", quant.axis, " ", ToString(AttributeValue(quant.scales)),
                          ">");
  }
  return "";
}

std::string TypeText(const TensorType& type) {
  return absl::StrCat(Name(type.dtype), "[", absl::StrJoin(type.shape.dims(), "x"), "]",
                      QuantText(type.quant));
}

std::string ElementText(const Tensor& tensor, int64_t i) {
  const uint8_t* at =
      tensor.constant->bytes.data() + static_cast<size_t>(i) * SizeOf(tensor.type.dtype);
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  const DataType type = tensor.type.dtype;
  if (type == DataType::kFloat32) return FloatToString(read(float{}));
  std::string text;
  // The unary plus makes numbers of characters; float16 is printed as its bits.
  VisitIntegers(type == DataType::kFloat16 ? DataType::kUint16 : type,
                [&](auto zero) { text = absl::StrCat(+read(zero)); });
  return text;
}

std::string InlineValues(const Tensor& tensor) {
  std::string text = "[";
  for (int64_t i = 0; i < tensor.type.shape.elements(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", ElementText(tensor, i));
  }
  return text + "]";
}

size_t Aligned(size_t size) {
  return (size + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

// Data block after the text, which holds the long constants.
class DataBlock {
 public:
  // The offset in the block.
  size_t Place(std::shared_ptr<const Constant> constant) {
    const size_t offset = Aligned(size_);
    size_ = offset + constant->bytes.size();
    pieces_.push_back({offset, std::move(constant)});
    return offset;
  }

  void AppendTo(absl::Cord& file) const {
    const size_t begin = file.size();
    for (const auto& [offset, constant] : pieces_) {
      file.Append(std::string(begin + offset - file.size(), 0));
      const absl::string_view bytes(reinterpret_cast<const char*>(constant->bytes.data()),
                                    constant->bytes.size());
      file.Append(absl::MakeCordFromExternal(bytes, [kept = constant] {}));
    }
  }

 private:
  size_t size_ = 0;
  std::vector<std::pair<size_t, std::shared_ptr<const Constant>>> pieces_;
};

class Printer {
 public:
  // Without a block, long constants are elided.
  explicit Printer(DataBlock* block) : block_(block) {}

  std::string Print(const Graph& graph) {
    text_ = absl::StrCat("graph ", Quoted(graph.name), " layout=", Quoted(graph.layout),
                         graph.own_quantizers ? " own_quantizers" : "", " {\n");
    for (const Tensor* input : graph.inputs) {
      Line("input ", TensorRef(input), ": ", TypeText(input->type));
    }
    for (const Tensor& tensor : graph.tensors()) {
      if (!tensor.is_constant()) continue;
      Line("const ", TensorRef(&tensor), ": ", TypeText(tensor.type), " = ", Values(tensor));
    }
    for (const Op& op : graph.ops()) PrintOp(op);
    for (const Tensor* output : graph.outputs) Line("output ", TensorRef(output));
    PrintAnchors(graph.anchors);
    if (!graph.format.empty()) Line("format ", Quoted(graph.format));
    return text_ + "}\n";
  }

 private:
  template <typename... Parts>
  void Line(const Parts&... parts) {
    absl::StrAppend(&text_, "  ", parts..., "\n");
  }

  std::string Values(const Tensor& tensor) {
    if (tensor.type.shape.elements() <= kInlineElements) return InlineValues(tensor);
    if (block_ == nullptr) return "...";
    return absl::StrCat("@", block_->Place(tensor.constant));
  }

  void PrintAnchors(const std::vector<float>& anchors) {
    if (anchors.empty()) return;
    Tensor list;
    list.type = {DataType::kFloat32, Shape({static_cast<int64_t>(anchors.size()) / 4, 4}), {}};
    list.constant = std::make_shared<const Constant>(Constant::Of(absl::MakeConstSpan(anchors)));
    Line("anchors ", TypeText(list.type), " = ", Values(list));
  }

  void PrintOp(const Op& op) {
    std::vector<std::string> outputs, inputs, attributes, origins;
    for (const Tensor* t : op.outputs) {
      outputs.push_back(absl::StrCat(TensorRef(t), ": ", TypeText(t->type)));
    }
    for (const Tensor* t : op.inputs) inputs.push_back(TensorRef(t));
    for (const auto& [name, value] : op.attributes) {
      attributes.push_back(absl::StrCat(name, "=", ToString(value)));
    }
    for (const std::string& origin : op.origins) origins.push_back(Quoted(origin));
    Line(absl::StrJoin(outputs, ", "), " = ", op.def->name, "(", absl::StrJoin(inputs, ", "), ")",
         attributes.empty() ? "" : absl::StrCat(" {", absl::StrJoin(attributes, ", "), "}"),
         origins.empty() ? "" : absl::StrCat(" from ", absl::StrJoin(origins, ", ")));
  }

  std::string text_;
  DataBlock* block_;
};

std::string LittleEndian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

}  // namespace

std::string PrintGraph(const Graph& graph) { return Printer(nullptr).Print(graph); }

absl::Cord GraphFile(const Graph& graph) {
  DataBlock block;
  const std::string text = Printer(&block).Print(graph);
  absl::Cord file("SYNAPIR1");
  file.Append(LittleEndian(text.size()));
  file.Append(text);
  file.Append(std::string(Aligned(file.size()) - file.size(), 0));
  block.AppendTo(file);
  return file;
}

std::string SerializeGraph(const Graph& graph) { return std::string(GraphFile(graph)); }

std::string SerializeGraph(Graph&& graph) {
  absl::Cord file = GraphFile(graph);
  graph = Graph();
  std::string bytes;
  bytes.reserve(file.size());
  while (!file.empty()) {
    const absl::string_view piece = *file.chunk_begin();
    bytes.append(piece.data(), piece.size());
    file.RemovePrefix(piece.size());
  }
  return bytes;
}

}  // namespace synap_internal
