// synap_torchscript_reader MODEL OUT: writes the graph of a TorchScript module's
// forward(), inlined and frozen, to OUT, as script_graph.proto has it. On failure
// one line on stderr, and 1; where the module needs operators that this libtorch lacks, the
// release of libtorch and these, a line each, and 4. Nothing but MODEL and OUT is opened once
// libtorch runs code of the module.
//
// The only program that links libtorch. What an operator means is none of its
// business: the importer decides that.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/native/quantized/PackedParams.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <torch/library.h>
#include <torch/script.h>
#include <torch/version.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "caffe2/serialize/inline_container.h"
#include "caffe2/serialize/read_adapter_interface.h"
#include "compiler/import/torchscript/newer_operators.h"
#include "compiler/import/torchscript/node_places.h"
#include "compiler/import/torchscript/sandbox.h"
#include "compiler/import/torchscript/script_graph.pb.h"
#include "torch/csrc/jit/frontend/error_report.h"
#include "torch/csrc/jit/ir/constants.h"
#include "torch/csrc/jit/ir/ir.h"
#include "torch/csrc/jit/passes/freeze_module.h"
#include "torch/csrc/jit/passes/inliner.h"
#include "torch/csrc/jit/serialization/import_read.h"

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

// Operators of PyTorch that are newer than the oldest libtorch that this is built with.
TORCH_LIBRARY_FRAGMENT(aten, library) {
  constexpr std::pair<const char*, const char*> kSchemas[] = {
      {"scaled_dot_product_attention",
       "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, "
       "Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, "
       "float? scale=None, bool enable_gqa=False) -> Tensor"},
      {"rms_norm",
       "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) "
       "-> Tensor"},
      {"squeeze", "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)"},
      {"all", "all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"},
      {"any", "any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"},
  };
  for (const auto& [name, schema] : kSchemas) {
    const std::string text = schema, whole = text.substr(0, text.find('('));
    const size_t dot = whole.find('.');
    const c10::OperatorName op(std::string("aten::") + name,
                               dot == std::string::npos ? "" : whole.substr(dot + 1));
    if (!c10::Dispatcher::singleton().findSchema(op).has_value()) library.def(schema);
  }
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
  if (given.is_complex() && given.layout() == at::kStrided) {
    WriteTensor(at::view_as_real(given.detach().cpu().resolve_conj().resolve_neg()), out);
    out.set_complex(true);
    return;
  }
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
  } else if (value.isComplexDouble()) {
    WriteTensor(at::scalar_tensor(value.toComplexDouble(), at::kComplexDouble),
                *out.mutable_tensor());
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
  // `loaded`: the module before it was frozen.
  GraphWriter(const jit::Module& loaded, jit::Module frozen)
      : places_(loaded), module_(std::move(frozen)) {}

  // `examples`: of the inputs, as far as the file has some.
  void Write(const jit::Graph& graph, const std::vector<at::Tensor>& examples,
             torchscript::Graph& out) {
    out.set_producer(std::string("libtorch ") + TORCH_VERSION);
    // The module itself isn't an input for the importer.
    attributes_[graph.inputs()[0]] = module_._ivalue();
    torchscript::Block& block = *out.mutable_block();
    for (size_t i = 1; i < graph.inputs().size(); ++i) {
      torchscript::Value& input = *block.add_inputs();
      Define(graph.inputs()[i], input);
      if (i <= examples.size() && examples[i - 1].defined()) Describe(examples[i - 1], input);
    }
    WriteAttributes(*graph.block(), block);
    WriteNodes(*graph.block(), block);
  }

 private:
  // Ids count up in the order of the definitions.
  void Define(const jit::Value* value, torchscript::Value& out) {
    const uint32_t id = next_id_++;
    ids_[value] = id;
    out.set_id(id);
    out.set_name(value->debugName());
    out.set_type(value->type()->annotation_str());
  }

  static void Describe(const at::Tensor& example, torchscript::Value& out) {
    out.set_element_type(TypeOf(example.scalar_type()));
    out.mutable_traced();
    for (const int64_t dim : example.sizes()) out.mutable_traced()->add_dims(dim);
  }

  // Attributes that freezing left: submodules are looked into, each of the others becomes one
  // value before all nodes, wherever it is read, so that changes in place are seen as such.
  void WriteAttributes(const jit::Block& block, torchscript::Block& out) {
    for (const jit::Node* node : block.nodes()) {
      if (node->kind() == c10::prim::SetAttr) {
        throw std::runtime_error("forward() sets the attribute '" + node->s(c10::attr::name) +
                                 "', which the next call would see: that is not supported");
      }
      if (IsAttribute(*node)) WriteAttribute(*node, out);
      for (const jit::Block* inner : node->blocks()) WriteAttributes(*inner, out);
    }
  }

  bool IsAttribute(const jit::Node& node) const {
    return node.kind() == c10::prim::GetAttr && attributes_.count(node.input()) > 0;
  }

  void WriteAttribute(const jit::Node& node, torchscript::Block& out) {
    const auto object = attributes_.at(node.input()).toObject();
    const std::string& name = node.s(c10::attr::name);
    const c10::IValue value = object->getAttr(name);
    if (value.isModule()) {
      attributes_[node.output()] = value;
      return;
    }
    const auto [known, is_new] = attribute_ids_.try_emplace({object.get(), name}, next_id_);
    if (!is_new) {
      ids_[node.output()] = known->second;
      return;
    }
    torchscript::Node& attribute = *out.add_nodes();
    attribute.set_kind(node.kind().toQualString());
    WriteConstant(value, *attribute.mutable_constant());
    Define(node.output(), *attribute.add_outputs());
  }

  void WriteNodes(const jit::Block& block, torchscript::Block& out) {
    for (const jit::Node* node : block.nodes()) {
      if (!IsAttribute(*node)) WriteNode(*node, out);
    }
    for (const jit::Value* output : block.outputs()) out.add_outputs(IdOf(output, "the result"));
  }

  void WriteNode(const jit::Node& node, torchscript::Block& block) {
    torchscript::Node& out = *block.add_nodes();
    out.set_kind(KindOf(node));
    const std::string label = node.outputs().empty() ? out.kind()
                                                     : "node '" + node.outputs()[0]->debugName() +
                                                           "' (" + out.kind() + ")";
    for (const jit::Value* input : node.inputs()) out.add_inputs(IdOf(input, label));
    for (const jit::Block* inner : node.blocks()) {
      torchscript::Block& to = *out.add_blocks();
      for (const jit::Value* input : inner->inputs()) Define(input, *to.add_inputs());
      WriteNodes(*inner, to);
    }
    for (const jit::Value* output : node.outputs()) Define(output, *out.add_outputs());
    if (node.kind() == c10::prim::Constant) {
      WriteConstant(jit::toIValue(node.output()).value_or(c10::IValue()), *out.mutable_constant());
    }
    out.set_module(places_.ModuleOf(node));
    out.set_source(places_.SourceOf(node));
  }

  uint32_t IdOf(const jit::Value* value, const std::string& reader) const {
    if (const auto id = ids_.find(value); id != ids_.end()) return id->second;
    throw std::runtime_error(reader + " reads the object '" + value->debugName() + "' (" +
                             value->type()->annotation_str() +
                             ") itself, supported are its attributes");
  }

  // With ".out" if it writes to an argument that is there for its results, and with ".list" if it
  // sorts a list in its place, unlike the operator on tensors.
  static std::string KindOf(const jit::Node& node) {
    const std::string kind = node.kind().toQualString();
    if (node.kind() == c10::aten::sort && node.outputs().empty()) return kind + ".list";
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (schema == nullptr) return kind;
    for (const c10::Argument& argument : schema->arguments()) {
      if (argument.is_out()) return kind + ".out";
    }
    return kind;
  }

  const synap_internal::torchscript_import::NodePlaces places_;
  const jit::Module module_;
  uint32_t next_id_ = 0;
  std::unordered_map<const jit::Value*, uint32_t> ids_;
  std::map<std::pair<const void*, std::string>, uint32_t> attribute_ids_;  // by object and name
  std::unordered_map<const jit::Value*, c10::IValue> attributes_;          // modules
};

// A file that is open, so that libtorch needn't open it.
class OpenFile : public caffe2::serialize::ReadAdapterInterface {
 public:
  OpenFile(int descriptor, size_t size) : descriptor_(descriptor), size_(size) {}

  size_t size() const override { return size_; }
  size_t read(uint64_t position, void* to, size_t count, const char*) const override {
    size_t done = 0;
    while (done < count) {
      const ssize_t got = pread(descriptor_, static_cast<char*>(to) + done, count - done,
                                static_cast<off_t>(position + done));
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

 private:
  const int descriptor_;
  const size_t size_;
};

// Weights are in memory several times: as loaded, as frozen, as packed for quantized layers and in
// the graph that is written (0.6 GB of data for a file of 0.2 GB). Compressed files hold more than
// their size. The constant is for libtorch itself and for constants that are folded.
rlim_t MemoryLimit(size_t model_bytes) { return (rlim_t{1} << 30) + rlim_t{12} * model_bytes; }

// Folding may execute code of a hostile module; these limits and the sandbox bound it. The reader
// ends with the process that started it.
void LimitResources(size_t model_bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlim_t kSeconds = 600;
  const rlim_t bytes = MemoryLimit(model_bytes);
  const rlimit cpu{kSeconds, kSeconds}, memory{bytes, bytes}, core{0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_DATA, &memory);
  setrlimit(RLIMIT_CORE, &core);
}

// What libtorch reads of the machine when it is first used: afterwards it can't.
void PrepareLibtorch() {
  // A thread's stack counts as memory, and the graph is the same.
  at::set_num_threads(1);
  // The one engine for quantized weights that Debian's libtorch has for every layer. It looks at
  // the processor once.
  at::globalContext().setQEngine(at::QEngine::QNNPACK);
  using Packed = c10::intrusive_ptr<LinearPackedParamsBase>;
  const auto pack = c10::Dispatcher::singleton()
                        .findSchemaOrThrow("quantized::linear_prepack", "")
                        .typed<Packed(at::Tensor, c10::optional<at::Tensor>)>();
  const at::Tensor weight = at::quantize_per_tensor(at::zeros({1, 1}), 1.0, 0, at::kQInt8);
  const c10::optional<at::Tensor> bias(at::zeros({1}));
  pack.call(weight, bias);
}

// The tensors that forward() was traced with, by its inputs: undefined for those that aren't
// tensors. Empty for scripted modules, and where the file has something else there.
std::vector<at::Tensor> ReadExamples(const std::shared_ptr<OpenFile>& file) {
  std::vector<at::Tensor> examples;
  try {
    caffe2::serialize::PyTorchStreamReader archive(file);
    if (!archive.hasRecord("traced_inputs.pkl")) return examples;
    const c10::IValue all = jit::readArchiveAndTensors(
        "traced_inputs", "", "traced_inputs/", c10::nullopt, c10::nullopt, torch::kCPU, archive);
    if (!all.isGenericDict()) return examples;
    const auto methods = all.toGenericDict();
    const auto forward = methods.find("forward");
    if (forward == methods.end() || !forward->value().isList()) return examples;
    for (const c10::IValue& input : forward->value().toListRef()) {
      examples.push_back(input.isTensor() ? input.toTensor() : at::Tensor());
    }
  } catch (const std::exception&) {
    examples.clear();
  }
  return examples;
}

void Read(std::shared_ptr<OpenFile> file, torchscript::Graph& out) {
  const std::vector<at::Tensor> examples = ReadExamples(file);
  jit::Module module = jit::load(std::move(file), torch::kCPU);
  module.eval();
  const jit::Module frozen = jit::freeze_module(module);
  const std::shared_ptr<jit::Graph> graph = frozen.get_method("forward").graph();
  jit::Inline(*graph);
  GraphWriter(module, frozen).Write(*graph, examples, out);
}

// Whether there are some, which are written to stderr then.
bool WriteUnknownOperators(const std::shared_ptr<OpenFile>& file) {
  std::string lines = TORCH_VERSION;
  try {
    caffe2::serialize::PyTorchStreamReader archive(file);
    const auto unknown = synap_internal::torchscript_import::FindUnknownOperators(archive);
    if (unknown.empty()) return false;
    for (const std::string& op : unknown) lines += "\n" + op;
  } catch (const std::exception&) {
    return false;
  }
  std::fprintf(stderr, "%s\n", lines.c_str());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("synap_torchscript_reader MODEL OUT\n", stderr);
    return 2;
  }
  const int model = open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (model < 0 || fstat(model, &status) != 0) {
    std::fputs("can't open the module\n", stderr);
    return 1;
  }
  const auto model_bytes = static_cast<size_t>(status.st_size);
  LimitResources(model_bytes);
  const int file = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    std::fputs("can't create the file for the graph\n", stderr);
    return 1;
  }
  torchscript::Graph graph;
  const auto module = std::make_shared<OpenFile>(model, model_bytes);
  try {
    PrepareLibtorch();
    if (!synap_internal::torchscript_import::EnterSandbox()) {
      std::fputs("the kernel has no seccomp filters, without which modules aren't loaded\n",
                 stderr);
      return 1;
    }
    Read(module, graph);
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());
    return 1;
  } catch (const jit::ErrorReport& error) {
    // Of code that libtorch can't compile.
    constexpr int kUnknownOperators = 4;
    if (WriteUnknownOperators(module)) return kUnknownOperators;
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  if (!graph.SerializeToFileDescriptor(file)) {
    std::fputs("can't write the graph\n", stderr);
    return 1;
  }
  // Not through libtorch's destructors, which take longer than everything before.
  std::_Exit(0);
}
