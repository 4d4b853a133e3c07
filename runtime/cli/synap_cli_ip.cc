#include "runtime/cli/synap_cli_ip.h"

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/network_chain.h"
#include "runtime/cli/stopwatch.h"
#include "synap/image_postprocessor.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::ImagePostprocessor;
using synaptics::synap::InputData;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;

struct ProcessOptions {
  ChainOptions models{1};
  Rect region;
  std::string out_dir = ".";
  bool dump_raw = false;

  void Declare(ArgParser& parser) {
    models.Declare(parser);
    DeclareRegion(parser, &region);
    parser.String("--out-dir", "folder", "Folder of the written files, created if missing",
                  &out_dir);
    parser.Flag("--dump-raw", "Also write the outputs' data to raw<i>.dat", &dump_raw);
  }
};

// What is the same for all images, or counts them.
struct ProcessSession {
  const ProcessOptions& options;
  Preprocessor preprocessor;
  int images = 0;
  int dumps = 0;
};

absl::Status Write(const std::string& name, absl::string_view data, const ProcessSession& session,
                   std::ostream& out) {
  const std::string path =
      session.options.out_dir == "." ? name : JoinPath(session.options.out_dir, name);
  out << "Writing output to file: " << path << "\n";
  return WriteFileAtomically(path, data);
}

// `dumps`: the data of the outputs that are written too.
absl::Status WriteResults(const ImagePostprocessor::Result& image,
                          const std::vector<std::string>& dumps, ProcessSession& session,
                          std::ostream& out) {
  const std::string name = absl::StrCat("outimage", session.images++, "_", image.dim.x, "x",
                                        image.dim.y, ".", image.ext);
  const absl::string_view data(reinterpret_cast<const char*>(image.data.data()), image.data.size());
  RETURN_IF_ERROR(Write(name, data, session, out));
  for (const std::string& dump : dumps) {
    RETURN_IF_ERROR(Write(absl::StrCat("raw", session.dumps++, ".dat"), dump, session, out));
  }
  return absl::OkStatus();
}

// Runs the network; the files are written, and counted, in the order of the images.
ImageResult Process(const std::string& file, ProcessSession& session, NetworkChain& chain) {
  const InputData image(file);
  const Assignment assignment = AssignImage(session.preprocessor, image, chain.inputs());
  const std::string error = AssignmentError(assignment, file);
  if (assignment == Assignment::kUnreadable) return {.error = error};
  std::string lines = "Input image: " + file + "\n";
  if (assignment != Assignment::kDone) return {.lines = lines, .error = error};
  const Stopwatch stopwatch;
  if (!chain.Predict()) return {.lines = lines, .error = "Inference failed"};
  absl::StrAppendFormat(&lines, "Inference time: %.2f ms\n", stopwatch.milliseconds());
  ImagePostprocessor::Result result = ImagePostprocessor().process(chain.outputs());
  if (!result.success) {
    return {.lines = lines, .error = "Error, the network's outputs are not an image"};
  }
  std::vector<std::string> dumps;
  for (const Tensor& tensor : chain.outputs()) {
    if (!session.options.dump_raw) break;
    dumps.emplace_back(static_cast<const char*>(tensor.data()), tensor.size());
  }
  return {.lines = lines,
          .finish = [&session, result = std::move(result),
                     dumps = std::move(dumps)](std::ostream& out) {
            return std::string(WriteResults(result, dumps, session, out).message());
          }};
}

}  // namespace

int SynapCliIp(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  ArgParser parser("synap_cli_ip",
                   "Processes images with a network whose output is an image, and writes "
                   "outimage<i>_<W>x<H>.<format> for each.\nsynap image_from_raw converts these "
                   "files to .png.",
                   "image...");
  ProcessOptions options;
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  if (!options.models.Resolve(err)) return 1;
  if (const absl::Status status = CreateDirectories(options.out_dir); !status.ok()) {
    err << status.message() << "\n";
    return 1;
  }
  ProcessSession session{options, Preprocessor()};
  session.preprocessor.set_roi(options.region);
  const std::unique_ptr<ChainCopies> chains = options.models.Load(parser.data().size(), out, err);
  if (chains == nullptr) return 1;
  return ForEachImage(parser.data(), *chains, ResultFormat::kText, out, err,
                      [&](const std::string& file, NetworkChain& chain, int) {
                        return Process(file, session, chain);
                      });
}

}  // namespace synap_internal
