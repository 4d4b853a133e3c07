#include "base/thread_ids.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace synap_internal {

std::set<std::string> ThreadIds() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(task.path().filename());
  }
  return ids;
}

int AwaitNewThreads(const std::set<std::string>& before, int count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (true) {
    const std::set<std::string> ids = ThreadIds();
    const auto is_new = [&](const std::string& id) { return before.count(id) == 0; };
    const int found = static_cast<int>(std::count_if(ids.begin(), ids.end(), is_new));
    if (found == count || std::chrono::steady_clock::now() > end) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace synap_internal
