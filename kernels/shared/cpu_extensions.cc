#include "kernels/shared/cpu_extensions.h"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace synap_internal {
namespace {

std::atomic<int> switched_off{0};
std::atomic<int> matrix_units_off{0};
std::atomic<int> matrix_units_emulated{0};

bool AreEnabled() { return switched_off.load(std::memory_order_relaxed) == 0; }

#if defined(__x86_64__)
// AVX-VNNI is CPUID leaf 7.1, EAX bit 4 (not all compilers' __builtin_cpu_supports know
// it). AVX2 implies that the system saves the registers.
bool DetectAvxVnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & 16u) != 0;
}

// AMX-TILE and AMX-INT8 are CPUID leaf 7.0, EDX bits 24 and 25. The 8 KiB of registers are a
// process's only after it has asked Linux for them (5.16 and newer; "Using XSTATE features in user
// space applications" in its documentation), which refuses where the system doesn't save them.
bool DetectAmxInt8() {
  constexpr unsigned kTilesOfBytes = 3u << 24;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & kTilesOfBytes) == kTilesOfBytes &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
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
bool CpuHasAmxInt8() {
  static const bool detected = DetectAmxInt8();
  return AreEnabled() && detected;
}
#else
bool CpuHasAvx512Vnni() { return false; }
bool CpuHasAvxVnni() { return false; }
bool CpuHasAvx512Vbmi() { return false; }
bool CpuHasAmxInt8() { return false; }
#endif

MatrixUnit CpuMatrixUnit() {
  if (!CpuHasAvx512Vnni() || matrix_units_off > 0) return MatrixUnit::kNone;
  if (matrix_units_emulated > 0) return MatrixUnit::kEmulated;
  return CpuHasAmxInt8() ? MatrixUnit::kAmx : MatrixUnit::kNone;
}

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

WithEmulatedMatrixUnit::WithEmulatedMatrixUnit() { ++matrix_units_emulated; }
WithEmulatedMatrixUnit::~WithEmulatedMatrixUnit() { --matrix_units_emulated; }

WithoutMatrixUnit::WithoutMatrixUnit() { ++matrix_units_off; }
WithoutMatrixUnit::~WithoutMatrixUnit() { --matrix_units_off; }

}  // namespace synap_internal
