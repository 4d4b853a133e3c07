// Warnings of a stage, returned beside its result.
#ifndef BASE_WARNINGS_H_
#define BASE_WARNINGS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

enum class Severity : uint8_t {
  kNote,     // how something was read; nothing to change if that is meant
  kWarning,  // it converts, but probably not as its user means it
};

// Place that a warning is about, as far as it is known.
struct WarningPlace {
  std::string file;  // a metafile, model or picture; empty: none
  int line = 0;      // of `file`, from 1; 0: the whole file
  int column = 0;    // from 1; 0 without a line
  std::string node;  // as a sentence names it: "input 'x'", "layer 'conv1'"; empty: none

  friend bool operator==(const WarningPlace& a, const WarningPlace& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.node == b.node;
  }
};

// The place of a node alone; kind: "input", "layer".
WarningPlace AtNode(absl::string_view kind, absl::string_view name);

struct Warning {
  WarningPlace place;
  std::string sentence;  // without its place, line breaks and "Warning:"
  Severity severity = Severity::kWarning;

  // "net.yaml:3:5: input 'x': <sentence>", with the parts of the place that are known.
  std::string Text() const;

  friend bool operator==(const Warning& a, const Warning& b) {
    return a.place == b.place && a.sentence == b.sentence && a.severity == b.severity;
  }
};

// Collects warnings in the order in which they are added. Not thread-safe.
class Warnings {
 public:
  // Called with each warning when it is added, so that a user sees it before a long stage ends.
  using Listener = std::function<void(const Warning& warning)>;

  Warnings() = default;
  explicit Warnings(Listener listener) : listener_(std::move(listener)) {}

  void Add(Warning warning);
  void Add(WarningPlace place, std::string sentence) {
    Add(Warning{std::move(place), std::move(sentence)});
  }
  // About the conversion as a whole.
  void Add(std::string sentence) { Add(WarningPlace{}, std::move(sentence)); }
  void AddAll(const std::vector<Warning>& warnings);

  const std::vector<Warning>& all() const { return warnings_; }
  // The texts of those of one severity.
  std::vector<std::string> Texts(Severity severity = Severity::kWarning) const;

 private:
  Listener listener_;
  std::vector<Warning> warnings_;
};

}  // namespace synap_internal

#endif  // BASE_WARNINGS_H_
