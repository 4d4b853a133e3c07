#include "runtime/cli/model_options.h"

#include <unistd.h>

#include <ostream>

#include "absl/strings/match.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

void ModelOptions::Declare(ArgParser& parser) {
  parser.String("-m", "file", "Model (.synap, or .nb with --meta)", &model_);
  parser.String("--nb", "file", "Deprecated, use -m", &nb_);
  parser.String("--meta", "file", "Metadata (.json) of a model that is no .synap", &meta_);
  parser.Int("--threads", "Threads to run on, 0: $SYNAP_NUM_THREADS, else one for each processor",
             0, &threads_);
}

bool ModelOptions::Resolve(std::ostream& err) {
  if (!model_.empty() && !nb_.empty()) {
    err << "Options -m and --nb are both given, expected one; use -m\n";
    return false;
  }
  if (model_.empty()) model_ = nb_;
  if (model_.empty() && !meta_.empty()) {
    err << "Option --meta is given without -m, expected the model of the metadata\n";
    return false;
  }
  if (model_.empty()) {
    if (Exists("model.synap")) {
      model_ = "model.synap";
    } else if (Exists("model.nb") && Exists("model.json")) {
      model_ = "model.nb";
      meta_ = "model.json";
    } else {
      err << "No model: this folder has no model.synap; give a model with -m\n";
      return false;
    }
  }
  const bool is_bundle = absl::EndsWith(model_, ".synap");
  if (is_bundle == meta_.empty()) return true;
  err << model_ << (is_bundle ? ": a .synap file goes without --meta\n" : " needs --meta\n");
  return false;
}

bool ModelOptions::Load(synaptics::synap::Network& network) const {
  return synaptics::synap::set_thread_count(threads_) && network.load_model(model_, meta_);
}

}  // namespace synap_internal
