// softmax(mask(cap(q k^T scale))) v, as "Attention Is All You Need" (Vaswani et al., 2017) defines
// it, with the forms that ONNX and PyTorch add: grouped heads, caps and masks.
#ifndef COMPILER_IMPORT_EMIT_ATTENTION_H_
#define COMPILER_IMPORT_EMIT_ATTENTION_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Keys that a query may attend to, by position.
struct KeyWindow {
  int64_t before = -1;  // keys before the query's own position; -1: all
  int64_t after = -1;   // keys after it
  // Position of the first query among the keys, and the keys that count, of each image of the
  // batch, or one for all of them.
  std::vector<int64_t> offsets = {0};
  std::vector<int64_t> lengths;  // empty: all keys

  // Keys from `length` on don't count.
  void Limit(int64_t length) {
    if (lengths.empty()) lengths.assign(offsets.size(), length);
    for (int64_t& own : lengths) own = std::min(own, length);
  }

  bool restricts() const { return before >= 0 || after >= 0 || !lengths.empty(); }
};

// A constant, bool [queries, keys] or, if the window differs by image, [B, 1, queries, keys].
// ResourceExhausted beyond the builder's budget.
Emitted EmitWindowMask(OpEmitter& op, const KeyWindow& window, int64_t queries, int64_t keys);

// The score of keys that don't count: below any other, and finite, since the difference of
// infinities isn't a number.
inline constexpr float kExcludedScore = -1e30f;

struct Attention {
  Tensor *q, *k, *v;          // [B,heads,S,D]; k and v may have fewer heads, each for several of q
  Tensor* bias = nullptr;     // added to the scores
  Tensor* allowed = nullptr;  // bool: scores that count
  float scale = 1;
  float softcap = 0;  // 0: none
};

struct Attended {
  Tensor* y = nullptr;  // [B,heads,S,D]
  // [B,heads,queries,keys]
  Tensor *scores = nullptr, *capped = nullptr, *masked = nullptr, *probabilities = nullptr;
};

// InvalidArgument if query, key and value don't fit each other.
absl::Status CheckAttention(const Attention& in);

// `name`: the suffix of the output's. InvalidArgument as CheckAttention, Unimplemented for a
// mask that doesn't broadcast to the scores.
absl::StatusOr<Attended> EmitAttention(OpEmitter& op, const Attention& in, absl::string_view name);

// 1 / sqrt(D) of a query [..., D].
float DefaultAttentionScale(const Tensor& query);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_ATTENTION_H_
