#include "runtime/cli/image_program.h"

#include <cstddef>
#include <ostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "runtime/api/log_capture.h"
#include "runtime/api/network_copies.h"

namespace synap_internal {

using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Tensors;

namespace {

// "x,y,w,h", perhaps in brackets.
bool ParseRegion(const std::string& text, Rect* rect) {
  return from_string(text, *rect) && rect->origin.x >= 0 && rect->origin.y >= 0 &&
         rect->size.x > 0 && rect->size.y > 0;
}

// Decodes the image, and logs what is wrong with it.
bool IsDamaged(const InputData& image) {
  return image.type() == InputType::encoded_image && image.dimensions().empty();
}

// Writes JSON texts as they come: one as it is, several as elements of a list.
class JsonWriter {
 public:
  JsonWriter(bool is_list, std::ostream& out) : is_list_(is_list), out_(out) {}

  // `text` ends in a newline.
  void Write(const std::string& text) {
    if (!is_list_) {
      out_ << text;
      return;
    }
    out_ << (std::exchange(is_empty_, false) ? "[\n  " : ",\n  ")
         << absl::StrReplaceAll(text.substr(0, text.size() - 1), {{"\n", "\n  "}});
  }

  void End() {
    if (is_list_) out_ << (is_empty_ ? "[]\n" : "\n]\n");
    out_.flush();
  }

 private:
  const bool is_list_;
  std::ostream& out_;
  bool is_empty_ = true;
};

}  // namespace

void DeclareRegion(ArgParser& parser, Rect* region) {
  parser.Custom("--roi", "x,y,w,h", "Part of the image, for networks converted with cropping",
                [region](const std::string& text) {
                  return ParseRegion(text, region) ? "" : "x,y,w,h with a positive size";
                });
}

std::string TimeLine(const char* what, TimeUnit unit, int64_t preprocessed, int64_t inferred,
                     int64_t done) {
  const auto step = [unit](int64_t microseconds) {
    return unit == TimeUnit::kMicroseconds
               ? absl::StrCat(microseconds)
               : absl::StrFormat("%.2f", static_cast<double>(microseconds) / 1000);
  };
  return absl::StrFormat("%s time: %.2f ms (pre:%s, inf:%s, post:%s)\n", what,
                         static_cast<double>(done) / 1000, step(preprocessed),
                         step(inferred - preprocessed), step(done - inferred));
}

absl::optional<int> ParseImageArgs(const std::vector<std::string>& args, ArgParser& parser,
                                   std::ostream& err) {
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (!parser.data().empty()) return absl::nullopt;
  err << "No input image\n";
  return 1;
}

Assignment AssignImage(const Preprocessor& preprocessor, const InputData& image, Tensors& inputs,
                       Rect* assigned) {
  if (image.empty()) return Assignment::kUnreadable;  // its constructor has logged why
  bool is_done = false;
  std::string log;
  {
    const LogCapture capture;
    is_done = preprocessor.assign(inputs, image, 0, assigned);
    log = capture.text();
  }
  // Whether the image or the network is at fault only matters now.
  if (!is_done && IsDamaged(image)) return Assignment::kUnreadable;
  ShowLogText(log);
  return is_done ? Assignment::kDone : Assignment::kRefused;
}

std::string AssignmentError(Assignment assignment, const std::string& file) {
  switch (assignment) {
    case Assignment::kDone:
      return "";
    case Assignment::kRefused:
      return "Error assigning input to tensor.";
    case Assignment::kUnreadable:
      break;
  }
  return "Error, unable to read data from file: " + file;
}

int ForEachImage(const std::vector<std::string>& files, ChainCopies& copies, ResultFormat format,
                 std::ostream& out, std::ostream& err, const ProcessImage& process) {
  const bool is_json = format == ResultFormat::kJson;
  JsonWriter json(is_json && files.size() > 1, out);
  bool has_noted = false;
  const absl::Status status = RunOnCopies(
      copies, files.size(),
      [&](size_t i, NetworkChain& chain, int copy) { return process(files[i], chain, copy); },
      [&](size_t, const ImageResult& result) {
        if (!std::exchange(has_noted, has_noted || !result.note.empty())) err << result.note;
        (is_json ? err : out) << result.lines;
        if (!result.text.empty()) json.Write(result.text);
        std::string error = result.error;
        if (error.empty() && result.finish != nullptr) error = result.finish(out);
        out.flush();
        if (error.empty() && !out) error = "Error, unable to write the results";
        return error.empty() ? absl::OkStatus() : absl::UnknownError(error);
      });
  json.End();
  if (status.ok()) return 0;
  err << status.message() << "\n";
  return 1;
}

}  // namespace synap_internal
