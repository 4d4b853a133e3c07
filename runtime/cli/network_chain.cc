#include "runtime/cli/network_chain.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/bundle/network_bytes.h"
#include "synap/buffer.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Buffer;
using synaptics::synap::Dimensions;
using synaptics::synap::Layout;
using synaptics::synap::Network;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;

// "output 'y' is 12 bytes of uint8"
std::string DescribeTensor(const char* kind, const Tensor& tensor) {
  std::ostringstream text;
  text << kind << " '" << tensor.name() << "' is " << tensor.size() << " bytes of "
       << tensor.data_type();
  return text.str();
}

// Gives `from` the memory of `to`. Returns an error message, or "".
std::string Share(Tensor& from, Tensor& to, bool partial) {
  const bool fits = from.size() == to.size() || (partial && from.size() < to.size());
  if (from.data_type() != to.data_type() || !fits) {
    return absl::StrCat(
        "The networks don't fit: ", DescribeTensor("output", from), " and ",
        DescribeTensor("input", to), ", expected the same type and ",
        partial ? "at most as many bytes" : "size; with --partial an output may be smaller");
  }
  if (to.data() == nullptr) return "No memory for the inputs";
  std::memset(to.data(), 0, to.size());
  *from.buffer() = Buffer(*to.buffer(), 0, from.size());
  return from.data() == nullptr ? "No memory for the outputs" : "";
}

}  // namespace

bool NetworkChain::Predict() { return first_.predict() && (!is_pair_ || second_.predict()); }

Rect NetworkChain::ShownByLast(const Rect& shown_by_first) const {
  if (!is_pair_) return shown_by_first;
  const Dimensions made = first_.outputs[0].dimensions();
  const Dimensions shown = second_.inputs[0].dimensions();
  const bool is_upper_part = !made.empty() && made.w == shown.w && made.h < shown.h &&
                             second_.inputs[0].layout() == Layout::nhwc;
  if (!is_upper_part) return shown_by_first;
  Rect rect = shown_by_first;
  rect.size.y = static_cast<int32_t>(int64_t{rect.size.y} * shown.h / made.h);
  return rect;
}

std::string NetworkChain::Connect(bool partial) {
  is_pair_ = true;
  if (first_.outputs.size() != second_.inputs.size()) {
    return absl::StrCat("The networks don't fit: the first one has ", first_.outputs.size(),
                        " outputs and the second one ", second_.inputs.size(),
                        " inputs, expected as many");
  }
  for (size_t i = 0; i < first_.outputs.size(); ++i) {
    std::string error = Share(first_.outputs[i], second_.inputs[i], partial);
    if (!error.empty()) return error;
  }
  return "";
}

void ChainOptions::Declare(ArgParser& parser) {
  for (int i = 0; i < networks_; ++i) models_[i].Declare(parser);
  if (networks_ == 1) return;
  parser.Flag("--partial",
              "The first network's outputs may be smaller than the second one's inputs, whose rest "
              "is 0",
              &partial_);
}

bool ChainOptions::Resolve(std::ostream& err) {
  for (int i = 0; i < networks_; ++i) {
    if (!models_[i].Resolve(err)) return false;
  }
  return true;
}

uint64_t ChainOptions::Bytes() const {
  uint64_t bytes = 0;
  for (int i = 0; i < networks_; ++i) {
    bytes += EstimateNetworkBytes(models_[i].model(), models_[i].meta());
  }
  return bytes;
}

absl::Status ChainOptions::LoadChain(NetworkChain& chain, std::ostream& out) const {
  Network* const networks[2] = {&chain.first_, &chain.second_};
  for (int i = 0; i < networks_; ++i) {
    out << "Loading network: " << models_[i].model() << "\n";
    out.flush();
    if (!models_[i].Load(*networks[i])) return absl::InvalidArgumentError("Failed to load model");
  }
  const std::string error = networks_ == 1 ? "" : chain.Connect(partial_);
  return error.empty() ? absl::OkStatus() : absl::InvalidArgumentError(error);
}

std::unique_ptr<ChainCopies> ChainOptions::Load(size_t images, std::ostream& out,
                                                std::ostream& err) const {
  if (!models_[0].Apply()) {
    err << "Failed to load model\n";
    return nullptr;
  }
  // Only the first load tells what it does.
  const auto has_shown = std::make_shared<std::atomic<bool>>(false);
  absl::StatusOr<ChainCopies> copies = ChainCopies::Create(
      images, [this] { return Bytes(); },
      [this, has_shown, &out](NetworkChain& chain) {
        std::ostream nowhere(nullptr);
        return LoadChain(chain, has_shown->exchange(true) ? nowhere : out);
      });
  if (copies.ok()) return std::make_unique<ChainCopies>(*std::move(copies));
  err << copies.status().message() << "\n";
  return nullptr;
}

}  // namespace synap_internal
