#include "compiler/import/caffe/network_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/upgrade.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::caffe_import {
namespace {

absl::Status NotCaffe(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a Caffe network: ", why));
}

// Keeps the first error, and the first unknown field that could change what is
// computed.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int /*column*/, const std::string& message) override {
    if (error_.empty()) error_ = AtLine(line, message);
  }
  void AddWarning(int line, int /*column*/, const std::string& message) override {
    // Unknown fields of these belong to training, or to layers that aren't mapped.
    for (const absl::string_view lenient :
         {"\"caffe.Ignored\"", "\"caffe.NetParameter\"", "\"caffe.LayerParameter\"",
          "\"caffe.V1LayerParameter\"", "\"caffe.V0LayerParameter\"", "\"caffe.NetState\""}) {
      if (absl::StrContains(message, lenient)) return;
    }
    if (unknown_.empty()) unknown_ = AtLine(line, message);
  }

  const std::string& error() const { return error_; }
  const std::string& unknown() const { return unknown_; }

 private:
  static std::string AtLine(int line, const std::string& message) {
    return absl::StrCat("line ", line + 1, ": ", message);
  }

  std::string error_, unknown_;
};

absl::Status CheckLayers(const caffe::NetParameter& net) {
  if (net.op_size() > 0) {
    return absl::UnimplementedError(
        "is a network of Caffe2, which is not supported; export it to ONNX");
  }
  if (net.layer_size() > 0 && net.layers_size() > 0) {
    return NotCaffe("it has layers of two generations, 'layer' and 'layers'");
  }
  if (net.layer_size() == 0 && net.layers_size() == 0) {
    return NotCaffe("it has no layers; a solver only names the file that has them");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NetworkFile> ParseNetwork(absl::string_view text) {
  if (const absl::string_view why = WhyUnreadable(text); !why.empty()) return NotCaffe(why);
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return NotCaffe("it has more than 2 GiB");
  }
  NetworkFile file;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(true);
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(32);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &file.net)) return NotCaffe(errors.error());
  RETURN_IF_ERROR(CheckLayers(file.net));
  RETURN_IF_ERROR(UpgradeLayers(file.net));
  if (!errors.unknown().empty()) file.unknown_field = absl::UnimplementedError(errors.unknown());
  return file;
}

}  // namespace synap_internal::caffe_import
