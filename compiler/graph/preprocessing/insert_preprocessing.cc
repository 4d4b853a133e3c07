#include "compiler/graph/preprocessing/insert_preprocessing.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/registry.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxNetworkSide = 32768;  // of the op
constexpr int64_t kMaxPictureSide = 65535;

struct Size {
  int64_t height = 0;
  int64_t width = 0;
};

Tensor* AddOpBefore(Graph& graph, Op* before, absl::string_view name, std::vector<Tensor*> inputs,
                    Attributes attributes, std::string origin, Tensor* output) {
  Op op;
  op.def = FindOp(name);
  CHECK(op.def != nullptr);
  op.inputs = std::move(inputs);
  op.attributes = std::move(attributes);
  op.origins = {std::move(origin)};
  op.outputs = {output};
  graph.AddOp(std::move(op), before);
  return output;
}

// One input with `preprocess`, while it is replaced.
class InputRewriter {
 public:
  // `index`: of the metafile's entry. first: the network's first op, null if it has none.
  InputRewriter(Graph& graph, const Metafile& metafile, size_t index,
                const TensorMetadata& described, Op* first)
      : graph_(graph),
        metafile_(metafile),
        index_(index),
        spec_(*metafile.inputs[index].preprocess),
        described_(described),
        network_(graph.inputs[index]),
        name_(network_->name),
        first_(first) {}

  // Makes the new inputs. The caller puts them in the place of the old one.
  absl::Status Run(Warnings& warnings) {
    if (spec_.picture == nullptr) return ConvertFloats();
    RETURN_IF_ERROR(CheckInput());
    RETURN_IF_ERROR(CheckPicture());
    NoteOrientation(warnings);
    AddPlanes();
    if (spec_.crop) AddRegion();
    AddConversion();
    return absl::OkStatus();
  }

  const std::vector<Tensor*>& tensors() const { return tensors_; }
  const std::vector<TensorMetadata>& metadata() const { return metadata_; }

 private:
  const PictureTypeRow& type() const { return *spec_.picture; }
  bool is_nchw() const { return described_.layout == TensorLayout::kNchw; }
  Size network_size() const {
    const Shape& s = network_->type.shape;
    return is_nchw() ? Size{s[2], s[3]} : Size{s[1], s[2]};
  }
  Size picture_size() const {
    return spec_.width == 0 ? network_size() : Size{spec_.height, spec_.width};
  }

  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(metafile_.Where(spec_.location), ": inputs[",
                                                   index_, "].preprocess: ", message));
  }

  std::string Described() const {
    return absl::StrCat("input '", name_, "' is ", Name(network_->type.dtype), " ",
                        network_->type.shape.ToString());
  }

  // Whether the network's input is one picture with the channels that the type makes.
  absl::Status CheckInput() const {
    const TensorType& input = network_->type;
    const bool holds_pixels =
        IsFloat(input.dtype) || input.quant.quantized() || input.dtype == DataType::kUint8;
    if (!holds_pixels) {
      return Error(absl::StrCat(Described(), " numbers, expected pixels; leave 'preprocess' out"));
    }
    if (input.shape.rank() != 4) {
      return Error(absl::StrCat(Described(), ", expected 4 dimensions, ",
                                is_nchw() ? "[1,C,H,W]" : "[1,H,W,C]", "; leave 'preprocess' out"));
    }
    if (input.shape[0] != 1) {
      return Error(absl::StrCat(Described(), ", a batch of ", input.shape[0],
                                ", expected one picture; convert with a batch of 1"));
    }
    if (described_.channels() != type().channels()) {
      return Error(absl::StrCat(Described(), " with ", described_.channels(),
                                described_.channels() == 1 ? " channel" : " channels",
                                ", expected ", type().channels(), " for type ", type().name,
                                described_.channels() == 1 ? "; use type gray" : ""));
    }
    if (described_.pixels_unknown) {
      return Error(absl::StrCat("input '", name_,
                                "': nothing tells the values of pixels, expected 'means' and "
                                "'scale'; add them to this input"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckPicture() const {
    const Size network = network_size(), picture = picture_size();
    const auto text = [](const Size& size) { return absl::StrCat(size.width, "x", size.height); };
    if (std::max(network.height, network.width) > kMaxNetworkSide ||
        std::max(picture.height, picture.width) > kMaxPictureSide) {
      return Error(absl::StrCat("pictures of ", text(picture), " for ", text(network),
                                ", expected sides of at most ", kMaxPictureSide, " and ",
                                kMaxNetworkSide));
    }
    if (type().has_halved_plane() && (picture.height % 2 != 0 || picture.width % 2 != 0)) {
      return Error(absl::StrCat("input '", name_, "' is ", text(picture), ", but ", type().name,
                                " has one colour for 2x2 pixels, expected even sides; add 'size: "
                                "[width, height]' of the pictures"));
    }
    return absl::OkStatus();
  }

  // The closed toolkit's manual calls the numbers height and width in its text and gives them as
  // width and height in its examples.
  void NoteOrientation(Warnings& warnings) const {
    const Size network = network_size(), picture = picture_size();
    if (picture.height <= picture.width || network.height > network.width) return;
    warnings.Add(
        {metafile_.PlaceOf(spec_.location),
         absl::StrCat("pictures of input '", name_, "' are ", picture.width, " pixels wide and ",
                      picture.height, " high: the first number of 'size' is the width"),
         Severity::kNote});
  }

  void AddInput(std::string name, TensorType type, TensorMetadata metadata) {
    metadata.name = name;
    metadata.dtype = type.dtype;
    tensors_.push_back(graph_.AddTensor(std::move(name), std::move(type)));
    metadata_.push_back(std::move(metadata));
  }

  void AddPlanes() {
    graph_.Rename(network_, graph_.UniqueName(absl::StrCat(name_, ".tensor")));
    for (int i = 0; i < type().planes; ++i) {
      const PicturePlane& plane = type().plane[i];
      const Size size = picture_size();
      const int64_t part = plane.halved ? 2 : 1;
      TensorMetadata metadata;
      metadata.shape = type().planar
                           ? Shape({1, plane.channels, size.height, size.width})
                           : Shape({1, size.height / part, size.width / part, plane.channels});
      metadata.layout = type().planar ? TensorLayout::kNchw : TensorLayout::kNhwc;
      metadata.data_format = absl::StrCat(plane.format, described_.data_format.empty() ? "" : " ",
                                          described_.data_format);
      metadata.security = described_.security;
      const TensorType stored{DataType::kUint8, metadata.shape, {}};
      AddInput(
          type().planes == 1 ? name_ : graph_.UniqueName(absl::StrCat(name_, ".", plane.format)),
          stored, std::move(metadata));
    }
  }

  // Tensor::assign(value) writes 32768 value / tensor_dim.
  void AddRegion() {
    const Size network = network_size();
    const std::pair<const char*, int64_t> kNumbers[] = {
        {"width", network.width}, {"height", network.height}, {"left", 0}, {"top", 0}};
    for (const auto& [number, side] : kNumbers) {
      TensorMetadata metadata;
      metadata.shape = Shape({1});
      metadata.scalar = true;
      if (side != 0) metadata.data_format = absl::StrCat("tensor_dim=", side);
      if (described_.security != TensorSecurity::kNone) metadata.security = TensorSecurity::kAny;
      AddInput(graph_.UniqueName(absl::StrCat(name_, ".crop_", number)),
               {DataType::kInt32, Shape({1}), {}}, std::move(metadata));
    }
  }

  Attributes ConversionAttributes() const {
    const Size network = network_size();
    const PixelMapping pixels = described_.pixels.value_or(
        PixelMapping{described_.effective_mean(), {described_.effective_scale()}});
    Attributes attributes = {{"type", std::string(type().name)},
                             {"size", std::vector<int64_t>{network.height, network.width}},
                             {"mean", pixels.mean},
                             {"scale", pixels.scale}};
    if (ParsePictureFormat(described_.data_format).is_bgr) attributes["bgr"] = int64_t{1};
    const TensorType& out = network_->type;
    if (!out.quant.quantized() && out.dtype != DataType::kFloat32) {
      attributes["to"] = std::string(Name(out.dtype));
    }
    return attributes;
  }

  // The op makes NHWC; readers that transpose the network's NCHW to that read its output instead.
  void AddConversion() {
    Tensor* nhwc = network_;
    if (is_nchw()) {
      const Shape& s = network_->type.shape;
      nhwc = graph_.AddTensor(
          graph_.UniqueName(absl::StrCat(name_, ".nhwc")),
          {network_->type.dtype, Shape({1, s[2], s[3], s[1]}), network_->type.quant});
    }
    AddOpBefore(graph_, first_, "image_to_tensor", tensors_, ConversionAttributes(), name_, nhwc);
    if (nhwc == network_) return;
    AddOpBefore(graph_, first_, "transpose", {nhwc}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}},
                name_, network_);
    SkipTransposes(nhwc);
  }

  void SkipTransposes(Tensor* nhwc) {
    const std::vector<int64_t> to_nhwc = {0, 2, 3, 1};
    const std::vector<Op*> users = network_->users;
    for (Op* user : users) {
      if (!user->Is(Movement::kTranspose) || graph_.IsOutput(user->output())) continue;
      const auto perm = user->attributes.find("perm");
      if (perm == user->attributes.end() || perm->second != AttributeValue(to_nhwc)) continue;
      graph_.ReplaceUses(user->output(), nhwc);
      graph_.RemoveOp(user);
    }
    if (network_->users.empty() && !graph_.IsOutput(network_)) graph_.RemoveOp(network_->producer);
  }

  absl::Status ConvertFloats() {
    const TensorType& input = network_->type;
    const bool is_float16 = input.dtype == DataType::kFloat16;
    if (!IsFloat(input.dtype) && !input.quant.quantized()) {
      return Error(absl::StrCat(Described(),
                                " numbers, expected a float or quantized input for type float32; "
                                "leave 'preprocess' out"));
    }
    if (input.dtype == DataType::kFloat32) {
      tensors_ = {network_};
      metadata_ = {described_};
      return absl::OkStatus();
    }
    graph_.Rename(network_, graph_.UniqueName(absl::StrCat(name_, ".tensor")));
    TensorMetadata metadata = described_;
    metadata.quant = {};
    AddInput(name_, {DataType::kFloat32, input.shape, {}}, std::move(metadata));
    Attributes attributes;
    if (is_float16) attributes["to"] = std::string(Name(DataType::kFloat16));
    AddOpBefore(graph_, first_, is_float16 ? "cast" : "quantize", tensors_, std::move(attributes),
                name_, network_);
    return absl::OkStatus();
  }

  Graph& graph_;
  const Metafile& metafile_;
  const size_t index_;
  const PreprocessSpec& spec_;
  const TensorMetadata& described_;
  Tensor* const network_;
  const std::string name_;
  Op* const first_;
  std::vector<Tensor*> tensors_;
  std::vector<TensorMetadata> metadata_;
};

}  // namespace

absl::StatusOr<PreprocessedNetwork> InsertPreprocessing(const Graph& graph,
                                                        const Metafile& metafile,
                                                        absl::Span<const TensorMetadata> inputs,
                                                        Warnings& warnings) {
  PreprocessedNetwork result;
  result.graph = graph.Clone();
  std::vector<Tensor*> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i >= metafile.inputs.size() || !metafile.inputs[i].preprocess.has_value()) {
      tensors.push_back(result.graph.inputs[i]);
      result.inputs.push_back(inputs[i]);
      continue;
    }
    Op* const first = result.graph.ops().empty() ? nullptr : &result.graph.ops().front();
    InputRewriter rewriter(result.graph, metafile, i, inputs[i], first);
    RETURN_IF_ERROR(rewriter.Run(warnings));
    tensors.insert(tensors.end(), rewriter.tensors().begin(), rewriter.tensors().end());
    result.inputs.insert(result.inputs.end(), rewriter.metadata().begin(),
                         rewriter.metadata().end());
  }
  result.graph.inputs = std::move(tensors);
  return result;
}

}  // namespace synap_internal
