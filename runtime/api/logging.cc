#include "runtime/api/logging.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/terminal_text.h"
#include "runtime/api/lasting.h"
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
  static const Lasting<CallbackHolder> holder;
  return *holder.get();
}

std::shared_ptr<const Callback> CurrentCallback() {
  CallbackHolder& holder = GetCallbackHolder();
  const std::lock_guard<std::mutex> lock(holder.mutex);
  return holder.callback;
}

// Where messages of this thread go instead of to stderr; null: nowhere else.
thread_local std::string* capture = nullptr;

constexpr char kOutOfMemory[] = "out of memory";

// The errors of a thread. A thread_local object with a destructor isn't used: registering that one
// ends the process without memory.
struct Errors {
  std::string last;
  std::string shown;  // what LastErrorText() points to
};
thread_local Errors* errors = nullptr;
thread_local bool is_last_lost = false;  // there was no memory for the last error

// Null without memory.
Errors* ErrorsOfThread() {
  static pthread_key_t key;
  static const bool has_key = pthread_key_create(&key, [](void* of_thread) {
                                errors = nullptr;
                                delete static_cast<Errors*>(of_thread);
                              }) == 0;
  if (errors != nullptr || !has_key) return errors;
  auto made = std::unique_ptr<Errors>(new (std::nothrow) Errors);
  if (made != nullptr && pthread_setspecific(key, made.get()) == 0) errors = made.release();
  return errors;
}

void Remember(absl::string_view message) noexcept {
  is_last_lost = true;
  Errors* const of_thread = ErrorsOfThread();
  if (of_thread == nullptr) return;
  try {
    of_thread->last.assign(message.data(), message.size());
    is_last_lost = false;
  } catch (const std::bad_alloc&) {
    of_thread->last.clear();
  }
}

char LetterOf(LogLevel level) { return "VIWE"[static_cast<int>(level)]; }

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
  const char letter = LetterOf(level);
  return absl::StrCat(absl::string_view(&letter, 1), ":SyNAP: ", function, ":", line, ": ",
                      TerminalText(message), "\n");
}

void Log(LogLevel level, absl::string_view function, int line, absl::string_view message) noexcept {
  if (level == LogLevel::kError) Remember(message);
  if (!IsLogged(level)) return;
  std::shared_ptr<const Callback> callback;
  try {
    callback = CurrentCallback();
    if (callback == nullptr) return ShowLogText(FormatLog(level, function, line, message));
    (*callback)(static_cast<synaptics::synap::LogLevel>(level), std::string(message));
  } catch (...) {
    // Of the application, which the function that logs knows nothing about; or want of memory.
    if (callback != nullptr) return;
    std::fprintf(stderr, "%c:SyNAP: %.*s:%d: %s\n", LetterOf(level),
                 static_cast<int>(function.size()), function.data(), line, kOutOfMemory);
  }
}

void LogOutOfMemory(LogLevel level, absl::string_view function, int line) noexcept {
  Log(level, function, line, kOutOfMemory);
}

const char* LastErrorText() noexcept {
  if (is_last_lost) return kOutOfMemory;
  if (errors == nullptr) return "";
  try {
    errors->shown = errors->last;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
  return errors->shown.c_str();
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
  using ::synap_internal::errors;
  try {
    if (!::synap_internal::is_last_lost) return errors == nullptr ? "" : errors->last;
  } catch (const std::exception&) {  // there is no memory for the message
  }
  return ::synap_internal::kOutOfMemory;
}

void clear_last_error() {
  ::synap_internal::is_last_lost = false;
  if (::synap_internal::errors != nullptr) ::synap_internal::errors->last.clear();
}

}  // namespace synaptics::synap
