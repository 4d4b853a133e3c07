// Which model a program loads, and how: options that all programs have.
#ifndef RUNTIME_CLI_MODEL_OPTIONS_H_
#define RUNTIME_CLI_MODEL_OPTIONS_H_

#include <iosfwd>
#include <string>

#include "runtime/api/network.h"
#include "runtime/cli/arg_parser.h"

namespace synap {

class ModelOptions {
 public:
  // Declares -m, --nb, --meta and --threads. `parser` and *this live until
  // everything is parsed.
  void Declare(ArgParser& parser);

  // Finds the model: what the options name; without any ./model.synap, else
  // ./model.nb and ./model.json. False, with a message to `err`, for options
  // that contradict each other and if there is nothing to load.
  bool Resolve(std::ostream& err);

  // The model's file, after Resolve().
  const std::string& model() const { return model_; }

  // Loads it with that number of threads. The network logs what goes wrong.
  bool Load(synaptics::synap::Network& network) const;

 private:
  std::string model_;
  std::string nb_;
  std::string meta_;
  int threads_ = 0;
};

}  // namespace synap

#endif  // RUNTIME_CLI_MODEL_OPTIONS_H_
