#include "runtime/api/logging.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/terminal_text.h"
#include "synap/logging.hpp"

namespace synap_internal {
namespace {

using Callback = synaptics::synap::LogCallback;

constexpr int kFromEnvironment = -1;

std::atomic<int> chosen_level{kFromEnvironment};  // of set_log_level

struct CallbackHolder {
  std::mutex mutex;
  std::shared_ptr<const Callback> callback;  // null: stderr
};

CallbackHolder& GetCallbackHolder() {
  static auto* const holder = new CallbackHolder;
  return *holder;
}

std::shared_ptr<const Callback> CurrentCallback() {
  CallbackHolder& holder = GetCallbackHolder();
  const std::lock_guard<std::mutex> lock(holder.mutex);
  return holder.callback;
}

// Where messages of this thread go instead of to stderr; null: nowhere else.
thread_local std::string* capture = nullptr;

std::string& LastError() {
  static thread_local std::string message;
  return message;
}

}  // namespace

std::string* SetLogCapture(std::string* text) { return std::exchange(capture, text); }

void ShowLogText(absl::string_view text) {
  if (capture != nullptr) {
    capture->append(text.data(), text.size());
  } else {
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

bool IsLoggedAt(LogLevel level, const char* variable) {
  int minimum = static_cast<int>(LogLevel::kWarning);
  if (variable != nullptr) {
    int value = 0;
    if (absl::SimpleAtoi(variable, &value)) minimum = value;
  }
  return minimum >= 0 && static_cast<int>(level) >= minimum;
}

bool IsLogged(LogLevel level) {
  const int chosen = chosen_level.load(std::memory_order_relaxed);
  if (chosen != kFromEnvironment) return static_cast<int>(level) >= chosen;
  static const char* const variable = std::getenv("SYNAP_NB_LOG_LEVEL");
  return IsLoggedAt(level, variable);
}

std::string FormatLog(LogLevel level, absl::string_view function, int line,
                      absl::string_view message) {
  const char letter = "VIWE"[static_cast<int>(level)];
  return absl::StrCat(absl::string_view(&letter, 1), ":SyNAP: ", function, ":", line, ": ",
                      TerminalText(message), "\n");
}

void Log(LogLevel level, absl::string_view function, int line, absl::string_view message) {
  if (level == LogLevel::kError) LastError().assign(message.data(), message.size());
  if (!IsLogged(level)) return;
  const std::shared_ptr<const Callback> callback = CurrentCallback();
  if (callback == nullptr) return ShowLogText(FormatLog(level, function, line, message));
  try {
    (*callback)(static_cast<synaptics::synap::LogLevel>(level), std::string(message));
  } catch (...) {  // of the application, which the function that logs knows nothing about
  }
}

}  // namespace synap_internal

namespace synaptics::synap {

void set_log_level(LogLevel level) {
  ::synap_internal::chosen_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

void set_log_callback(LogCallback callback) {
  try {
    std::shared_ptr<const LogCallback> shared;
    if (callback != nullptr) shared = std::make_shared<const LogCallback>(std::move(callback));
    ::synap_internal::CallbackHolder& holder = ::synap_internal::GetCallbackHolder();
    const std::lock_guard<std::mutex> lock(holder.mutex);
    holder.callback.swap(shared);  // the old one is destroyed after the lock
  } catch (const std::exception&) {
    std::fputs("E:SyNAP: set_log_callback: out of memory\n", stderr);
  }
}

std::string last_error() {
  try {
    return ::synap_internal::LastError();
  } catch (const std::exception&) {
    return "";  // there is no memory for the message
  }
}

void clear_last_error() { ::synap_internal::LastError().clear(); }

}  // namespace synaptics::synap
