// Neural network: loads a model and runs it.
//
//   Network net;
//   net.load_model("model.synap");
//   net.inputs[0].assign(data.data(), data.size());
//   net.predict();
//   use(net.outputs[0].as_float(), net.outputs[0].item_count());
#ifndef SYNAP_NETWORK_HPP_
#define SYNAP_NETWORK_HPP_

#include <cstddef>
#include <memory>
#include <string>

#include "synap/tensors.hpp"

namespace synaptics::synap {

// A network that runs on the emulated NPU, with the same bits on every machine.
// Not thread-safe; different networks may run at the same time. Can be moved, not
// copied; its tensors move with it. Methods that fail return false and log an
// error; none throws an exception.
//
// Networks share the threads of the process (threads.hpp). Results don't depend on their number.
// After the first predict(), another one allocates nothing and looks up no memory again, unless a
// buffer has changed or the layers are measured.
class Network {
 public:
  Network();
  Network(Network&& rhs) noexcept;
  Network& operator=(Network&& rhs) noexcept;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  // Loads a model, after it has released the previous one. model_file is a .synap
  // file, which is read into memory, with an empty meta_file; or a .nb file, with
  // the .json of the same conversion as meta_file. Networks whose inputs, outputs
  // and arena need more than 64 GiB are refused.
  bool load_model(const std::string& model_file, const std::string& meta_file = "");

  // The same from memory, which the caller may free afterwards. meta_data: null
  // for .synap data, the text of the .json for .nb data.
  bool load_model(const void* model_data, size_t model_size, const char* meta_data = nullptr);

  // Runs the network on the data of the input tensors and stores the results in
  // the output tensors. False if no model is loaded, a tensor has no usable buffer,
  // less memory is available than the first run needs, or another process has locked
  // the NPU (Npu). Inputs that no layer reads need no memory.
  bool predict();

  // Sets whether models that are loaded from now on measure their layers; false by default, when
  // only those do that were converted with --profiling.
  void set_profiling(bool on) { profiling_ = on; }
  // The times of the layers in the last predict(), as text (network_profile.h specifies it).
  // Empty if the model doesn't measure, and before its first predict().
  std::string profile() const;

  // Empty until a model is loaded. The tensors live as long as the model.
  Tensors inputs;
  Tensors outputs;

 private:
  struct Private;
  std::unique_ptr<Private> d_;
  bool profiling_ = false;
};

}  // namespace synaptics::synap

#endif  // SYNAP_NETWORK_HPP_
