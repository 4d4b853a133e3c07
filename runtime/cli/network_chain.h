// One network, or two of which the second reads the first one's outputs.
#ifndef RUNTIME_CLI_NETWORK_CHAIN_H_
#define RUNTIME_CLI_NETWORK_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/api/network_copies.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/model_options.h"
#include "synap/network.hpp"
#include "synap/tensors.hpp"
#include "synap/types.hpp"

namespace synap_internal {

// Runs networks that share memory: nothing is copied between them. Not thread-safe.
class NetworkChain {
 public:
  // The inputs of the first network and the outputs of the last one.
  synaptics::synap::Tensors& inputs() { return first_.inputs; }
  synaptics::synap::Tensors& outputs() { return is_pair_ ? second_.outputs : first_.outputs; }

  // Runs all networks. False, with an error logged, if one fails.
  bool Predict();

  // The part of a picture that the last network's input shows, given the part that the first one's
  // shows. Both are the same unless the first network fills only the upper rows of the second one's
  // input.
  synaptics::synap::Rect ShownByLast(const synaptics::synap::Rect& shown_by_first) const;

 private:
  friend class ChainOptions;

  // Output i of the first network becomes input i of the second one: the tensors get one memory.
  // With `partial` an output may be smaller than the input, whose rest is 0. Returns an error
  // message, or "".
  std::string Connect(bool partial);

  synaptics::synap::Network second_;  // destroyed after first_, which may write into its memory
  synaptics::synap::Network first_;
  bool is_pair_ = false;
};

// Chains of the same networks, for images that are processed at the same time.
using ChainCopies = NetworkCopies<NetworkChain>;

// The models of a chain, as options.
class ChainOptions {
 public:
  // networks: 1 or 2.
  explicit ChainOptions(int networks) : networks_(networks) {}

  // Declares the options of each model, and --partial for two. `parser` and *this must live until
  // everything is parsed.
  void Declare(ArgParser& parser);

  // Finds the models; false after it has shown an error.
  bool Resolve(std::ostream& err);

  // The model whose outputs are the chain's; its folder has the labels. After Resolve().
  const std::string& last_model() const { return models_[networks_ - 1].model(); }

  // Loads as many chains as process `images` images quickest, with the options' threads, and prints
  // the networks' names; null after it has shown an error. `out` and *this must outlive the copies.
  std::unique_ptr<ChainCopies> Load(size_t images, std::ostream& out, std::ostream& err) const;

 private:
  // Estimated memory of a chain.
  uint64_t Bytes() const;

  // Loads the networks of a chain, and prints their names to `out`.
  absl::Status LoadChain(NetworkChain& chain, std::ostream& out) const;

  const int networks_;
  ModelOptions models_[2] = {ModelOptions(""), ModelOptions("2")};
  bool partial_ = false;
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_NETWORK_CHAIN_H_
