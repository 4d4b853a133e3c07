// Options of all synap_cli* programs that select the model and its threads.
#ifndef RUNTIME_CLI_MODEL_OPTIONS_H_
#define RUNTIME_CLI_MODEL_OPTIONS_H_

#include <iosfwd>
#include <string>

#include "runtime/cli/arg_parser.h"
#include "synap/network.hpp"

namespace synap_internal {

class ModelOptions {
 public:
  // Declares -m, --nb, --meta and --threads. `parser` and *this must live until
  // everything is parsed.
  void Declare(ArgParser& parser);

  // Finds the model that the options name; without options ./model.synap, else
  // ./model.nb and ./model.json. False, with a message to `err`, if options
  // contradict each other or there is no model.
  bool Resolve(std::ostream& err);

  // The model's file, after Resolve().
  const std::string& model() const { return model_; }

  // Loads the model with the given number of threads. The network logs errors.
  bool Load(synaptics::synap::Network& network) const;

 private:
  std::string model_;
  std::string nb_;
  std::string meta_;
  int threads_ = 0;
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_MODEL_OPTIONS_H_
