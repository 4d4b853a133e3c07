#include "compiler/start/propose_metafile.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compiler/start/guess_pixels.h"
#include "compiler/start/recognize_head.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

constexpr size_t kCommentWidth = 100;

// Names in model files are bytes; a comment ends with its line.
std::string Printable(absl::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return text;
}

void AppendComment(absl::string_view indent, absl::string_view text, std::string* yaml) {
  std::string line = absl::StrCat(indent, "#");
  const size_t empty = line.size();
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() > empty && line.size() + 1 + word.size() > kCommentWidth) {
      absl::StrAppend(yaml, line, "\n");
      line.resize(empty);
    }
    absl::StrAppend(&line, " ", word);
  }
  absl::StrAppend(yaml, line, "\n");
}

// "float32[1x3x224x224]"
std::string TypeText(const Tensor& tensor) {
  return absl::StrCat(Name(tensor.type.dtype), "[", tensor.type.shape.ToString(), "]");
}

class Writer {
 public:
  explicit Writer(MetafileProposal& proposal) : proposal_(proposal) {}

  void Comment(absl::string_view indent, absl::string_view text) {
    AppendComment(indent, text, &proposal_.text);
  }
  void Question(absl::string_view indent, const std::string& text) {
    Comment(indent, absl::StrCat("QUESTION: ", text));
    proposal_.questions.push_back(text);
  }
  // An entry of a list, {} without fields.
  void Entry(const std::vector<std::string>& fields) {
    Line(fields.empty() ? "  - {}" : absl::StrCat("  - ", absl::StrJoin(fields, "\n    ")));
  }
  void Line(absl::string_view text) { absl::StrAppend(&proposal_.text, text, "\n"); }

 private:
  MetafileProposal& proposal_;
};

// The fields `name` and `shape` of an entry of `given`, as YAML. No fields without a name.
std::vector<std::string> NameFields(const std::string& name, const std::vector<int64_t>& shape) {
  std::vector<std::string> fields;
  // JSON's strings are YAML's.
  using Json = nlohmann::json;
  if (name.empty()) return fields;
  fields.push_back(
      absl::StrCat("name: ", Json(name).dump(-1, ' ', true, Json::error_handler_t::replace)));
  if (!shape.empty()) {
    fields.push_back(absl::StrCat("shape: [", absl::StrJoin(shape, ", "), "]"));
  }
  return fields;
}

// A network as the writing functions see it.
struct Subject {
  const Graph& graph;
  absl::string_view model;
  const ModelFacts& facts;
  Head head;
};

void WriteInput(const Subject& subject, size_t index, std::vector<std::string> fields,
                Writer& out) {
  const Graph& graph = subject.graph;
  const Tensor& input = *graph.inputs[index];
  const std::optional<PictureInput> picture = FindPicture(input.type.shape, graph.layout);
  const std::string title = absl::StrCat(Printable(input.name), ": ", TypeText(input));
  if (!picture.has_value()) {
    out.Comment("  ", absl::StrCat(title, ", no picture by its shape."));
    out.Entry(fields);
    return;
  }
  if (IsRatherSpectrogram(graph, *picture)) {
    out.Comment("  ", absl::StrCat(title, ", of one channel and not square."));
    out.Entry(fields);
    out.Question("    ",
                 "Is it a spectrogram, whose values the application computes? For grey pictures "
                 "write means and scale, 0 and 255 for 0 to 1.");
    return;
  }
  out.Comment("  ", absl::StrCat(title, ", ", picture->layout, ": pictures of ", picture->width,
                                 "x", picture->height, " with ", picture->channels,
                                 picture->channels == 1 ? " channel." : " channels."));
  if (picture->layout != graph.layout) {
    out.Question("  ", absl::StrCat("The file's format has the layout ", graph.layout,
                                    ", but this input looks like ", picture->layout,
                                    ". Can it be exported without the transpose at its begin?"));
  }
  const PixelGuess guess =
      GuessPixels(graph, index, *picture, subject.head, subject.facts, subject.model);
  const bool is_guess = !guess.questions.empty() && !guess.scale.empty();
  out.Comment("  ", absl::StrCat(is_guess ? "Guess: " : "", guess.reason));
  if (!guess.scale.empty()) {
    fields.push_back(absl::StrCat("means: ", guess.means));
    fields.push_back(absl::StrCat("scale: ", guess.scale));
  }
  if (!guess.format.empty()) fields.push_back(absl::StrCat("format: ", guess.format));
  out.Entry(fields);
  for (const std::string& question : guess.questions) out.Question("    ", question);
}

// "The file names 80 classes: person, bicycle, car, motorcycle, airplane, ..."
std::string LabelsText(const std::vector<std::string>& labels) {
  constexpr size_t kShown = 5;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(kShown, labels.size()); ++i) {
    shown.push_back(Printable(labels[i].substr(0, 40)));
  }
  if (labels.size() > kShown) shown.emplace_back("...");
  return absl::StrCat("The file names ", labels.size(), " classes: ", absl::StrJoin(shown, ", "),
                      labels.size() > kShown ? "" : ".");
}

// The first picture that enters the network.
std::optional<PictureInput> FirstPicture(const Graph& graph) {
  for (const Tensor* input : graph.inputs) {
    const std::optional<PictureInput> picture = FindPicture(input->type.shape, graph.layout);
    if (picture.has_value() && !IsRatherSpectrogram(graph, *picture)) return picture;
  }
  return std::nullopt;
}

}  // namespace

MetafileProposal ProposeMetafile(const Graph& graph, absl::string_view model, const Metafile& given,
                                 const ModelFacts& facts) {
  MetafileProposal proposal;
  ModelFacts kept = facts;
  // Named inputs needn't be those that the file describes.
  if (!given.inputs.empty() && !given.inputs[0].name.empty()) kept.inputs.clear();
  const Subject subject = {graph, model, kept, RecognizeHead(graph, FirstPicture(graph), kept)};
  const Head& head = subject.head;
  proposal.task = head.task;
  proposal.format = head.format;
  Writer out(proposal);
  out.Comment("", absl::StrCat("First metafile for ", Printable(model), ": ", proposal.task, "."));
  out.Comment(
      "",
      "Each guess has its reason. A QUESTION is what the file doesn't tell: answer it, then "
      "delete it.");
  out.Line("\ninputs:");
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    std::vector<std::string> fields;
    if (i < given.inputs.size()) {
      fields = NameFields(given.inputs[i].name, given.inputs[i].shape);
    }
    WriteInput(subject, i, std::move(fields), out);
  }
  out.Line("\noutputs:");
  out.Comment("  ", head.reason);
  if (!facts.labels.empty()) out.Comment("  ", LabelsText(facts.labels));
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor& output = *graph.outputs[i];
    out.Comment("  ", absl::StrCat(Printable(output.name), ": ", TypeText(output)));
    std::vector<std::string> fields;
    if (i < given.outputs.size()) {
      fields = NameFields(given.outputs[i].name, given.outputs[i].shape);
    }
    fields.push_back("dequantize: true");
    if (i == 0 && !head.format.empty()) fields.push_back(absl::StrCat("format: ", head.format));
    out.Entry(fields);
    if (i > 0) continue;
    for (const std::string& question : head.questions) out.Question("    ", question);
  }
  if (IsQuantized(graph)) {
    out.Line("");
    out.Comment("", "The network has quantizers of its own, which are kept.");
    return proposal;
  }
  out.Line("");
  out.Comment("",
              "Without this section the network stays float. To quantize it, name pictures like "
              "those that it will see, and remove the marks.");
  out.Line(
      "# quantization:\n#   data_type: uint8\n#   dataset: samples/*.jpg\n"
      "#   # effort: best  # takes longer, and mostly loses less");
  return proposal;
}

}  // namespace synap_internal
