#include "compiler/import/caffe/weights.h"

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status NotWeights(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a .caffemodel: ", why));
}

Dims DimsOf(const caffe::BlobProto& blob) {
  if (blob.has_shape()) return {blob.shape().dim().begin(), blob.shape().dim().end()};
  return {blob.num(), blob.channels(), blob.height(), blob.width()};
}

absl::Span<const int64_t> WithoutLeadingOnes(absl::Span<const int64_t> dims) {
  while (!dims.empty() && dims.front() == 1) dims.remove_prefix(1);
  return dims;
}

// Here and once, so that it is the file that bounds what it takes, not how many layers of the
// network read the blob.
void DoublesToFloats(caffe::BlobProto& blob) {
  if (blob.double_data_size() == 0) return;
  blob.mutable_data()->Assign(blob.double_data().begin(), blob.double_data().end());
  google::protobuf::RepeatedField<double>().Swap(blob.mutable_double_data());
}

// Of a status, or of what may be a value.
template <typename Result>
Result AnnotateIf(Result result, absl::string_view path) {
  return path.empty() ? result : Annotate(std::move(result), path);
}

absl::Status CheckBytes(absl::string_view bytes) {
  if (const absl::string_view why = WhyUnreadable(bytes); !why.empty()) return NotWeights(why);
  if (absl::StartsWith(bytes, "\x89HDF")) {
    return NotWeights("it is an HDF5 file; save the network with snapshot_format: BINARYPROTO");
  }
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return NotWeights("it has more than 2 GiB");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Weights> Weights::Parse(absl::string_view bytes, absl::string_view path) {
  RETURN_IF_ERROR(AnnotateIf(CheckBytes(bytes), path));
  auto file = std::make_shared<caffe::WeightsFile>();
  if (!file->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return AnnotateIf(NotWeights("it is truncated or something else"), path);
  }
  Weights weights;
  weights.path_ = std::string(path);
  // Of layers with one name the last counts, as in Caffe.
  const auto add = [&](auto& layer) {
    for (caffe::BlobProto& blob : *layer.mutable_blobs()) DoublesToFloats(blob);
    weights.blobs_[layer.name()] = &layer.blobs();
  };
  for (caffe::WeightsLayer& layer : *file->mutable_layer()) add(layer);
  for (caffe::V1WeightsLayer& layer : *file->mutable_layers()) {
    if (layer.has_layer()) {
      add(*layer.mutable_layer());
    } else {
      add(layer);
    }
  }
  if (weights.blobs_.empty()) return AnnotateIf(NotWeights("it has no layers"), path);
  weights.file_ = std::move(file);
  return weights;
}

int64_t Weights::parameters() const {
  int64_t elements = 0;
  for (const auto& [layer, blobs] : blobs_) {
    for (const caffe::BlobProto& blob : *blobs) elements += blob.data_size();
  }
  return elements;
}

size_t Weights::Count(absl::string_view layer) const {
  const auto it = blobs_.find(layer);
  return it == blobs_.end() ? 0 : static_cast<size_t>(it->second->size());
}

absl::StatusOr<Constant> Weights::Blob(absl::string_view layer, size_t index,
                                       const Dims& dims) const {
  return AnnotateIf(FindBlob(layer, index, dims), path_);
}

absl::StatusOr<Constant> Weights::FindBlob(absl::string_view layer, size_t index,
                                           const Dims& dims) const {
  if (!blobs_.contains(layer)) {
    return absl::InvalidArgumentError("the weights file has no layer of its name");
  }
  if (index >= Count(layer)) {
    return absl::InvalidArgumentError(absl::StrCat("the weights file has ", Count(layer),
                                                   " blobs for it, expected at least ", index + 1));
  }
  const caffe::BlobProto& blob = blobs_.find(layer)->second->Get(static_cast<int>(index));
  const Dims found = DimsOf(blob);
  if (WithoutLeadingOnes(found) != WithoutLeadingOnes(dims)) {
    return absl::InvalidArgumentError(absl::StrCat("blob ", index, " of its weights is ",
                                                   absl::StrJoin(found, "x"), ", expected ",
                                                   absl::StrJoin(dims, "x")));
  }
  const int count = blob.data_size();
  if (count != Shape(dims).elements()) {
    return absl::InvalidArgumentError(absl::StrCat("blob ", index, " of its weights has ", count,
                                                   " values, expected ", absl::StrJoin(dims, "x")));
  }
  const auto* begin = reinterpret_cast<const uint8_t*>(blob.data().data());
  return Constant{file_, {begin, static_cast<size_t>(count) * sizeof(float)}};
}

}  // namespace synap_internal::caffe_import
