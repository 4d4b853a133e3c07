#include "runtime/cli/model_options.h"

#include <unistd.h>

#include <ostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "synap/target.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

void ModelOptions::Declare(ArgParser& parser) {
  const bool is_first = suffix_.empty();
  parser.String(
      "-m" + suffix_, "file",
      is_first ? "Model (.synap, or .nb with --meta)" : "Model that reads the first one's outputs",
      &model_);
  parser.String("--nb" + suffix_, "file", absl::StrCat("Deprecated, use -m", suffix_), &nb_);
  parser.String("--meta" + suffix_, "file", "Metadata (.json) of a model that is no .synap",
                &meta_);
  if (is_first) {
    parser.Int("--threads", "Threads to run on, 0: $SYNAP_NUM_THREADS, else one for each processor",
               0, &threads_);
    parser.String("--target", "name",
                  "Refuse models for other chips than this one; default: $SYNAP_TARGET, else none",
                  &target_);
  }
}

bool ModelOptions::Resolve(std::ostream& err) {
  if (!model_.empty() && !nb_.empty()) {
    err << "Options -m" << suffix_ << " and --nb" << suffix_
        << " are both given, expected one; use -m" << suffix_ << "\n";
    return false;
  }
  if (model_.empty()) model_ = nb_;
  if (model_.empty() && !meta_.empty()) {
    err << "Option --meta" << suffix_ << " is given without -m" << suffix_
        << ", expected the model of the metadata\n";
    return false;
  }
  if (model_.empty() && !ResolveDefault(err)) return false;
  const bool is_bundle = absl::EndsWith(model_, ".synap");
  if (is_bundle == meta_.empty()) return true;
  err << model_ << (is_bundle ? ": a .synap file goes without --meta" : ": this model needs --meta")
      << suffix_ << "\n";
  return false;
}

bool ModelOptions::ResolveDefault(std::ostream& err) {
  if (!suffix_.empty()) {
    err << "No model " << suffix_ << ": give one with -m" << suffix_ << "\n";
    return false;
  }
  if (Exists("model.synap")) {
    model_ = "model.synap";
  } else if (Exists("model.nb") && Exists("model.json")) {
    model_ = "model.nb";
    meta_ = "model.json";
  } else {
    err << "No model: this folder has no model.synap; give a model with -m\n";
    return false;
  }
  return true;
}

bool ModelOptions::Apply() const {
  if (!suffix_.empty()) return true;
  return synaptics::synap::set_thread_count(threads_) && synaptics::synap::set_target(target_);
}

bool ModelOptions::Load(synaptics::synap::Network& network) const {
  return network.load_model(model_, meta_);
}

absl::StatusOr<ModelOptions::Content> ModelOptions::Read() const {
  Content content;
  ASSIGN_OR_RETURN(content.model, ReadFile(model_));
  if (!meta_.empty()) {
    ASSIGN_OR_RETURN(content.meta, ReadFile(meta_));
  }
  return content;
}

bool ModelOptions::Load(const Content& content, synaptics::synap::Network& network) const {
  return network.load_model(content.model.data(), content.model.size(),
                            meta_.empty() ? nullptr : content.meta.c_str());
}

}  // namespace synap_internal
