#include "compiler/start/propose_metafile.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compiler/start/first_layer.h"
#include "compiler/start/recognize_head.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

constexpr size_t kCommentWidth = 100;

// Norms of first kernels (FirstKernelNorm) of trained networks: 0.009 to 0.053 for pixels of 0 to
// 255, 0.39 and more for normalized ones. Networks without batch normalization have more than 1 for
// both, so that a large norm tells nothing.
constexpr float kRawPixelNorm = 0.1f;

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

// Pixels of an input, with a reason or a question.
struct PixelGuess {
  PixelValues values;
  std::string reason;
  std::string question;
};

PixelGuess GuessPixels(const Graph& graph, const Tensor& input, const PictureInput& picture,
                       const Head& head) {
  const float norm = FirstKernelNorm(input).value_or(kRawPixelNorm);
  const bool is_raw = norm < kRawPixelNorm;
  const std::string small = absl::StrCat("The first layer's kernels are small, of norm ", norm,
                                         ", as those that read pixels of 0 to 255.");
  if (head.pixels.has_value()) {
    PixelGuess guess = {*head.pixels, "Usual for this family of networks.",
                        "Was this network trained with these pixels? Its file doesn't say."};
    if (is_raw && head.pixels->scale == "1") absl::StrAppend(&guess.reason, " ", small);
    if (is_raw && head.pixels->scale != "1") {
      guess.question = absl::StrCat(small, " Should means be 0 and the scale 1?");
    }
    return guess;
  }
  if (is_raw) {
    return {{picture.channels == 1 ? "" : "rgb keep_proportions=0", "0", "1"},
            small,
            "Was it trained with pixels of 0 to 255, and in this order of colours?"};
  }
  if (picture.channels == 1) {
    return {{"", "0", "255"},
            "Usual for grey pictures: 0 to 1.",
            "Was it trained with grey values of 0 to 1? Otherwise change means and scale."};
  }
  if (graph.layout == "nhwc" || absl::StrContains(graph.name, "tf2onnx")) {
    return {{"rgb keep_proportions=0", "127.5", "127.5"},
            "Usual for networks of TensorFlow and Keras: -1 to 1.",
            "Was it trained with pixels of -1 to 1? For 0 to 1 write means 0 and scale 255, for "
            "0 to 255 means 0 and scale 1."};
  }
  return {{"rgb keep_proportions=0", "[123.675, 116.28, 103.53]", "57.4"},
          "ImageNet's means, and the mean of its deviations: usual for networks of PyTorch.",
          "Was it trained with these pixels? For 0 to 1 write means 0 and scale 255; networks of "
          "Caffe want 'format: bgr', means [104, 117, 123] and scale 1."};
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

void WriteInput(const Graph& graph, const Tensor& input, const std::optional<Head>& head,
                std::vector<std::string> fields, Writer& out) {
  const std::optional<PictureInput> picture = FindPicture(input.type.shape, graph.layout);
  const std::string title = absl::StrCat(Printable(input.name), ": ", TypeText(input));
  if (!picture.has_value()) {
    out.Comment("  ", absl::StrCat(title, ", no picture by its shape."));
    out.Entry(fields);
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
  const PixelGuess guess = GuessPixels(graph, input, *picture, head.value_or(Head()));
  const bool has_colors = picture->channels != 1;
  const std::string format = absl::StrCat("format: ", guess.values.format);
  if (input.type.quant.quantized()) {
    out.Comment("  ", "Means and scale follow from the input's own quantizer.");
    if (has_colors) fields.push_back(format);
    out.Entry(fields);
    if (has_colors) {
      out.Question("    ", "Is the order of the colours right (rgb or bgr)? The file doesn't say.");
    }
    return;
  }
  out.Comment("  ", absl::StrCat("Guess: ", guess.reason));
  fields.push_back(absl::StrCat("means: ", guess.values.means));
  fields.push_back(absl::StrCat("scale: ", guess.values.scale));
  if (has_colors) fields.push_back(format);
  out.Entry(fields);
  out.Question("    ", guess.question);
}

// The first picture that enters the network.
std::optional<PictureInput> FirstPicture(const Graph& graph) {
  for (const Tensor* input : graph.inputs) {
    const std::optional<PictureInput> picture = FindPicture(input->type.shape, graph.layout);
    if (picture.has_value()) return picture;
  }
  return std::nullopt;
}

}  // namespace

MetafileProposal ProposeMetafile(const Graph& graph, absl::string_view model,
                                 const Metafile& given) {
  MetafileProposal proposal;
  proposal.task = "a network without pictures";
  std::optional<Head> head;
  if (const std::optional<PictureInput> picture = FirstPicture(graph); picture.has_value()) {
    head = RecognizeHead(graph, *picture);
    proposal.task = head->task;
    proposal.format = head->format;
  }
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
    WriteInput(graph, *graph.inputs[i], head, fields, out);
  }
  out.Line("\noutputs:");
  if (head.has_value()) out.Comment("  ", head->reason);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor& output = *graph.outputs[i];
    out.Comment("  ", absl::StrCat(Printable(output.name), ": ", TypeText(output)));
    std::vector<std::string> fields;
    if (i < given.outputs.size()) {
      fields = NameFields(given.outputs[i].name, given.outputs[i].shape);
    }
    fields.push_back("dequantize: true");
    const bool is_first = i == 0 && head.has_value();
    if (is_first && !head->format.empty()) fields.push_back(absl::StrCat("format: ", head->format));
    out.Entry(fields);
    if (!is_first) continue;
    for (const std::string& question : head->questions) out.Question("    ", question);
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
  out.Line("# quantization:\n#   data_type: uint8\n#   dataset: samples/*.jpg");
  return proposal;
}

}  // namespace synap_internal
