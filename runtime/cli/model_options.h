// Options of all synap_cli* programs that select a model and its threads.
#ifndef RUNTIME_CLI_MODEL_OPTIONS_H_
#define RUNTIME_CLI_MODEL_OPTIONS_H_

#include <iosfwd>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/cli/arg_parser.h"
#include "synap/network.hpp"

namespace synap_internal {

class ModelOptions {
 public:
  // `suffix` ends the options' names: "2" for the second network of a program, which has no default
  // model and runs on the first one's threads.
  explicit ModelOptions(absl::string_view suffix = "") : suffix_(suffix) {}

  // Declares -m, --nb, --meta and, without a suffix, --threads and --target. `parser` and *this
  // must live until everything is parsed.
  void Declare(ArgParser& parser);

  // Finds the model that the options name; without options ./model.synap, else
  // ./model.nb and ./model.json. False, with a message to `err`, if options
  // contradict each other or there is no model.
  bool Resolve(std::ostream& err);

  // The model's file, after Resolve().
  const std::string& model() const { return model_; }
  // Its metadata, "" for a .synap file.
  const std::string& meta() const { return meta_; }

  // Sets the threads and the target of networks that are loaded afterwards, if these are the
  // options of the first model. False, with an error logged, for a number of threads that can't be.
  bool Apply() const;

  // Loads the model. The network logs errors. Any thread.
  bool Load(synaptics::synap::Network& network) const;

  // The same in two steps: the content of the files, and the network made from it.
  struct Content {
    std::string model;
    std::string meta;
  };
  absl::StatusOr<Content> Read() const;
  bool Load(const Content& content, synaptics::synap::Network& network) const;

 private:
  bool ResolveDefault(std::ostream& err);

  const std::string suffix_;
  std::string model_;
  std::string nb_;
  std::string meta_;
  int threads_ = 0;
  std::string target_;
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_MODEL_OPTIONS_H_
