// Messages of the framework: errors, warnings and, on demand, what it does.
#ifndef SYNAP_LOGGING_HPP_
#define SYNAP_LOGGING_HPP_

#include <functional>
#include <string>

namespace synaptics::synap {

enum class LogLevel {
  verbose = 0,  // each run of a network
  info = 1,     // loaded networks, the NPU's lock
  warning = 2,  // what works, but probably not as intended
  error = 3,    // a method returns false or null
  none = 4,     // no messages at all
};

// Sets the lowest level that is shown, instead of the environment variable SYNAP_NB_LOG_LEVEL (the
// numbers above, or negative for none) or warning if it isn't set. Any thread.
void set_log_level(LogLevel level);

// A receiver of messages, one sentence each without a newline.
using LogCallback = std::function<void(LogLevel level, const std::string& message)>;

// Gives the messages that are shown to `callback`, on the thread that they are about, instead of
// writing them to stderr as "E:SyNAP: load_model:42: <message>". Null restores that. Messages of
// other threads may still reach the old callback while this function runs. Exceptions of a callback
// are ignored. A callback may call the interface, except on the objects that its thread is using:
// no predict() or profile() of the network that a message is about. Any thread.
void set_log_callback(LogCallback callback);

// The last error message of this thread, whatever the level that is shown; "" if there was none.
//   if (!net.load_model(file)) show(last_error());
std::string last_error();

// Forgets it.
void clear_last_error();

}  // namespace synaptics::synap

#endif  // SYNAP_LOGGING_HPP_
