#include "kernels/shared/cpu_extensions.h"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace synap_internal {
namespace {

std::atomic<int> switched_off{0};

bool AreEnabled() { return switched_off.load(std::memory_order_relaxed) == 0; }

#if defined(__x86_64__)
// AVX-VNNI is CPUID leaf 7.1, EAX bit 4 (not all compilers' __builtin_cpu_supports know
// it). AVX2 implies that the system saves the registers.
bool DetectAvxVnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & 16u) != 0;
}
#endif

}  // namespace

#if defined(__x86_64__)
bool CpuHasAvx512Vnni() { return AreEnabled() && __builtin_cpu_supports("avx512vnni"); }
bool CpuHasAvxVnni() {
  static const bool detected = DetectAvxVnni();
  return AreEnabled() && detected;
}
bool CpuHasAvx512Vbmi() { return AreEnabled() && __builtin_cpu_supports("avx512vbmi"); }
#else
bool CpuHasAvx512Vnni() { return false; }
bool CpuHasAvxVnni() { return false; }
bool CpuHasAvx512Vbmi() { return false; }
#endif

#if defined(__aarch64__)
bool CpuHasArmDotProd() { return AreEnabled() && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
bool CpuHasArmI8mm() { return AreEnabled() && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0; }
#else
bool CpuHasArmDotProd() { return false; }
bool CpuHasArmI8mm() { return false; }
#endif

WithoutCpuExtensions::WithoutCpuExtensions() { ++switched_off; }
WithoutCpuExtensions::~WithoutCpuExtensions() { --switched_off; }

WithCpuExtensions::WithCpuExtensions() : switched_off_(switched_off.exchange(0)) {}
WithCpuExtensions::~WithCpuExtensions() { switched_off = switched_off_; }

}  // namespace synap_internal
