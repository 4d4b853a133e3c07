// Threads of the networks of a process.
#ifndef RUNTIME_API_NETWORK_THREADS_H_
#define RUNTIME_API_NETWORK_THREADS_H_

#include <memory>

#include "base/thread_pool.h"

namespace synap_internal {

// A view of the process's threads with synaptics::synap::thread_count() of them; fewer, with a
// warning logged, if the system refuses to create them. Any thread.
std::shared_ptr<ThreadPool> ThreadsOfNetworks();

}  // namespace synap_internal

#endif  // RUNTIME_API_NETWORK_THREADS_H_
