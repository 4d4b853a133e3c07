#include "compiler/import/torchscript/open_sizes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/input_shape.h"

namespace synap_internal::torchscript_import {
namespace {

// Within these no sum overflows.
constexpr int64_t kMaxFactor = int64_t{1} << 20, kMaxSize = Shape::kMaxElements;
constexpr int kMaxTerms = 4;

// Inputs of four dimensions begin with a batch, which is 1 (input_shape.h).
constexpr size_t kRankWithBatch = 4;

bool IsSmall(int64_t number) { return number >= -kMaxFactor && number <= kMaxFactor; }

bool IsUsable(const torchscript::OpenSize& size) {
  return size.terms_size() > 0 && size.terms_size() <= kMaxTerms && IsSmall(size.constant()) &&
         std::all_of(size.terms().begin(), size.terms().end(),
                     [](const auto& term) { return term.factor() != 0 && IsSmall(term.factor()); });
}

bool IsSymbol(const torchscript::OpenSize& size) {
  return size.terms_size() == 1 && size.terms(0).factor() == 1 && size.constant() == 0;
}

// "2*s27 + 1"
std::string ToString(const torchscript::OpenSize& size) {
  std::string text;
  for (const torchscript::OpenSize::Term& term : size.terms()) {
    absl::StrAppend(&text, text.empty() ? "" : " + ",
                    term.factor() == 1 ? "" : absl::StrCat(term.factor(), "*"), term.symbol());
  }
  if (size.constant() != 0) absl::StrAppend(&text, " + ", size.constant());
  return text;
}

class Resolver {
 public:
  explicit Resolver(const GraphFile& file) : file_(file) {}

  absl::Status Resolve(std::vector<PartInput>& inputs) {
    for (const PartInput& input : inputs) AddKnown(input);
    RETURN_IF_ERROR(Solve());
    for (const PartInput& input : inputs) {
      if (!input.given.has_value()) AssumeUsual(input);
    }
    for (PartInput& input : inputs) {
      if (!input.given.has_value()) input.given = ShapeOf(input);
    }
    return absl::OkStatus();
  }

 private:
  struct Known {
    const torchscript::OpenSize* open;
    int64_t size;
    std::string place;  // "dimension 1 of input 'x'"
  };

  struct Symbol {
    int64_t value;
    std::string place;  // what it follows from
  };

  const torchscript::Value& ValueOf(const PartInput& input) const {
    return *file_.values[input.value];
  }

  // Calls visit(size, dimension) for the open sizes of an input that can be solved.
  template <typename Visit>
  void VisitOpen(const PartInput& input, const Visit& visit) const {
    const torchscript::Value& value = ValueOf(input);
    for (const torchscript::OpenSize& open : value.open_sizes()) {
      const auto dim = static_cast<int>(std::min<uint32_t>(open.dim(), Shape::kMaxRank));
      const bool is_open = dim < value.shape().dims_size() && value.shape().dims(dim) < 0;
      if (is_open && IsUsable(open)) visit(open, static_cast<size_t>(dim));
    }
  }

  // What the metafile says of the input, if that fits it, and batches.
  void AddKnown(const PartInput& input) {
    const std::optional<OpenShape> declared = DeclaredShape(ValueOf(input));
    absl::StatusOr<Shape> shape = absl::NotFoundError("");
    if (input.given.has_value()) shape = ResolveInputShape(declared, input.given);
    VisitOpen(input, [&](const torchscript::OpenSize& open, size_t dim) {
      const bool is_batch = dim == 0 && declared->size() >= kRankWithBatch && IsSymbol(open);
      if (!shape.ok() && !is_batch) return;
      known_.push_back({&open, is_batch ? 1 : (*shape)[dim],
                        absl::StrCat("dimension ", dim, " of input '", input.name, "'")});
    });
  }

  absl::Status Solve() {
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const Known& known : known_) {
        ASSIGN_OR_RETURN(const bool found, SolveOne(known));
        is_new |= found;
      }
    }
    for (const Known& known : known_) {
      const std::optional<int64_t> expected = Evaluate(*known.open);
      if (!expected.has_value() || *expected == known.size) continue;
      const std::string& symbol = known.open->terms(0).symbol();
      const Symbol& other = symbols_.at(symbol);
      return absl::InvalidArgumentError(
          absl::StrCat(known.place, " is ", known.size, ", expected ", *expected, ": the file has ",
                       ToString(*known.open), " there, and ", symbol, " is ", other.value,
                       " because of ", other.place));
    }
    return absl::OkStatus();
  }

  // The only term whose symbol is unknown.
  const torchscript::OpenSize::Term* OnlyUnknown(const torchscript::OpenSize& size) const {
    const torchscript::OpenSize::Term* unknown = nullptr;
    for (const torchscript::OpenSize::Term& term : size.terms()) {
      if (symbols_.contains(term.symbol())) continue;
      if (unknown != nullptr) return nullptr;
      unknown = &term;
    }
    return unknown;
  }

  // Without the terms whose symbols are unknown.
  int64_t KnownPart(const torchscript::OpenSize& size) const {
    int64_t sum = size.constant();
    for (const torchscript::OpenSize::Term& term : size.terms()) {
      const auto symbol = symbols_.find(term.symbol());
      if (symbol != symbols_.end()) sum += term.factor() * symbol->second.value;
    }
    return sum;
  }

  std::optional<int64_t> Evaluate(const torchscript::OpenSize& size) const {
    for (const torchscript::OpenSize::Term& term : size.terms()) {
      if (!symbols_.contains(term.symbol())) return std::nullopt;
    }
    return KnownPart(size);
  }

  // The value of the term's symbol where `size` is so large; nothing if it isn't a whole number.
  std::optional<int64_t> ValueFor(const torchscript::OpenSize& size,
                                  const torchscript::OpenSize::Term& term, int64_t known) const {
    const int64_t rest = known - KnownPart(size), value = rest / term.factor();
    if (rest % term.factor() != 0 || std::abs(value) > kMaxSize) return std::nullopt;
    return value;
  }

  // Whether it makes a symbol known.
  absl::StatusOr<bool> SolveOne(const Known& known) {
    const torchscript::OpenSize::Term* unknown = OnlyUnknown(*known.open);
    if (unknown == nullptr) return false;
    const std::optional<int64_t> value = ValueFor(*known.open, *unknown, known.size);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(known.place, " is ", known.size, ", expected ",
                                                     ToString(*known.open), " for a whole number ",
                                                     unknown->symbol()));
    }
    RETURN_IF_ERROR(CheckRange(unknown->symbol(), {*value, known.place}, known.size));
    symbols_[unknown->symbol()] = {*value, known.place};
    return true;
  }

  const torchscript::SizeRange* RangeOf(const std::string& symbol) const {
    for (const torchscript::SizeRange& range : file_.proto->size_ranges()) {
      if (range.symbol() == symbol) return &range;
    }
    return nullptr;
  }

  // PyTorch takes 2 for the least size of what may change, whatever the module can do.
  static bool IsTooSmall(int64_t value, const torchscript::SizeRange& range) {
    constexpr int64_t kUsualMin = 2;
    return value < range.min() && (value != 1 || range.min() > kUsualMin);
  }

  absl::Status CheckRange(const std::string& name, const Symbol& symbol, int64_t size) const {
    const torchscript::SizeRange* range = RangeOf(name);
    if (range == nullptr) return absl::OkStatus();
    const bool has_max = range->max() > 0;
    const bool is_large = has_max && symbol.value > range->max();
    if (!is_large && !IsTooSmall(symbol.value, *range)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        symbol.place, " is ", size, ", which makes the file's ", name, " ", symbol.value,
        ", expected ", range->min(), has_max ? absl::StrCat(" to ", range->max()) : " or more",
        ", the sizes that it was exported for"));
  }

  // A batch of 1, then the sizes of the example.
  void AssumeUsual(const PartInput& input) {
    const torchscript::Value& value = ValueOf(input);
    VisitOpen(input, [&](const torchscript::OpenSize& open, size_t dim) {
      if (dim != 0 || value.shape().dims_size() < 2 || !IsSymbol(open)) return;
      const torchscript::SizeRange* range = RangeOf(open.terms(0).symbol());
      if (range != nullptr && IsTooSmall(1, *range)) return;
      symbols_.try_emplace(open.terms(0).symbol(), Symbol{1, "a batch"});
    });
    const std::optional<Shape> traced = TracedShape(value);
    if (!traced.has_value()) return;
    VisitOpen(input, [&](const torchscript::OpenSize& open, size_t dim) {
      const torchscript::OpenSize::Term* unknown = OnlyUnknown(open);
      if (unknown == nullptr || dim >= traced->rank()) return;
      const auto found = ValueFor(open, *unknown, (*traced)[dim]);
      if (found.has_value()) symbols_[unknown->symbol()] = {*found, "the example"};
    });
  }

  // Nothing if the file has no open sizes there that are known by now, or others too.
  std::optional<Shape> ShapeOf(const PartInput& input) const {
    const torchscript::Value& value = ValueOf(input);
    const std::optional<Shape> traced = TracedShape(value);
    std::vector<int64_t> dims(value.shape().dims().begin(), value.shape().dims().end());
    bool found = false;
    VisitOpen(input, [&](const torchscript::OpenSize& open, size_t dim) {
      dims[dim] = Evaluate(open).value_or(-1);
      found |= dims[dim] > 0;
    });
    for (size_t i = 0; found && i < dims.size(); ++i) {
      if (dims[i] >= 0) continue;
      if (i == 0 && dims.size() > 1) {
        dims[i] = 1;
      } else if (traced.has_value() && i < traced->rank()) {
        dims[i] = (*traced)[i];
      } else {
        found = false;
      }
    }
    return found ? std::optional(Shape(std::move(dims))) : std::nullopt;
  }

  const GraphFile& file_;
  std::vector<Known> known_;
  std::map<std::string, Symbol> symbols_;
};

}  // namespace

absl::Status ResolveOpenSizes(const GraphFile& file, std::vector<PartInput>& inputs) {
  return Resolver(file).Resolve(inputs);
}

}  // namespace synap_internal::torchscript_import
