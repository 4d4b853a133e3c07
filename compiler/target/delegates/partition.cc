#include "compiler/target/delegates/partition.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace synap_internal {
namespace {

using Nodes = absl::Span<const ColouredNode>;
using Part = std::vector<int>;

// Sets of done nodes that are searched on with equally many parts.
constexpr size_t kMostStates = 32;

struct State {
  std::vector<bool> done;
  size_t count = 0;  // of done nodes
  std::vector<Part> parts;
};

bool IsReady(const ColouredNode& node, const std::vector<bool>& done) {
  return std::all_of(node.producers.begin(), node.producers.end(),
                     [&](int producer) { return done[static_cast<size_t>(producer)]; });
}

// `state` with one more part: all nodes of the colour that can run before another colour must. A
// smaller part would never make later parts fewer.
State Grown(const State& state, Nodes nodes, int colour) {
  State next = state;
  Part part;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (next.done[n] || nodes[n].colour != colour || !IsReady(nodes[n], next.done)) continue;
    next.done[n] = true;
    part.push_back(static_cast<int>(n));
  }
  next.count += part.size();
  if (!part.empty()) next.parts.push_back(std::move(part));
  return next;
}

std::vector<Part> FewestParts(Nodes nodes) {
  int colours = 0;
  for (const ColouredNode& node : nodes) colours = std::max(colours, node.colour + 1);
  std::vector<State> states = {{std::vector<bool>(nodes.size()), 0, {}}};
  while (states.front().count < nodes.size()) {
    std::vector<State> next;
    std::set<std::vector<bool>> seen;
    for (const State& state : states) {
      for (int colour = 0; colour < colours; ++colour) {
        State grown = Grown(state, nodes, colour);
        if (grown.count > state.count && seen.insert(grown.done).second) {
          next.push_back(std::move(grown));
        }
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const State& a, const State& b) { return a.count > b.count; });
    if (next.size() > kMostStates) next.resize(kMostStates);
    states = std::move(next);
  }
  return std::move(states.front().parts);
}

// Cuts the parts of a partition.
class Cutter {
 public:
  Cutter(Nodes nodes, const std::vector<Part>& parts) : nodes_(nodes), parts_(parts) {}

  // Part `p` as one or more pieces, each of which may run before those after it.
  std::vector<Part> Pieces(size_t p) const {
    Part rest = parts_[p];
    std::vector<Part> pieces;
    for (size_t reader = p + 1; reader < parts_.size(); ++reader) {
      if (ColourOf(reader) == ColourOf(p)) continue;
      auto [needed, free] = Needed(rest, reader);
      if (needed.empty() || !HasWork(free)) continue;
      pieces.push_back(std::move(needed));
      rest = std::move(free);
    }
    pieces.push_back(std::move(rest));
    return pieces;
  }

 private:
  int ColourOf(size_t part) const {
    return nodes_[static_cast<size_t>(parts_[part].front())].colour;
  }

  bool HasWork(const Part& part) const {
    return std::any_of(part.begin(), part.end(),
                       [&](int node) { return nodes_[static_cast<size_t>(node)].is_work; });
  }

  // The nodes of `piece` that part `reader` depends on through this piece, and the others.
  std::pair<Part, Part> Needed(const Part& piece, size_t reader) const {
    std::vector<bool> needed(nodes_.size());
    const auto mark = [&](int node) {
      for (const int producer : nodes_[static_cast<size_t>(node)].producers) {
        needed[static_cast<size_t>(producer)] = true;
      }
    };
    for (const int node : parts_[reader]) mark(node);
    for (auto node = piece.rbegin(); node != piece.rend(); ++node) {
      if (needed[static_cast<size_t>(*node)]) mark(*node);
    }
    std::pair<Part, Part> result;
    for (const int node : piece) {
      (needed[static_cast<size_t>(node)] ? result.first : result.second).push_back(node);
    }
    return result;
  }

  Nodes nodes_;
  const std::vector<Part>& parts_;
};

}  // namespace

std::vector<std::vector<int>> PartitionByColour(Nodes nodes) {
  const std::vector<Part> fewest = FewestParts(nodes);
  const Cutter cutter(nodes, fewest);
  std::vector<Part> parts;
  for (size_t p = 0; p < fewest.size(); ++p) {
    for (Part& piece : cutter.Pieces(p)) parts.push_back(std::move(piece));
  }
  return parts;
}

}  // namespace synap_internal
