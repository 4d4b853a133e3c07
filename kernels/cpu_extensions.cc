#include "kernels/cpu_extensions.h"

#include <atomic>

namespace synap {
namespace {

std::atomic<int> switched_off{0};

bool Enabled() { return switched_off.load(std::memory_order_relaxed) == 0; }

}  // namespace

#if defined(__x86_64__)
bool CpuHasAvx512Vnni() { return Enabled() && __builtin_cpu_supports("avx512vnni"); }
bool CpuHasAvx512Vbmi() { return Enabled() && __builtin_cpu_supports("avx512vbmi"); }
#else
bool CpuHasAvx512Vnni() { return false; }
bool CpuHasAvx512Vbmi() { return false; }
#endif

WithoutCpuExtensions::WithoutCpuExtensions() { ++switched_off; }
WithoutCpuExtensions::~WithoutCpuExtensions() { --switched_off; }

}  // namespace synap
