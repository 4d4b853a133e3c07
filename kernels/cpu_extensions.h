// Instructions beyond what Highway 1.0.3 dispatches on, for the few guarded
// micro-kernels that use them.
#ifndef KERNELS_CPU_EXTENSIONS_H_
#define KERNELS_CPU_EXTENSIONS_H_

namespace synap {

// AVX-512 VNNI and AVX-VNNI (dot products of int8 and int16, in vectors of 512 and
// of 256 bits), AVX-512 VBMI (byte permutations). False on other architectures, and
// while switched off.
bool CpuHasAvx512Vnni();
bool CpuHasAvxVnni();
bool CpuHasAvx512Vbmi();

// While one lives, all of the above are false, so that tests reach the paths
// of processors without. Kernels ask once, in Prepare. Not for threads.
class WithoutCpuExtensions {
 public:
  WithoutCpuExtensions();
  ~WithoutCpuExtensions();
  WithoutCpuExtensions(const WithoutCpuExtensions&) = delete;
  WithoutCpuExtensions& operator=(const WithoutCpuExtensions&) = delete;
};

}  // namespace synap

#endif  // KERNELS_CPU_EXTENSIONS_H_
