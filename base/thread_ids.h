// Threads of this process, for tests that count them.
#ifndef BASE_THREAD_IDS_H_
#define BASE_THREAD_IDS_H_

#include <set>
#include <string>

namespace synap_internal {

// The ids below /proc/self/task. A thread that was joined may still be there for a moment:
// pthread_join returns before the kernel has removed it.
std::set<std::string> ThreadIds();

// Waits until this process has `count` threads beside those of `before`, at most a minute. Returns
// their number.
int AwaitNewThreads(const std::set<std::string>& before, int count);

}  // namespace synap_internal

#endif  // BASE_THREAD_IDS_H_
