// What the C interface offers without a network: version, messages, threads and the lock of the
// NPU.
#include <string>

#include "base/version.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/logging.hpp"
#include "synap/npu.hpp"
#include "synap/synap.h"
#include "synap/target.hpp"
#include "synap/threads.hpp"

using synap_internal::IsGiven;
using synap_internal::NoThrow;
using synaptics::synap::LogLevel;

namespace {

constexpr bool IsSame(synap_log_level c, LogLevel level) { return c == static_cast<int>(level); }
static_assert(IsSame(SYNAP_LOG_VERBOSE, LogLevel::verbose));
static_assert(IsSame(SYNAP_LOG_INFO, LogLevel::info));
static_assert(IsSame(SYNAP_LOG_WARNING, LogLevel::warning));
static_assert(IsSame(SYNAP_LOG_ERROR, LogLevel::error));
static_assert(IsSame(SYNAP_LOG_NONE, LogLevel::none));

}  // namespace

int32_t synap_abi_version() { return SYNAP_ABI_VERSION; }

const char* synap_version_string() { return synap_internal::kVersion; }

const char* synap_last_error() { return synap_internal::LastErrorText(); }

void synap_clear_last_error() { synaptics::synap::clear_last_error(); }

void synap_set_log_level(synap_log_level level) {
  synaptics::synap::set_log_level(static_cast<LogLevel>(level));
}

void synap_set_log_callback(synap_log_callback callback, void* user) {
  NoThrow(__func__, false, [&] {
    if (callback == nullptr) {
      synaptics::synap::set_log_callback(nullptr);
    } else {
      synaptics::synap::set_log_callback([=](LogLevel level, const std::string& message) {
        callback(static_cast<synap_log_level>(level), message.c_str(), user);
      });
    }
    return true;
  });
}

bool synap_set_thread_count(int32_t count) {
  return NoThrow(__func__, false, [&] { return synaptics::synap::set_thread_count(count); });
}

bool synap_set_target(const char* name) {
  if (!IsGiven(__func__, "name", name)) return false;
  return NoThrow(__func__, false, [&] { return synaptics::synap::set_target(name); });
}

int32_t synap_thread_count() {
  return NoThrow(__func__, 1, [] { return synaptics::synap::thread_count(); });
}

synap_npu* synap_npu_create() {
  return NoThrow(__func__, static_cast<synap_npu*>(nullptr), [] { return new synap_npu; });
}

void synap_npu_destroy(synap_npu* npu) { delete npu; }

bool synap_npu_available(const synap_npu* npu) {
  return IsGiven(__func__, "npu", npu) && npu->npu.available();
}

bool synap_npu_lock(synap_npu* npu) { return IsGiven(__func__, "npu", npu) && npu->npu.lock(); }

bool synap_npu_unlock(synap_npu* npu) { return IsGiven(__func__, "npu", npu) && npu->npu.unlock(); }

bool synap_npu_is_locked(const synap_npu* npu) {
  return IsGiven(__func__, "npu", npu) && npu->npu.is_locked();
}
