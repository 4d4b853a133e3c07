#include "compiler/import/pt2/size_expression.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace synap_internal::pt2_import {
namespace {

// Within these no product overflows, and longer ones aren't sizes.
constexpr int64_t kMaxNumber = int64_t{1} << 30;
constexpr int kMaxExpressionDepth = 16;
constexpr size_t kMaxParts = 16;  // of a sum or a product

struct Linear {
  std::map<std::string, int64_t> factors;
  int64_t constant = 0;
};
using Parsed = std::optional<Linear>;

bool IsSmall(int64_t number) { return number >= -kMaxNumber && number <= kMaxNumber; }

bool IsSmall(const Linear& form) {
  for (const auto& [symbol, factor] : form.factors) {
    if (!IsSmall(factor)) return false;
  }
  return IsSmall(form.constant);
}

Parsed Sum(const std::vector<Linear>& parts) {
  Linear sum;
  for (const Linear& part : parts) {
    sum.constant += part.constant;
    for (const auto& [symbol, factor] : part.factors) sum.factors[symbol] += factor;
    if (!IsSmall(sum)) return std::nullopt;
  }
  return sum;
}

// Of which at most one has symbols.
Parsed Product(const std::vector<Linear>& parts) {
  Linear product{{}, 1};
  for (const Linear& part : parts) {
    if (!product.factors.empty() && !part.factors.empty()) return std::nullopt;
    const bool is_number = part.factors.empty();
    const int64_t number = is_number ? part.constant : product.constant;
    if (!is_number) product = part;
    for (auto& [symbol, factor] : product.factors) factor *= number;
    product.constant *= number;
    if (!IsSmall(product)) return std::nullopt;
  }
  return product;
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : rest_(text) {}

  Parsed ParseAll() {
    Parsed parsed = Parse(0);
    return rest_.empty() ? parsed : std::nullopt;
  }

 private:
  Parsed Parse(int depth) {
    if (depth == kMaxExpressionDepth) return std::nullopt;
    if (absl::ConsumePrefix(&rest_, "Integer(")) return ParseNumber();
    if (absl::ConsumePrefix(&rest_, "Symbol('")) return ParseSymbol();
    const bool is_sum = absl::ConsumePrefix(&rest_, "Add(");
    if (!is_sum && !absl::ConsumePrefix(&rest_, "Mul(")) return std::nullopt;
    std::vector<Linear> parts;
    do {
      Parsed part = Parse(depth + 1);
      if (!part.has_value()) return std::nullopt;
      if (parts.size() == kMaxParts) return std::nullopt;
      parts.push_back(*std::move(part));
    } while (absl::ConsumePrefix(&rest_, ", "));
    if (!absl::ConsumePrefix(&rest_, ")")) return std::nullopt;
    return is_sum ? Sum(parts) : Product(parts);
  }

  // The text before `end`, which is left out.
  std::optional<absl::string_view> TextBefore(char end) {
    const size_t size = rest_.find(end);
    if (size == absl::string_view::npos) return std::nullopt;
    const absl::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return text;
  }

  Parsed ParseNumber() {
    const auto text = TextBefore(')');
    Linear number;
    if (!text.has_value() || !absl::SimpleAtoi(*text, &number.constant)) return std::nullopt;
    return IsSmall(number) ? Parsed(number) : std::nullopt;
  }

  // s27', positive=True, integer=True)
  Parsed ParseSymbol() {
    const auto name = TextBefore('\'');
    if (!name.has_value() || !TextBefore(')').has_value()) return std::nullopt;
    return Linear{{{std::string(*name), 1}}, 0};
  }

  absl::string_view rest_;
};

}  // namespace

std::optional<torchscript::OpenSize> ParseSize(absl::string_view text) {
  const Parsed form = Parser(text).ParseAll();
  if (!form.has_value()) return std::nullopt;
  torchscript::OpenSize size;
  size.set_constant(form->constant);
  for (const auto& [symbol, factor] : form->factors) {
    if (factor == 0) continue;
    torchscript::OpenSize::Term& term = *size.add_terms();
    term.set_symbol(symbol);
    term.set_factor(factor);
  }
  return size.terms_size() > 0 ? std::optional(size) : std::nullopt;
}

}  // namespace synap_internal::pt2_import
