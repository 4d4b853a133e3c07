// Einsum, as diagonals, sums and matrix products.
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
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
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
  return absl::InvalidArgumentError(
      absl::StrCat("attribute 'equation' is '", equation, "': ", why));
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
      return absl::InvalidArgumentError(absl::StrCat("attribute 'equation' has the term '", term,
                                                     "', expected letters and '...'"));
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

absl::StatusOr<Equation> ReadEquation(NodeContext& node) {
  std::string text = node.String("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::vector<std::string> sides = absl::StrSplit(text, "->");
  const std::vector<std::string> terms = absl::StrSplit(sides[0], ',');
  if (sides.size() > 2 || terms.size() != node.input_count()) {
    return BadEquation(text, absl::StrCat("expected ", node.input_count(), " terms"));
  }
  Equation equation;
  size_t widest = 0;  // ellipsis
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!node.HasInput(i)) return absl::InvalidArgumentError("an operand is missing");
    const bool open = absl::StrContains(terms[i], "...");
    const size_t rank = node.shape(i).rank(), named = terms[i].size() - (open ? 3 : 0);
    if (named > rank || (!open && named != rank)) {
      return BadEquation(text, absl::StrCat("term ", i, " is for another rank than that of ",
                                            node.shape(i).ToString()));
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
absl::Status Permute(NodeContext& node, const Labels& order, Term& term) {
  if (order == term.labels) return absl::OkStatus();
  std::vector<int64_t> perm;
  for (const int label : order) {
    perm.push_back(static_cast<int64_t>(PositionOf(term.labels, label)));
  }
  ASSIGN_OR_RETURN(term.x, node.Transpose(term.x, std::move(perm), ".permuted"));
  term.labels = order;
  return absl::OkStatus();
}

// Takes the diagonal of two dimensions with one label.
absl::Status TakeDiagonals(NodeContext& node, Term& term) {
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
      ASSIGN_OR_RETURN(Tensor * y, node.Transpose(term.x, std::move(perm), ".pair"));
      ASSIGN_OR_RETURN(y, node.Reshape(y, std::move(dims), ".pair"));
      ASSIGN_OR_RETURN(Tensor * rows, node.builder().AddRange(node.Name(".rows"), 0, n, n + 1));
      ASSIGN_OR_RETURN(term.x, EmitGather(node, y, rows, 0, ".diagonal"));
      term.labels = std::move(labels);
      i = 0;
      j = 1;
    }
  }
  return absl::OkStatus();
}

// Sums over the dimensions whose labels aren't needed any more.
template <typename IsNeeded>
absl::Status SumOthers(NodeContext& node, IsNeeded is_needed, Term& term) {
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
  ASSIGN_OR_RETURN(term.x, EmitReduce(node, "reduce_sum", term.x, std::move(axes), false, ".sum"));
  term.labels = std::move(kept);
  return absl::OkStatus();
}

// Repeats dimensions of 1 where the other term has more of that label.
absl::Status Broadcast(NodeContext& node, const Term& other, Term& term) {
  std::vector<int64_t> dims = term.x->type.shape.dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t at = PositionOf(other.labels, term.labels[i]);
    if (dims[i] == 1 && at < other.labels.size()) dims[i] = other.x->type.shape[at];
  }
  if (dims == term.x->type.shape.dims()) return absl::OkStatus();
  ASSIGN_OR_RETURN(term.x,
                   node.Emit("expand", {term.x}, {{"shape", std::move(dims)}}, ".repeated"));
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
absl::StatusOr<Term> Contract(NodeContext& node, IsNeeded is_needed, Term a, Term b) {
  Labels batch, inner, rows, columns;
  RETURN_IF_ERROR(Broadcast(node, b, a));
  RETURN_IF_ERROR(Broadcast(node, a, b));
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
  RETURN_IF_ERROR(Permute(node, Joined(batch, rows, inner), a));
  RETURN_IF_ERROR(Permute(node, Joined(batch, inner, columns), b));
  const int64_t depth = ProductOf(a, inner);
  ASSIGN_OR_RETURN(Tensor * left,
                   node.Reshape(a.x, {ProductOf(a, batch), ProductOf(a, rows), depth}, ".left"));
  ASSIGN_OR_RETURN(
      Tensor * right,
      node.Reshape(b.x, {ProductOf(b, batch), depth, ProductOf(b, columns)}, ".right"));
  ASSIGN_OR_RETURN(product.x, node.Emit("matmul", {left, right}, {}, ".product"));
  RETURN_IF_ERROR(Shape(dims).Validate());
  ASSIGN_OR_RETURN(product.x, node.Reshape(product.x, std::move(dims), ".product"));
  return product;
}

absl::Status MapEinsum(NodeContext& node) {
  ASSIGN_OR_RETURN(const Equation equation, ReadEquation(node));
  std::vector<Term> terms;
  for (size_t i = 0; i < equation.operands.size(); ++i) {
    terms.push_back({node.input(i), equation.operands[i]});
    RETURN_IF_ERROR(TakeDiagonals(node, terms.back()));
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
    RETURN_IF_ERROR(SumOthers(node, needed_from(i), result));
    if (i == terms.size()) break;
    RETURN_IF_ERROR(SumOthers(
        node,
        [&](int label) { return Contains(result.labels, label) || needed_from(i + 1)(label); },
        terms[i]));
    ASSIGN_OR_RETURN(result, Contract(node, needed_from(i + 1), result, terms[i]));
  }
  RETURN_IF_ERROR(Permute(node, equation.output, result));
  // The result may be an operand as it is.
  return node.SetOutput(result.x);
}

constexpr OpMapping kMappings[] = {
    {"Einsum", 1, kAnyCount, MapEinsum},
};

}  // namespace

absl::Span<const OpMapping> EinsumMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
