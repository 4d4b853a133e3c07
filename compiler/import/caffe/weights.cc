#include "compiler/import/caffe/weights.h"

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/import/unreadable_file.h"

namespace synap::caffe_import {
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

absl::StatusOr<Weights> Weights::Parse(absl::string_view bytes) {
  if (absl::Status status = CheckBytes(bytes); !status.ok()) return status;
  auto file = std::make_shared<caffe::WeightsFile>();
  if (!file->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return NotWeights("it is truncated or something else");
  }
  Weights weights;
  // Of layers with one name the last counts, as in Caffe.
  for (const caffe::WeightsLayer& layer : file->layer()) {
    weights.blobs_[layer.name()] = &layer.blobs();
  }
  for (const caffe::V1WeightsLayer& layer : file->layers()) {
    if (layer.has_layer()) {
      weights.blobs_[layer.layer().name()] = &layer.layer().blobs();
    } else {
      weights.blobs_[layer.name()] = &layer.blobs();
    }
  }
  if (weights.blobs_.empty()) return NotWeights("it has no layers");
  weights.file_ = std::move(file);
  return weights;
}

int64_t Weights::parameters() const {
  int64_t elements = 0;
  for (const auto& [layer, blobs] : blobs_) {
    for (const caffe::BlobProto& blob : *blobs)
      elements += blob.data_size() + blob.double_data_size();
  }
  return elements;
}

size_t Weights::Count(absl::string_view layer) const {
  const auto it = blobs_.find(layer);
  return it == blobs_.end() ? 0 : static_cast<size_t>(it->second->size());
}

absl::StatusOr<Constant> Weights::Blob(absl::string_view layer, size_t index,
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
  const bool doubles = blob.double_data_size() > 0;
  const int count = doubles ? blob.double_data_size() : blob.data_size();
  if (count != Shape(dims).elements()) {
    return absl::InvalidArgumentError(absl::StrCat("blob ", index, " of its weights has ", count,
                                                   " values, expected ", absl::StrJoin(dims, "x")));
  }
  if (doubles) {
    return Constant::Of<float>(
        std::vector<float>(blob.double_data().begin(), blob.double_data().end()));
  }
  const auto* begin = reinterpret_cast<const uint8_t*>(blob.data().data());
  return Constant{file_, {begin, static_cast<size_t>(count) * sizeof(float)}};
}

}  // namespace synap::caffe_import
