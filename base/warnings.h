// Warnings that a stage returns together with its result.
#ifndef BASE_WARNINGS_H_
#define BASE_WARNINGS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace synap_internal {

// Collects warnings in the order in which they are added. Not thread-safe.
class Warnings {
 public:
  // Called with each warning when it is added, so that a user sees it before a long stage ends.
  using Listener = std::function<void(const std::string& sentence)>;

  Warnings() = default;
  explicit Warnings(Listener listener) : listener_(std::move(listener)) {}

  // One sentence without a line break or "Warning:".
  void Add(std::string sentence) {
    if (listener_) listener_(sentence);
    sentences_.push_back(std::move(sentence));
  }
  void AddAll(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) Add(sentence);
  }

  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  Listener listener_;
  std::vector<std::string> sentences_;
};

}  // namespace synap_internal

#endif  // BASE_WARNINGS_H_
