#include "compiler/import/emit/einsum.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"

namespace synap_internal {
namespace {

// Labels of dimensions: letters, or negative numbers for those of an ellipsis, -1 the last.
using Labels = std::vector<int>;

struct Term {
  Tensor* x = nullptr;
  Labels labels;  // one for each dimension
};

struct Equation {
  std::vector<Labels> operands;
  Labels output;
};

bool Contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

size_t PositionOf(const Labels& labels, int label) {
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

absl::Status BadEquation(absl::string_view equation, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("its equation is '", equation, "': ", why));
}

// Labels of one term whose ellipsis stands for `ellipsis` dimensions.
absl::StatusOr<Labels> ParseTerm(absl::string_view term, size_t ellipsis) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (absl::StartsWith(term.substr(i), "...")) {
      for (size_t d = ellipsis; d > 0; --d) labels.push_back(-static_cast<int>(d));
      i += 2;
    } else if (absl::ascii_isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("its equation has the term '", term, "', expected letters and '...'"));
    }
  }
  return labels;
}

// The output of an equation without "->": the ellipsis, then the labels that occur once, in
// alphabetical order.
Labels ImpliedOutput(const std::vector<Labels>& operands) {
  std::map<int, int> counts;
  for (const Labels& labels : operands) {
    for (const int label : labels) ++counts[label];
  }
  Labels output;
  for (const auto& [label, count] : counts) {
    if (label < 0 || count == 1) output.push_back(label);
  }
  return output;
}

absl::StatusOr<Equation> ReadEquation(std::string text, const std::vector<Tensor*>& operands) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::vector<std::string> sides = absl::StrSplit(text, "->");
  const std::vector<std::string> terms = absl::StrSplit(sides[0], ',');
  if (sides.size() > 2 || terms.size() != operands.size()) {
    return BadEquation(text, absl::StrCat("expected ", operands.size(), " terms"));
  }
  Equation equation;
  size_t widest = 0;  // ellipsis
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool open = absl::StrContains(terms[i], "...");
    const Shape& shape = operands[i]->type.shape;
    const size_t rank = shape.rank(), named = terms[i].size() - (open ? 3 : 0);
    if (named > rank || (!open && named != rank)) {
      return BadEquation(
          text, absl::StrCat("term ", i, " is for another rank than that of ", shape.ToString()));
    }
    ASSIGN_OR_RETURN(Labels labels, ParseTerm(terms[i], rank - named));
    if (labels.size() != rank) return BadEquation(text, "a term has two ellipses");
    widest = std::max(widest, rank - named);
    equation.operands.push_back(std::move(labels));
  }
  if (sides.size() == 1) {
    equation.output = ImpliedOutput(equation.operands);
    return equation;
  }
  ASSIGN_OR_RETURN(equation.output, ParseTerm(sides[1], widest));
  for (const int label : equation.output) {
    const bool known = std::any_of(equation.operands.begin(), equation.operands.end(),
                                   [&](const Labels& labels) { return Contains(labels, label); });
    const auto count = std::count(equation.output.begin(), equation.output.end(), label);
    if (!known || count > 1)
      return BadEquation(text, "its output has a label twice, or one that no term has");
  }
  return equation;
}

// Puts the dimensions into another order of the same labels.
absl::Status Permute(OpEmitter& op, const Labels& order, Term& term) {
  if (order == term.labels) return absl::OkStatus();
  std::vector<int64_t> perm;
  for (const int label : order) {
    perm.push_back(static_cast<int64_t>(PositionOf(term.labels, label)));
  }
  ASSIGN_OR_RETURN(term.x, op.Transpose(term.x, std::move(perm), ".permuted"));
  term.labels = order;
  return absl::OkStatus();
}

// Takes the diagonal of two dimensions with one label.
absl::Status TakeDiagonals(OpEmitter& op, Term& term) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    for (size_t j = i + 1; j < term.labels.size();) {
      if (term.labels[j] != term.labels[i]) {
        ++j;
        continue;
      }
      const Shape& s = term.x->type.shape;
      const int64_t n = s[i];
      if (s[j] != n) {
        return absl::InvalidArgumentError(absl::StrCat(
            "its operand ", s.ToString(), " has no diagonal of dimensions ", i, " and ", j));
      }
      // [n, n, others] flat: every (n + 1)-th row.
      std::vector<int64_t> perm = {static_cast<int64_t>(i), static_cast<int64_t>(j)};
      std::vector<int64_t> dims = {n * n};
      Labels labels = {term.labels[i]};
      for (size_t d = 0; d < s.rank(); ++d) {
        if (d == i || d == j) continue;
        perm.push_back(static_cast<int64_t>(d));
        dims.push_back(s[d]);
        labels.push_back(term.labels[d]);
      }
      Emitted y = op.Transpose(term.x, std::move(perm), ".pair");
      y = op.Reshape(y, std::move(dims), ".pair");
      const Emitted rows = op.builder().AddRange(op.Name(".rows"), 0, n, n + 1);
      ASSIGN_OR_RETURN(term.x, EmitGather(op, y, rows, 0, ".diagonal"));
      term.labels = std::move(labels);
      i = 0;
      j = 1;
    }
  }
  return absl::OkStatus();
}

// Sums over the dimensions whose labels aren't needed any more.
template <typename IsNeeded>
absl::Status SumOthers(OpEmitter& op, IsNeeded is_needed, Term& term) {
  std::vector<int64_t> axes;
  Labels kept;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (is_needed(term.labels[i])) {
      kept.push_back(term.labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(term.x, EmitReduce(op, "reduce_sum", term.x, std::move(axes), false, ".sum"));
  term.labels = std::move(kept);
  return absl::OkStatus();
}

// Repeats dimensions of 1 where the other term has more of that label.
absl::Status Broadcast(OpEmitter& op, const Term& other, Term& term) {
  std::vector<int64_t> dims = term.x->type.shape.dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t at = PositionOf(other.labels, term.labels[i]);
    if (dims[i] == 1 && at < other.labels.size()) dims[i] = other.x->type.shape[at];
  }
  if (dims == term.x->type.shape.dims()) return absl::OkStatus();
  ASSIGN_OR_RETURN(term.x, op.Emit("expand", {term.x}, {{"shape", std::move(dims)}}, ".repeated"));
  return absl::OkStatus();
}

int64_t ProductOf(const Term& term, const Labels& labels) {
  int64_t product = 1;
  for (const int label : labels) {
    product *= term.x->type.shape[PositionOf(term.labels, label)];
  }
  return product;
}

Labels Joined(const Labels& a, const Labels& b, const Labels& c) {
  Labels joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  joined.insert(joined.end(), c.begin(), c.end());
  return joined;
}

// Matrix products of two terms, one for each element of the labels that both have and are needed
// later. Labels that both have and aren't needed are summed over.
template <typename IsNeeded>
absl::StatusOr<Term> Contract(OpEmitter& op, IsNeeded is_needed, Term a, Term b) {
  Labels batch, inner, rows, columns;
  RETURN_IF_ERROR(Broadcast(op, b, a));
  RETURN_IF_ERROR(Broadcast(op, a, b));
  for (const int label : a.labels) {
    Labels& group = !Contains(b.labels, label) ? rows : is_needed(label) ? batch : inner;
    group.push_back(label);
  }
  for (const int label : b.labels) {
    if (!Contains(a.labels, label)) columns.push_back(label);
  }
  Term product;
  product.labels = Joined(batch, rows, columns);
  std::vector<int64_t> dims;
  for (const int label : product.labels) {
    const Term& owner = Contains(a.labels, label) ? a : b;
    dims.push_back(ProductOf(owner, {label}));
  }
  if (ProductOf(a, batch) != ProductOf(b, batch) || ProductOf(a, inner) != ProductOf(b, inner)) {
    return absl::InvalidArgumentError(absl::StrCat("its operands ", a.x->type.shape.ToString(),
                                                   " and ", b.x->type.shape.ToString(),
                                                   " differ in a dimension that they share"));
  }
  RETURN_IF_ERROR(Permute(op, Joined(batch, rows, inner), a));
  RETURN_IF_ERROR(Permute(op, Joined(batch, inner, columns), b));
  const int64_t depth = ProductOf(a, inner);
  const Emitted left = op.Reshape(a.x, {ProductOf(a, batch), ProductOf(a, rows), depth}, ".left");
  const Emitted right =
      op.Reshape(b.x, {ProductOf(b, batch), depth, ProductOf(b, columns)}, ".right");
  ASSIGN_OR_RETURN(product.x, op.Emit("matmul", {left, right}, {}, ".product"));
  RETURN_IF_ERROR(Shape(dims).Validate());
  ASSIGN_OR_RETURN(product.x, op.Reshape(product.x, std::move(dims), ".product"));
  return product;
}

}  // namespace

Emitted EmitEinsum(OpEmitter& op, absl::string_view text, const std::vector<Tensor*>& operands) {
  ASSIGN_OR_RETURN(const Equation equation, ReadEquation(std::string(text), operands));
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) {
    terms.push_back({operands[i], equation.operands[i]});
    RETURN_IF_ERROR(TakeDiagonals(op, terms.back()));
  }
  Term result = terms[0];
  for (size_t i = 1; i <= terms.size(); ++i) {
    const auto needed_from = [&](size_t first) {
      return [&, first](int label) {
        bool needed = Contains(equation.output, label);
        for (size_t k = first; k < terms.size(); ++k) needed |= Contains(terms[k].labels, label);
        return needed;
      };
    };
    RETURN_IF_ERROR(SumOthers(op, needed_from(i), result));
    if (i == terms.size()) break;
    RETURN_IF_ERROR(SumOthers(
        op, [&](int label) { return Contains(result.labels, label) || needed_from(i + 1)(label); },
        terms[i]));
    ASSIGN_OR_RETURN(result, Contract(op, needed_from(i + 1), result, terms[i]));
  }
  RETURN_IF_ERROR(Permute(op, equation.output, result));
  return result.x;
}

}  // namespace synap_internal
