#include "runtime/cli/synap_cli_ic.h"

#include <cstdint>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "nlohmann/json.hpp"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/model_options.h"
#include "runtime/cli/stopwatch.h"
#include "runtime/vision/format_string.h"
#include "synap/classifier.hpp"
#include "synap/input_data.hpp"
#include "synap/label_info.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Classifier;
using synaptics::synap::Dimensions;
using synaptics::synap::InputData;
using synaptics::synap::LabelInfo;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;

struct Options {
  ModelOptions model;
  int top = 5;
  std::string roi;

  void Declare(ArgParser& parser) {
    model.Declare(parser);
    parser.Int("--top", "Largest number of classes to show", 1, &top);
    parser.String("--roi", "x,y,w,h", "Part of the image, for networks converted with cropping",
                  &roi);
  }
};

// "x,y,w,h", perhaps in brackets.
bool ParseRegion(const std::string& text, Rect& rect) {
  return from_string(text, rect) && rect.origin.x >= 0 && rect.origin.y >= 0 && rect.size.x > 0 &&
         rect.size.y > 0;
}

// State for all images.
struct Session {
  Network network;
  Preprocessor preprocessor;
  Classifier classifier;
  LabelInfo labels;
  bool is_terminal;
  bool bands_noted = false;
};

// Prints once that an image got letterbox bands, unless the model was converted for them.
void NoteBands(const InputData& image, const Rect& assigned, Session& session, std::ostream& err) {
  const Dimensions shown = image.dimensions();
  const bool has_bands = assigned.size.x > shown.w || assigned.size.y > shown.h;
  if (session.bands_noted || shown.empty() || !has_bands ||
      FormatString::Parse(session.network.inputs[0].format()).Has("keep_proportions")) {
    return;
  }
  session.bands_noted = true;
  err << absl::StreamFormat(
      "Note: images keep their proportions, so this one of %dx%d got grey bands. Most "
      "classifiers are trained without bands: convert with 'format: rgb keep_proportions=0' for "
      "the "
      "input to stretch images instead\n",
      shown.w, shown.h);
}

std::string ResultTable(const Classifier::Result& result, const LabelInfo& labels) {
  std::string text = "Class  Confidence  Description\n";
  for (const Classifier::Result::Item& item : result.items) {
    std::string line = absl::StrFormat("%5d%12.4f  %s", item.class_index, item.confidence,
                                       labels.label(item.class_index));
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string ResultJson(const Classifier::Result& result, const LabelInfo& labels) {
  nlohmann::json json;
  json["items"] = nlohmann::json::array();
  for (const Classifier::Result::Item& item : result.items) {
    nlohmann::json& added = json["items"].emplace_back();
    added["class_index"] = item.class_index;
    added["confidence"] = item.confidence;
    if (!labels.empty()) added["label"] = labels.label(item.class_index);
  }
  json["success"] = result.success;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Returns an error message, or "".
std::string Classify(const std::string& file, Session& session, std::ostream& out,
                     std::ostream& err) {
  const InputData image(file);
  if (!IsReadable(image)) return "Error, unable to read data from file: " + file;
  out << "Input image: " << file << "\n";

  const Stopwatch total;
  Rect assigned;
  if (!session.preprocessor.assign(session.network.inputs, image, 0, &assigned)) {
    return "Error assigning input to tensor.";
  }
  const int64_t preprocessed = total.microseconds();
  NoteBands(image, assigned, session, err);
  if (!session.network.predict()) return "Inference failed";
  const int64_t inferred = total.microseconds();
  const Classifier::Result result = session.classifier.process(session.network.outputs);
  const int64_t done = total.microseconds();
  if (!result.success) return "Classification failed";

  out << TimeLine("Classification", preprocessed, inferred, done);
  out << (session.is_terminal ? ResultTable(result, session.labels)
                              : ResultJson(result, session.labels));
  return "";
}

}  // namespace

int SynapCliIc(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
               std::ostream& err) {
  ArgParser parser("synap_cli_ic",
                   absl::StrCat("Classifies images. They keep their proportions and get grey bands "
                                "unless the model was converted with\n'format: rgb "
                                "keep_proportions=0' for its input.\n",
                                kLabelHelp),
                   "image...");
  Options options;
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  Rect roi;
  if (!options.roi.empty() && !ParseRegion(options.roi, roi)) {
    err << "Option --roi has the value '" << options.roi
        << "', expected x,y,w,h with a positive size\n";
    return 1;
  }
  if (!options.model.Resolve(err)) return 1;

  Session session{Network(), Preprocessor(), Classifier(static_cast<size_t>(options.top)),
                  LabelInfo::find(options.model.model()), is_terminal};
  if (!options.roi.empty()) session.preprocessor.set_roi(roi);
  if (!LoadModel(options.model, session.network, out, err)) return 1;
  return ForEachImage(parser.data(), out, err,
                      [&](const std::string& file) { return Classify(file, session, out, err); });
}

}  // namespace synap_internal
