#include "synap/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/available_memory.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "runtime/api/emulated_target.h"
#include "runtime/api/logging.h"
#include "runtime/api/network_profile.h"
#include "runtime/api/network_threads.h"
#include "runtime/api/no_throw.h"
#include "runtime/api/npu_lock.h"
#include "runtime/api/secure_buffers.h"
#include "runtime/api/statistics.h"
#include "runtime/api/subgraph_lanes.h"
#include "runtime/api/tensor_private.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/delegate_text.h"
#include "runtime/bundle/narrow_inputs.h"
#include "runtime/bundle/programs.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::Bundle;
using ::synap_internal::BundleEdge;
using ::synap_internal::BundleSubgraph;
using ::synap_internal::CheckNarrow;
using ::synap_internal::DelegateText;
using ::synap_internal::Executor;
using ::synap_internal::kMaxNetworkBytes;
using ::synap_internal::NoThrow;
using ::synap_internal::ParseDelegateText;
using ::synap_internal::SizeOfData;
using ::synap_internal::TensorMetadata;
using ::synap_internal::ThreadPool;

bool DoOverlap(const void* a, size_t a_size, const void* b, size_t b_size) {
  const auto a0 = reinterpret_cast<uintptr_t>(a);
  const auto b0 = reinterpret_cast<uintptr_t>(b);
  return a0 < b0 + b_size && b0 < a0 + a_size;
}

// Whether no output shares memory with another tensor; else an error is logged. REQUIRES:
// FindData() of all; inputs that aren't read have none.
bool HasSeparateOutputs(const Tensors& in, const Tensors& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const auto shares = [&](const Tensor& other) {
      return other.priv()->found_data != nullptr &&
             DoOverlap(out[i].priv()->found_data, out[i].size(), other.priv()->found_data,
                       other.size());
    };
    if (std::any_of(in.begin(), in.end(), shares) ||
        std::any_of(out.begin(), out.begin() + static_cast<ptrdiff_t>(i), shares)) {
      SYNAP_LOG(kError, "output '", out[i].name(),
                "' shares memory with another tensor, expected a separate buffer");
      return false;
    }
  }
  return true;
}

}  // namespace

// Members are destroyed in reverse order: executors refer to the bundle.
struct Network::Private {
  // Destination of a subgraph's output: an output tensor of the network if it is
  // one (the first of several), else memory that the network owns.
  struct Value {
    const TensorMetadata* metadata = nullptr;
    int network_output = -1;
    Buffer buffer;
    void* data = nullptr;  // of the last Bind
  };

  // Where a subgraph reads and writes, of the last Bind.
  struct Addresses {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  Bundle bundle;
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::vector<Value>> values;  // [subgraph][output]
  std::unique_ptr<::synap_internal::SubgraphLanes> lanes;
  std::vector<Addresses> addresses;  // [subgraph]
  std::vector<bool> narrow_inputs;   // NarrowInputs
  std::vector<bool> read_inputs;     // FindReadInputs
  bool is_bound = false;             // whether `addresses` are those of the tensors

  bool profiling = false;
  RunCounters counters;
  std::unique_ptr<::synap_internal::NetworkStatistics> statistics;
  uint64_t arena_bytes = 0;  // of all subgraphs; filled by the first run

  static void Dispose(Network* network);
  static absl::Status Replace(Network* network, absl::StatusOr<Bundle> bundle);
  static bool LoadFile(Network* network, const std::string& model_file,
                       const std::string& meta_file);
  static bool LoadMemory(Network* network, absl::Span<const uint8_t> bytes, const char* meta_data);

  absl::Status Load(Bundle loaded, Tensors* in, Tensors* out);
  absl::Status MakeExecutors(std::vector<::synap_internal::Program> programs);
  using MadeTensors = std::vector<std::unique_ptr<Tensor::Private>>;
  absl::StatusOr<MadeTensors> MakeInputs() const;
  absl::StatusOr<MadeTensors> MakeOutputs();
  static std::vector<Tensor> ToTensors(MadeTensors made);
  uint64_t InnerBytes() const;
  uint64_t MissingBytes(const Tensors& in, const Tensors& out) const;
  absl::Status CheckMemory(const Tensors& in, const Tensors& out) const;
  bool HasMemory(const Tensors& in, const Tensors& out) const;
  bool Bind(Tensors* in, Tensors* out);
  bool Rebind(Tensors* in, Tensors* out);
  bool TakeInputs(const Tensors& in) const;
  void Run(Tensors* out);
  bool Predict(Tensors* in, Tensors* out);
  size_t Layers() const;
  std::string Table() const;
  std::string Profile() const;

  Value& At(const BundleEdge& edge) {
    return values[static_cast<size_t>(edge.subgraph)][static_cast<size_t>(edge.index)];
  }
};

absl::StatusOr<Network::Private::MadeTensors> Network::Private::MakeInputs() const {
  MadeTensors tensors;
  for (const TensorMetadata* metadata : ::synap_internal::InputMetadata(bundle)) {
    ASSIGN_OR_RETURN(tensors.emplace_back(), Tensor::Private::Make(*metadata, true));
  }
  return tensors;
}

absl::StatusOr<Network::Private::MadeTensors> Network::Private::MakeOutputs() {
  MadeTensors tensors;
  for (size_t i = 0; i < bundle.outputs.size(); ++i) {
    const BundleEdge& edge = bundle.outputs[i];
    ASSIGN_OR_RETURN(tensors.emplace_back(),
                     Tensor::Private::Make(::synap_internal::OutputMetadata(bundle, edge), false));
    Value& value = At(edge);
    if (value.network_output < 0) value.network_output = static_cast<int>(i);
  }
  return tensors;
}

// The vector gets its elements when it is made: a Tensor can't be moved.
std::vector<Tensor> Network::Private::ToTensors(MadeTensors made) {
  return {std::make_move_iterator(made.begin()), std::make_move_iterator(made.end())};
}

// Bytes of the values that subgraphs pass on and that are no outputs of the network.
uint64_t Network::Private::InnerBytes() const {
  uint64_t bytes = 0;
  for (const std::vector<Value>& subgraph : values) {
    for (const Value& value : subgraph) {
      if (value.network_output < 0) bytes += SizeOfData(*value.metadata);
    }
  }
  return bytes;
}

// A few kilobytes can declare thousands of tensors of gigabytes: their sum is checked before any
// of them is allocated.
absl::Status Network::Private::CheckMemory(const Tensors& in, const Tensors& out) const {
  uint64_t bytes = arena_bytes + InnerBytes();
  for (const Tensors* tensors : {&in, &out}) {
    for (const Tensor& tensor : *tensors) bytes += tensor.size();
  }
  if (bytes <= kMaxNetworkBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("its ", in.size(), " inputs, ", out.size(), " outputs and arena need ",
                   ::synap_internal::MemorySizeText(bytes), ", expected at most ",
                   ::synap_internal::MemorySizeText(kMaxNetworkBytes)));
}

// Bytes of the tensors that have no memory yet and need some to run.
uint64_t Network::Private::MissingBytes(const Tensors& in, const Tensors& out) const {
  const auto missing = [](const Tensor& tensor) -> uint64_t {
    const Buffer* buffer = tensor.priv()->buffer;
    return buffer != nullptr && buffer->size() == 0 ? tensor.size() : 0;
  };
  uint64_t bytes = 0;
  for (size_t i = 0; i < in.size(); ++i) bytes += read_inputs[i] ? missing(in[i]) : 0;
  for (const Tensor& tensor : out) bytes += missing(tensor);
  return bytes;
}

// Whether the memory that the first run needs is available: the arena, and the tensors' that have
// none yet.
bool Network::Private::HasMemory(const Tensors& in, const Tensors& out) const {
  if (counters.runs > 0) return true;
  const uint64_t bytes = arena_bytes + InnerBytes() + MissingBytes(in, out);
  if (::synap_internal::IsAvailable(bytes)) return true;
  SYNAP_LOG(
      kError, "the network needs ", ::synap_internal::MemorySizeText(bytes),
      " of memory, but only ",
      ::synap_internal::MemorySizeText(static_cast<uint64_t>(::synap_internal::AvailableMemory())),
      " are available");
  return false;
}

absl::Status Network::Private::Load(Bundle loaded, Tensors* in, Tensors* out) {
  bundle = std::move(loaded);
  ASSIGN_OR_RETURN(std::vector<::synap_internal::Program> programs,
                   ::synap_internal::ReadPrograms(bundle));
  for (const ::synap_internal::Program& program : programs) {
    RETURN_IF_ERROR(::synap_internal::CheckTarget(program));
    arena_bytes += program.arena_bytes;
  }
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    values.emplace_back(subgraph.metadata.outputs.size());
    for (size_t i = 0; i < values.back().size(); ++i) {
      values.back()[i].metadata = &subgraph.metadata.outputs[i];
    }
  }
  Tensors made_inputs, made_outputs;
  ASSIGN_OR_RETURN(MadeTensors input_tensors, MakeInputs());
  ASSIGN_OR_RETURN(MadeTensors output_tensors, MakeOutputs());
  made_inputs.tensors_ = ToTensors(std::move(input_tensors));
  made_outputs.tensors_ = ToTensors(std::move(output_tensors));
  RETURN_IF_ERROR(CheckMemory(made_inputs, made_outputs));
  narrow_inputs = ::synap_internal::NarrowInputs(bundle, programs);
  read_inputs = ::synap_internal::FindReadInputs(bundle, programs);
  RETURN_IF_ERROR(MakeExecutors(std::move(programs)));
  static std::atomic<int64_t> loaded_networks{0};
  counters.id = ++loaded_networks;
  for (const Tensors* tensors : {&made_inputs, &made_outputs}) {
    counters.buffers += tensors->size();
    for (const Tensor& tensor : *tensors) counters.buffer_bytes += tensor.size();
  }
  statistics = std::make_unique<::synap_internal::NetworkStatistics>(counters, Layers());
  *in = std::move(made_inputs);  // last: nothing fails afterwards
  *out = std::move(made_outputs);
  return absl::OkStatus();
}

absl::Status Network::Private::MakeExecutors(std::vector<::synap_internal::Program> programs) {
  ::synap_internal::ExecutorOptions options;
  options.pool = ::synap_internal::ThreadsOfNetworks();
  options.profile = profiling;
  const std::shared_ptr<ThreadPool> all_threads = options.pool;
  for (size_t s = 0; s < programs.size(); ++s) {
    ASSIGN_OR_RETURN(const DelegateText delegate,
                     ParseDelegateText(bundle.subgraphs[s].metadata.delegate));
    const bool is_limited = delegate.threads > 0 && delegate.threads < all_threads->threads();
    options.pool = is_limited ? ThreadPool::OfProcess(delegate.threads) : all_threads;
    absl::StatusOr<std::unique_ptr<Executor>> executor =
        Executor::Create(std::move(programs[s]), options);
    if (!executor.ok()) {
      return ::synap_internal::Annotate(executor.status(), bundle.subgraphs[s].model_name);
    }
    executors.push_back(*std::move(executor));
  }
  std::vector<bool> is_long;
  for (const auto& executor : executors) {
    is_long.push_back(all_threads->threads() > 1 && ::synap_internal::IsLong(executor->program()));
  }
  lanes = std::make_unique<::synap_internal::SubgraphLanes>(bundle, is_long);
  return absl::OkStatus();
}

// Finds the memory of all tensors but inputs that aren't read, which the application may have
// changed since the last run; false, with an error logged, if some is missing or an output shares
// memory with another tensor. Allocates in the first run, and when a buffer has changed.
bool Network::Private::Bind(Tensors* in, Tensors* out) {
  bool has_moved = !std::exchange(is_bound, false);
  if (!FollowPolicies(*in, *out) || !HasMemory(*in, *out)) return false;
  for (size_t i = 0; i < in->size(); ++i) {
    Tensor::Private& d = *(*in)[i].priv();
    if (!(read_inputs[i] ? d.FindData(&has_moved) : d.HasBuffer())) return false;
  }
  for (Tensor& tensor : *out) {
    if (!tensor.priv()->FindData(&has_moved)) return false;
  }
  if (has_moved && !(HasSeparateOutputs(*in, *out) && Rebind(in, out))) return false;
  is_bound = true;
  return true;
}

bool Network::Private::Rebind(Tensors* in, Tensors* out) {
  for (std::vector<Value>& subgraph : values) {
    for (Value& value : subgraph) {
      if (value.network_output >= 0) {
        value.data = (*out)[static_cast<size_t>(value.network_output)].priv()->kernel_data;
        continue;
      }
      if (!value.buffer.resize(SizeOfData(*value.metadata))) return false;
      value.data = value.buffer.data();
    }
  }
  addresses.assign(values.size(), {});
  for (size_t s = 0; s < values.size(); ++s) {
    for (const BundleEdge& edge : bundle.subgraphs[s].inputs) {
      addresses[s].inputs.push_back(edge.subgraph == -1
                                        ? (*in)[static_cast<size_t>(edge.index)].priv()->kernel_data
                                        : At(edge).data);
    }
    for (const Value& value : values[s]) addresses[s].outputs.push_back(value.data);
  }
  return true;
}

// Copies inputs that aren't where kernels read them; false, with an error logged, if the NPU
// doesn't hold the values of one. REQUIRES: they are bound.
bool Network::Private::TakeInputs(const Tensors& in) const {
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor::Private& d = *in[i].priv();
    if (d.kernel_data != d.found_data) std::memcpy(d.kernel_data, d.found_data, d.size);
    if (!narrow_inputs[i]) continue;
    const absl::Status status =
        CheckNarrow(in[i].name(), {static_cast<const int64_t*>(d.kernel_data), in[i].item_count()});
    if (status.ok()) continue;
    SYNAP_LOG(kError, status.message());
    return false;
  }
  return true;
}

void Network::Private::Run(Tensors* out) {
  lanes->Run([&](size_t s) { executors[s]->Run(addresses[s].inputs, addresses[s].outputs); });
  // A value may be several outputs, or in a copy of a buffer that isn't aligned.
  for (size_t i = 0; i < out->size(); ++i) {
    const Value& value = At(bundle.outputs[i]);
    const Tensor::Private& d = *(*out)[i].priv();
    if (value.data != d.found_data) std::memcpy(d.found_data, value.data, d.size);
  }
}

Network::Network() = default;
Network::Network(Network&& rhs) noexcept = default;

Network& Network::operator=(Network&& rhs) noexcept {
  if (this == &rhs) return *this;  // containers of the standard library would lose their elements
  inputs = std::move(rhs.inputs);
  outputs = std::move(rhs.outputs);
  d_ = std::move(rhs.d_);
  profiling_ = rhs.profiling_;
  return *this;
}

Network::~Network() = default;

absl::Status Network::Private::Replace(Network* network, absl::StatusOr<Bundle> bundle) {
  RETURN_IF_ERROR(bundle.status());
  if (!bundle->is_verified) {
    SYNAP_LOG(kWarning,
              "the model's metadata (.json) has no 'checksum', so it can't be checked that it and "
              "the program are undamaged and belong together; convert the model again");
  }
  auto d = std::make_unique<Private>();
  d->profiling = network->profiling_ ||
                 std::any_of(bundle->subgraphs.begin(), bundle->subgraphs.end(),
                             [](const auto& subgraph) { return subgraph.metadata.profiling; });
  RETURN_IF_ERROR(d->Load(*std::move(bundle), &network->inputs, &network->outputs));
  SYNAP_LOG(kInfo, "network ", d->counters.id, " loaded: ", network->inputs.size(), " inputs, ",
            network->outputs.size(), " outputs, ", d->executors.size(), " subgraphs, arena of ",
            ::synap_internal::MemorySizeText(d->arena_bytes));
  network->d_ = std::move(d);
  return absl::OkStatus();
}

void Network::Private::Dispose(Network* network) {
  network->inputs.tensors_.clear();
  network->outputs.tensors_.clear();
  network->d_.reset();
}

bool Network::load_model(const std::string& model_file, const std::string& meta_file) {
  Private::Dispose(this);
  return NoThrow(__func__, false, [&] { return Private::LoadFile(this, model_file, meta_file); });
}

bool Network::Private::LoadFile(Network* network, const std::string& model_file,
                                const std::string& meta_file) {
  const bool is_bundle = absl::EndsWith(model_file, ".synap");
  if (is_bundle != meta_file.empty()) {
    SYNAP_LOG(kError, model_file,
              is_bundle ? ": a meta file is given for a .synap file, expected none"
                        : ": no meta file is given, expected the .json of the same conversion");
    return false;
  }
  const absl::Status status =
      Replace(network, is_bundle ? ::synap_internal::OpenBundle(model_file)
                                 : ::synap_internal::OpenModel(model_file, meta_file));
  if (status.ok()) return true;
  // Errors of the file system begin with the file's path already.
  const bool has_path = absl::StartsWith(status.message(), model_file);
  SYNAP_LOG(kError, "can't load ", has_path ? "" : model_file, has_path ? "" : ": ",
            status.message());
  return false;
}

bool Network::load_model(const void* model_data, size_t model_size, const char* meta_data) {
  Private::Dispose(this);
  const absl::Span<const uint8_t> bytes(static_cast<const uint8_t*>(model_data), model_size);
  return NoThrow(__func__, false, [&] { return Private::LoadMemory(this, bytes, meta_data); });
}

bool Network::Private::LoadMemory(Network* network, absl::Span<const uint8_t> bytes,
                                  const char* meta_data) {
  const absl::Status status =
      Replace(network, meta_data == nullptr ? ::synap_internal::ReadBundle(bytes)
                                            : ::synap_internal::ReadModel(bytes, meta_data));
  if (!status.ok()) SYNAP_LOG(kError, "can't load the model: ", status.message());
  return status.ok();
}

bool Network::predict() {
  if (d_ == nullptr) {
    SYNAP_LOG(kError, "no model is loaded; call load_model() first");
    return false;
  }
  return NoThrow(__func__, false, [&] { return d_->Predict(&inputs, &outputs); });
}

bool Network::Private::Predict(Tensors* in, Tensors* out) {
  if (!::synap_internal::MayUseNpu() || !Bind(in, out)) return false;
  const auto start = std::chrono::steady_clock::now();
  if (!TakeInputs(*in)) return false;
  Run(out);
  counters.last = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  counters.total += counters.last;
  ++counters.runs;
  statistics->AddRun(counters.last, profiling ? Table() : std::string());
  SYNAP_LOG(kVerbose, "network ", counters.id, " ran in ", counters.last.count(), " us");
  return true;
}

std::string Network::profile() const {
  return NoThrow(__func__, std::string(), [&] { return d_ == nullptr ? "" : d_->Profile(); });
}

size_t Network::Private::Layers() const {
  size_t layers = 0;
  for (const auto& executor : executors) layers += executor->program().instructions.size();
  return layers;
}

// REQUIRES: profiling.
std::string Network::Private::Table() const {
  std::vector<const Executor*> all;
  for (const int s : bundle.execution_order) all.push_back(executors[static_cast<size_t>(s)].get());
  return ProfileTable(all);
}

std::string Network::Private::Profile() const {
  if (!profiling || counters.runs == 0) return "";
  std::string text;
  AppendCountersLine(getpid(), counters, Layers(), text);
  return text + Table();
}

}  // namespace synaptics::synap
