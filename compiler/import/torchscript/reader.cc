// synap_torchscript_reader MODEL OUT: writes the graph of a TorchScript module's
// forward(), inlined and frozen, to OUT, as script_graph.proto has it. On failure
// one line on stderr, and 1.
//
// The only program that links libtorch. What an operator means is none of its
// business: the importer decides that.
#include <ATen/Context.h>
#include <ATen/native/quantized/PackedParams.h>
#include <sys/resource.h>
#include <torch/library.h>
#include <torch/script.h>
#include <torch/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/import/torchscript/script_graph.pb.h"
#include "torch/csrc/jit/ir/constants.h"
#include "torch/csrc/jit/ir/ir.h"
#include "torch/csrc/jit/passes/freeze_module.h"
#include "torch/csrc/jit/passes/inliner.h"

// Operators of torchvision that detectors contain. Without a schema the module that names one
// doesn't load at all; with it the importer can leave the operator out, or refuse it by name.
TORCH_LIBRARY_FRAGMENT(torchvision, library) {
  library.def("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor");
  library.def(
      "roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
      "int pooled_width, int sampling_ratio, bool aligned) -> Tensor");
  library.def(
      "roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
      "int pooled_width) -> (Tensor, Tensor)");
  library.def(
      "ps_roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
      "int pooled_width, int sampling_ratio) -> (Tensor, Tensor)");
  library.def(
      "ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
      "int pooled_width) -> (Tensor, Tensor)");
  library.def(
      "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
      "int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, "
      "int groups, int offset_groups, bool use_mask) -> Tensor");
}

namespace {

namespace jit = torch::jit;

torchscript::Tensor::Type TypeOf(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Bool:
      return torchscript::Tensor::BOOL;
    case c10::ScalarType::Byte:
    case c10::ScalarType::QUInt8:
      return torchscript::Tensor::UINT8;
    case c10::ScalarType::Char:
    case c10::ScalarType::QInt8:
      return torchscript::Tensor::INT8;
    case c10::ScalarType::Short:
      return torchscript::Tensor::INT16;
    case c10::ScalarType::Int:
    case c10::ScalarType::QInt32:
      return torchscript::Tensor::INT32;
    case c10::ScalarType::Long:
      return torchscript::Tensor::INT64;
    case c10::ScalarType::Half:
      return torchscript::Tensor::FLOAT16;
    case c10::ScalarType::BFloat16:
      return torchscript::Tensor::BFLOAT16;
    case c10::ScalarType::Float:
      return torchscript::Tensor::FLOAT32;
    case c10::ScalarType::Double:
      return torchscript::Tensor::FLOAT64;
    default:
      return torchscript::Tensor::OTHER;
  }
}

void WriteQuantizer(const at::Tensor& tensor, torchscript::Tensor& out) {
  if (tensor.qscheme() == at::kPerTensorAffine) {
    out.add_scales(tensor.q_scale());
    out.add_zero_points(tensor.q_zero_point());
    return;
  }
  const at::Tensor scales = tensor.q_per_channel_scales().to(at::kDouble).contiguous();
  const at::Tensor zero_points = tensor.q_per_channel_zero_points().to(at::kLong).contiguous();
  for (int64_t i = 0; i < scales.numel(); ++i) {
    out.add_scales(scales.data_ptr<double>()[i]);
    out.add_zero_points(zero_points.data_ptr<int64_t>()[i]);
  }
  out.set_axis(tensor.q_per_channel_axis());
}

void WriteTensor(const at::Tensor& given, torchscript::Tensor& out) {
  out.set_type_name(c10::toString(given.scalar_type()));
  out.set_type(TypeOf(given.scalar_type()));
  for (const int64_t dim : given.sizes()) out.add_dims(dim);
  const bool dense = given.layout() == at::kStrided;
  if (!dense) out.set_type_name("sparse " + out.type_name());
  if (!dense || out.type() == torchscript::Tensor::OTHER) {
    out.set_type(torchscript::Tensor::OTHER);
    return;
  }
  at::Tensor tensor = given.detach().cpu().contiguous();
  if (tensor.is_quantized()) {
    WriteQuantizer(tensor, out);
    tensor = tensor.int_repr().contiguous();
  }
  out.set_data(tensor.data_ptr(), tensor.nbytes());
}

void WriteInts(const torch::List<int64_t>& values, google::protobuf::RepeatedField<int64_t>& out) {
  for (const int64_t value : values) out.Add(value);
}

template <typename Unpacked>
void WriteWeights(const Unpacked& unpacked, torchscript::PackedWeights& out) {
  const auto& [weight, bias] = unpacked;
  WriteTensor(weight, *out.mutable_weight());
  if (bias.has_value()) WriteTensor(*bias, *out.mutable_bias());
}

template <int kDims>
bool WriteConvolution(const c10::IValue& value, torchscript::PackedWeights& out) {
  using Packed = ConvPackedParamsBase<kDims>;
  if (!value.type()->isSubtypeOf(*c10::getCustomClassType<c10::intrusive_ptr<Packed>>())) {
    return false;
  }
  const auto packed = value.toCustomClass<Packed>();
  WriteWeights(packed->unpack(), out);
  WriteInts(packed->stride(), *out.mutable_stride());
  WriteInts(packed->padding(), *out.mutable_padding());
  WriteInts(packed->output_padding(), *out.mutable_output_padding());
  WriteInts(packed->dilation(), *out.mutable_dilation());
  out.set_groups(packed->groups());
  out.set_transposed(packed->transpose());
  return true;
}

bool WritePacked(const c10::IValue& value, torchscript::PackedWeights& out) {
  using Linear = LinearPackedParamsBase;
  if (WriteConvolution<2>(value, out) || WriteConvolution<3>(value, out)) return true;
  if (!value.type()->isSubtypeOf(*c10::getCustomClassType<c10::intrusive_ptr<Linear>>())) {
    return false;
  }
  WriteWeights(value.toCustomClass<Linear>()->unpack(), out);
  return true;
}

void WriteConstant(const c10::IValue& value, torchscript::Constant& out) {
  if (value.isNone()) {
    out.set_none(true);
  } else if (value.isBool()) {
    out.set_boolean(value.toBool());
  } else if (value.isInt()) {
    out.set_integer(value.toInt());
  } else if (value.isDouble()) {
    out.set_real(value.toDouble());
  } else if (value.isString()) {
    out.set_text(value.toStringRef());
  } else if (value.isDevice()) {
    out.set_text(value.toDevice().str());
  } else if (value.isTensor() && value.toTensor().defined()) {
    WriteTensor(value.toTensor(), *out.mutable_tensor());
  } else if (value.isList()) {
    auto* list = out.mutable_list();
    for (const c10::IValue& item : value.toListRef()) WriteConstant(item, *list->add_items());
  } else if (value.isTuple()) {
    auto* tuple = out.mutable_tuple();
    for (const auto& item : value.toTupleRef().elements()) WriteConstant(item, *tuple->add_items());
  } else if (value.isCustomClass()) {
    if (!WritePacked(value, *out.mutable_packed())) out.set_other(value.type()->str());
  } else {
    out.set_other(value.type()->str());
  }
}

class GraphWriter {
 public:
  explicit GraphWriter(jit::Module module) : module_(std::move(module)) {}

  void Write(const jit::Graph& graph, torchscript::Graph& out) {
    out.set_producer(std::string("libtorch ") + TORCH_VERSION);
    // The module itself is no input for the importer.
    const jit::Value* self = graph.inputs()[0];
    WriteBlock(*graph.block(), self, *out.mutable_block());
  }

 private:
  // Ids count up in the order of the definitions.
  void Define(const jit::Value* value, torchscript::Value& out) {
    const auto id = static_cast<uint32_t>(ids_.size());
    ids_[value] = id;
    out.set_id(id);
    out.set_name(value->debugName());
    out.set_type(value->type()->annotation_str());
  }

  void WriteBlock(const jit::Block& block, const jit::Value* self, torchscript::Block& out) {
    for (const jit::Value* input : block.inputs()) {
      if (input == self) {
        attributes_[input] = module_._ivalue();
      } else {
        Define(input, *out.add_inputs());
      }
    }
    for (const jit::Node* node : block.nodes()) WriteNode(*node, out);
    for (const jit::Value* output : block.outputs()) out.add_outputs(ids_.at(output));
  }

  void WriteNode(const jit::Node& node, torchscript::Block& block) {
    // Attributes that freezing left: submodules are looked into, values are constants.
    if (node.kind() == c10::prim::GetAttr && attributes_.count(node.input()) > 0) {
      const c10::IValue value =
          attributes_.at(node.input()).toObjectRef().getAttr(node.s(c10::attr::name));
      if (value.isModule()) {
        attributes_[node.output()] = value;
        return;
      }
      torchscript::Node& constant = *block.add_nodes();
      constant.set_kind("prim::Constant");
      WriteConstant(value, *constant.mutable_constant());
      Define(node.output(), *constant.add_outputs());
      return;
    }
    torchscript::Node& out = *block.add_nodes();
    out.set_kind(node.kind().toQualString());
    for (const jit::Value* input : node.inputs()) {
      if (const auto id = ids_.find(input); id != ids_.end()) out.add_inputs(id->second);
    }
    for (const jit::Block* inner : node.blocks()) WriteBlock(*inner, nullptr, *out.add_blocks());
    for (const jit::Value* output : node.outputs()) Define(output, *out.add_outputs());
    if (node.kind() == c10::prim::Constant) {
      WriteConstant(jit::toIValue(node.output()).value_or(c10::IValue()), *out.mutable_constant());
    }
    out.set_module(ModuleOf(node));
  }

  static std::string ModuleOf(const jit::Node& node) {
    std::string path;
    if (!node.callstack().has_value()) return path;
    for (const auto& call : (*node.callstack())->vec()) {
      const auto& instance = std::get<2>(call);
      // A call of the module's own methods has no name of its own.
      if (!instance.has_value() || instance->instance_name() == "SELF") continue;
      path += (path.empty() ? "" : ".") + instance->instance_name();
    }
    return path;
  }

  const jit::Module module_;
  std::unordered_map<const jit::Value*, uint32_t> ids_;
  std::unordered_map<const jit::Value*, c10::IValue> attributes_;  // modules
};

// Folding may execute what a hostile module says: bounded by these.
void LimitResources() {
  constexpr rlim_t kSeconds = 600;
  constexpr rlim_t kBytes = rlim_t{16} << 30;
  const rlimit cpu{kSeconds, kSeconds}, memory{kBytes, kBytes}, core{0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_DATA, &memory);
  setrlimit(RLIMIT_CORE, &core);
}

void Read(const std::string& path, torchscript::Graph& out) {
  // The one engine for quantized weights that Debian's libtorch has for every layer.
  at::globalContext().setQEngine(at::QEngine::QNNPACK);
  jit::Module module = jit::load(path, torch::kCPU);
  module.eval();
  const jit::Module frozen = jit::freeze_module(module);
  const std::shared_ptr<jit::Graph> graph = frozen.get_method("forward").graph();
  jit::Inline(*graph);
  GraphWriter(frozen).Write(*graph, out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("synap_torchscript_reader MODEL OUT\n", stderr);
    return 2;
  }
  LimitResources();
  torchscript::Graph graph;
  try {
    Read(argv[1], graph);
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::ofstream file(argv[2], std::ios::binary);
  if (!graph.SerializeToOstream(&file) || !file.flush()) {
    std::fputs("can't write the graph\n", stderr);
    return 1;
  }
  // Not through libtorch's destructors, which take longer than everything before.
  std::_Exit(0);
}
