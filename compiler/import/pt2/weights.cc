#include "compiler/import/pt2/weights.h"

#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::pt2_import {
namespace {

using Type = torchscript::Tensor::Type;

struct TypeRow {
  int64_t scalar_type;
  Type type;
  int64_t bytes;
  bool complex = false;  // pairs of the type
};

constexpr TypeRow kTypes[] = {
    {1, torchscript::Tensor::UINT8, 1},           {2, torchscript::Tensor::INT8, 1},
    {3, torchscript::Tensor::INT16, 2},           {4, torchscript::Tensor::INT32, 4},
    {5, torchscript::Tensor::INT64, 8},           {6, torchscript::Tensor::FLOAT16, 2},
    {7, torchscript::Tensor::FLOAT32, 4},         {8, torchscript::Tensor::FLOAT64, 8},
    {12, torchscript::Tensor::BOOL, 1},           {13, torchscript::Tensor::BFLOAT16, 2},
    {9, torchscript::Tensor::FLOAT16, 4, true},   {10, torchscript::Tensor::FLOAT32, 8, true},
    {11, torchscript::Tensor::FLOAT64, 16, true},
};

const TypeRow* FindType(int64_t scalar_type) {
  for (const TypeRow& row : kTypes) {
    if (row.scalar_type == scalar_type) return &row;
  }
  return nullptr;
}

// No tensor has more of them, or a longer one.
constexpr size_t kMaxRank = 64;
constexpr int64_t kMaxDim = int64_t{1} << 40;

absl::StatusOr<int64_t> ReadDim(const Json& dim, absl::string_view what) {
  ASSIGN_OR_RETURN(const int64_t value, GetInteger(dim, "as_int"));
  if (value >= 0 && value <= kMaxDim) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("'", what, "' has ", value, ", expected 0 to ", kMaxDim));
}

absl::StatusOr<std::vector<int64_t>> ReadDims(const Json& meta, absl::string_view name) {
  ASSIGN_OR_RETURN(const Json* list, GetArray(meta, name));
  if (list->size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' has ", list->size(),
                                                   " dimensions, expected at most ", kMaxRank));
  }
  std::vector<int64_t> dims;
  for (const Json& dim : *list) {
    ASSIGN_OR_RETURN(dims.emplace_back(), ReadDim(dim, name));
  }
  return dims;
}

// A tensor in the memory that an entry has.
struct View {
  std::vector<int64_t> dims, strides;
  int64_t offset = 0;  // in elements
  int64_t bytes = 0;   // of an element
};

// The bytes of the tensor alone, its last dimension innermost.
absl::StatusOr<std::string> Gather(const View& view, std::string memory, int64_t max_bytes) {
  absl::int128 count = 1, last = view.offset;
  bool contiguous = view.offset == 0;
  absl::int128 expected = 1;
  for (size_t i = view.dims.size(); i-- > 0;) {
    contiguous = contiguous && (view.dims[i] == 1 || view.strides[i] == expected);
    expected *= view.dims[i];
    count *= view.dims[i];
    if (count == 0) return std::string();
    if (count > (int64_t{1} << 60)) break;
    last += absl::int128(view.dims[i] - 1) * view.strides[i];
  }
  const auto held = static_cast<int64_t>(memory.size()) / view.bytes;
  if (count > (int64_t{1} << 60) || last >= held) {
    return absl::InvalidArgumentError(
        absl::StrCat("its dimensions reach beyond its ", memory.size(), " bytes"));
  }
  const auto size = static_cast<int64_t>(count);
  if (contiguous) {
    memory.resize(static_cast<size_t>(size * view.bytes));
    return memory;
  }
  // Dimensions of stride 0 can be of any length.
  if (size > max_bytes / view.bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has ", size, " elements, more than ", max_bytes, " bytes"));
  }
  std::string bytes(static_cast<size_t>(size * view.bytes), '\0');
  std::vector<int64_t> at(view.dims.size(), 0);
  int64_t from = view.offset;
  for (int64_t i = 0; i < size; ++i) {
    std::memcpy(bytes.data() + i * view.bytes, memory.data() + from * view.bytes,
                static_cast<size_t>(view.bytes));
    for (size_t axis = at.size(); axis-- > 0;) {
      from += view.strides[axis];
      if (++at[axis] < view.dims[axis]) break;
      from -= view.strides[axis] * view.dims[axis];
      at[axis] = 0;
    }
  }
  return bytes;
}

}  // namespace

Type TypeOf(int64_t scalar_type) {
  const TypeRow* row = FindType(scalar_type);
  return row == nullptr || row->complex ? torchscript::Tensor::OTHER : row->type;
}

absl::StatusOr<Entries> Entries::Open(absl::string_view bytes) {
  std::optional<Archive> archive = Archive::Open(bytes);
  if (!archive.has_value()) {
    return absl::InvalidArgumentError("is not a ZIP archive, or a truncated or damaged one");
  }
  Entries entries(*std::move(archive), bytes.size());
  const std::vector<std::string>& names = entries.archive_.names();
  for (size_t i = 0; i < names.size(); ++i) entries.by_name_.emplace(WithoutFolder(names[i]), i);
  return entries;
}

absl::StatusOr<std::string> Entries::Read(absl::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  if (it == by_name_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("its archive has no entry '", name, "'"));
  }
  const std::optional<uint64_t> size = archive_.StoredSize(it->second);
  if (!size.has_value() || *size > size_) {
    return absl::InvalidArgumentError(
        absl::StrCat("its entry '", name, "' is compressed or damaged, expected a stored one"));
  }
  std::optional<std::string> bytes = archive_.Read(it->second, *size);
  if (bytes.has_value()) return *std::move(bytes);
  return absl::InvalidArgumentError(
      absl::StrCat("its entry '", name, "' is damaged, or lies outside of the file"));
}

absl::StatusOr<Weights> Weights::Open(const Entries& entries, absl::string_view model,
                                      int64_t max_bytes) {
  Weights weights(entries, max_bytes);
  RETURN_IF_ERROR(weights.Add("data/weights/", model, "_weights_config.json"));
  RETURN_IF_ERROR(weights.Add("data/constants/", model, "_constants_config.json"));
  return weights;
}

absl::Status Weights::Add(absl::string_view folder, absl::string_view model,
                          absl::string_view list) {
  const std::string name = absl::StrCat(folder, model, list);
  if (!entries_->Has(name) && entries_->Has(absl::StrCat(folder, model, ".pt"))) {
    return absl::UnimplementedError(
        "has its weights in a pickle, as older versions of PyTorch wrote them; export the model "
        "again with a current PyTorch");
  }
  ASSIGN_OR_RETURN(const std::string text, entries_->Read(name));
  ASSIGN_OR_RETURN(Json parsed, Annotate(ParseJson(text), absl::StrCat("its entry '", name, "'")));
  lists_.push_back(std::make_unique<Json>(std::move(parsed)));
  ASSIGN_OR_RETURN(const Json* config, GetObject(*lists_.back(), "config"));
  for (const auto& [key, payload] : config->items()) {
    ASSIGN_OR_RETURN(const std::string path, GetText(payload, "path_name"));
    const Json* pickled = Find(payload, "use_pickle");
    const bool raw = pickled != nullptr && pickled->is_boolean() && !pickled->get<bool>();
    payloads_[key] = {absl::StrCat(folder, path), raw ? Find(payload, "tensor_meta") : nullptr};
  }
  return absl::OkStatus();
}

absl::StatusOr<torchscript::Tensor> Weights::Read(const std::string& name) const {
  const auto it = payloads_.find(name);
  if (it == payloads_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the file has no value of '", name, "'"));
  }
  return Annotate(ReadPayload(it->second), absl::StrCat("tensor '", name, "'"));
}

absl::StatusOr<torchscript::Tensor> Weights::ReadPayload(const Payload& payload) const {
  if (payload.meta == nullptr) {
    return absl::UnimplementedError("it is a pickled object, expected raw values");
  }
  ASSIGN_OR_RETURN(const int64_t scalar_type, GetInteger(*payload.meta, "dtype"));
  const TypeRow* type = FindType(scalar_type);
  if (type == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("its type is PyTorch's number ", scalar_type, ", which can't be imported"));
  }
  View view;
  view.bytes = type->bytes;
  ASSIGN_OR_RETURN(view.dims, ReadDims(*payload.meta, "sizes"));
  ASSIGN_OR_RETURN(view.strides, ReadDims(*payload.meta, "strides"));
  ASSIGN_OR_RETURN(const Json* offset, GetObject(*payload.meta, "storage_offset"));
  ASSIGN_OR_RETURN(view.offset, ReadDim(*offset, "storage_offset"));
  if (view.strides.size() != view.dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", view.dims.size(), " sizes and ", view.strides.size(), " strides"));
  }
  torchscript::Tensor tensor;
  tensor.set_type(type->type);
  tensor.mutable_dims()->Add(view.dims.begin(), view.dims.end());
  if (type->complex) {
    tensor.add_dims(2);
    tensor.set_complex(true);
  }
  ASSIGN_OR_RETURN(std::string memory, entries_->Read(payload.entry));
  ASSIGN_OR_RETURN(*tensor.mutable_data(), Gather(view, std::move(memory), max_bytes_));
  return tensor;
}

}  // namespace synap_internal::pt2_import
