// Bytes that are wiped when they are released.
#ifndef RUNTIME_SECURITY_SECRET_BYTES_H_
#define RUNTIME_SECURITY_SECRET_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace synap_internal {

// Overwrites `bytes` with zeros, also where a compiler would leave that out because nothing reads
// them afterwards.
void Wipe(void* bytes, size_t size);

// Zeros at first. Movable, not copyable. Has a fixed size, so that growing leaves no copy behind.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(size_t size) : bytes_(size) {}
  SecretBytes(SecretBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    bytes_.swap(other.bytes_);
    return *this;
  }
  ~SecretBytes() { Wipe(bytes_.data(), bytes_.size()); }

  uint8_t* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  absl::Span<const uint8_t> span() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// A text that is wiped at the end of the scope.
class WipedText {
 public:
  explicit WipedText(std::string text) : text_(std::move(text)) {}
  WipedText(const WipedText&) = delete;
  WipedText& operator=(const WipedText&) = delete;
  ~WipedText() { Wipe(text_.data(), text_.size()); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_SECRET_BYTES_H_
