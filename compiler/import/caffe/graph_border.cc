#include "compiler/import/caffe/graph_border.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace synap_internal::caffe_import {
namespace {

class BorderFinder {
 public:
  BorderFinder(const Network& network, const ImportOptions& options)
      : network_(network),
        options_(options),
        needed_(network.blobs.size()),
        given_(network.blobs.size()) {}

  absl::StatusOr<Border> Run() {
    RETURN_IF_ERROR(FindOutputs());
    RETURN_IF_ERROR(FindInputs());
    SelectLayers();
    if (options_.inputs.empty()) {
      DropUnneededInputs();
    } else {
      RETURN_IF_ERROR(CheckInputsSuffice());
    }
    return std::move(border_);
  }

 private:
  // A blob as it is at the end, or a layer's first top.
  absl::StatusOr<size_t> Find(absl::string_view what, const std::string& name) const {
    if (const auto it = network_.last.find(name); it != network_.last.end()) return it->second;
    for (const Layer& layer : network_.layers) {
      if (layer.param->name() == name) return layer.tops[0];
    }
    return absl::NotFoundError(absl::StrCat(what, " '", name,
                                            "' is not a blob or layer of the network",
                                            DidYouMean(name, network_.blobs)));
  }

  absl::Status CheckListedOnce(absl::string_view what, std::vector<size_t> values) const {
    std::sort(values.begin(), values.end());
    const auto twice = std::adjacent_find(values.begin(), values.end());
    if (twice == values.end()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(what, " '", network_.blobs[*twice], "' is listed twice"));
  }

  absl::Status FindOutputs() {
    for (const std::string& name : options_.outputs) {
      ASSIGN_OR_RETURN(const size_t output, Find("output", name));
      border_.outputs.push_back(output);
    }
    if (options_.outputs.empty()) AddUnreadTops();
    if (border_.outputs.empty()) return absl::InvalidArgumentError("has no outputs");
    RETURN_IF_ERROR(CheckListedOnce("output", border_.outputs));
    for (const size_t output : border_.outputs) needed_[output] = true;
    return absl::OkStatus();
  }

  void AddUnreadTops() {
    std::vector<bool> read(network_.blobs.size());
    for (const Layer& layer : network_.layers) {
      for (const size_t bottom : layer.bottoms) read[bottom] = true;
    }
    for (const Layer& layer : network_.layers) {
      for (const size_t top : layer.tops) {
        if (!read[top]) border_.outputs.push_back(top);
      }
    }
  }

  absl::Status FindInputs() {
    std::vector<size_t> values;
    for (const ImportInput& input : options_.inputs) {
      ASSIGN_OR_RETURN(const size_t value, Find("input", input.name));
      std::optional<OpenShape> model;
      for (const NetworkInput& known : network_.inputs) {
        if (known.value == value) model = known.shape;
      }
      border_.inputs.push_back({value, std::move(model), input.shape});
      values.push_back(value);
      given_[value] = true;
    }
    if (!options_.inputs.empty()) return CheckListedOnce("input", std::move(values));
    for (const NetworkInput& input : network_.inputs) {
      border_.inputs.push_back({input.value, input.shape, std::nullopt});
    }
    return absl::OkStatus();
  }

  // Layers run in order, so that one walk back meets every reader of a value
  // before its maker.
  void SelectLayers() {
    for (size_t i = network_.layers.size(); i-- > 0;) {
      const Layer& layer = network_.layers[i];
      const bool needed = std::any_of(layer.tops.begin(), layer.tops.end(),
                                      [&](size_t top) { return needed_[top] && !given_[top]; });
      if (!needed) continue;
      border_.layers.push_back(i);
      for (const size_t bottom : layer.bottoms) needed_[bottom] = true;
    }
    std::reverse(border_.layers.begin(), border_.layers.end());
  }

  void DropUnneededInputs() {
    auto& inputs = border_.inputs;
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](const BorderInput& input) { return !needed_[input.value]; }),
                 inputs.end());
  }

  absl::Status CheckInputsSuffice() const {
    for (const NetworkInput& input : network_.inputs) {
      if (given_[input.value] || !needed_[input.value]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the outputs also depend on input '", network_.blobs[input.value],
                       "', which is not among the inputs of the metafile"));
    }
    return absl::OkStatus();
  }

  const Network& network_;
  const ImportOptions& options_;
  std::vector<bool> needed_, given_;  // by value
  Border border_;
};

}  // namespace

absl::StatusOr<Border> FindBorder(const Network& network, const ImportOptions& options) {
  return BorderFinder(network, options).Run();
}

}  // namespace synap_internal::caffe_import
