#include "compiler/import/torchscript/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace synap_internal::torchscript_import {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "which system calls has this architecture?"
#endif

// The architectures' older calls are those that 64-bit Arm has no number for.
constexpr uint32_t kRefused[] = {
#ifdef SYS_creat
    SYS_creat, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_mknod, SYS_link, SYS_symlink, SYS_rename,
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_fork, SYS_vfork,
    SYS_renameat, SYS_open,
#endif
    // io_uring opens files without a call of its own.
    SYS_openat, SYS_openat2, SYS_io_uring_setup, SYS_open_by_handle_at, SYS_unlinkat, SYS_mkdirat,
    SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_truncate, SYS_fchmodat, SYS_fchownat,
    SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_mount,
    SYS_umount2, SYS_chroot, SYS_socket, SYS_socketpair, SYS_execve, SYS_execveat, SYS_ptrace,
    SYS_process_vm_writev, SYS_process_vm_readv, SYS_pidfd_open, SYS_pidfd_getfd, SYS_kill, SYS_bpf,
    SYS_shmget, SYS_shmat, SYS_mq_open};

// A program of the kernel's packet filter over seccomp_data, which ends at its first return.
class Filter {
 public:
  void Load(size_t offset) {
    program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void Return(uint32_t verdict) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
  // If what is loaded compares so with `value`.
  void ReturnIf(uint16_t comparison, uint32_t value, uint32_t verdict) {
    Jump(comparison, value, 0, 1);
    Return(verdict);
  }
  void ReturnUnlessEqual(uint32_t value, uint32_t verdict) {
    Jump(BPF_JEQ, value, 1, 0);
    Return(verdict);
  }

  bool Install() {
    const sock_fprog program{static_cast<uint16_t>(program_.size()), program_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void Jump(uint16_t comparison, uint32_t value, uint8_t if_true, uint8_t if_false) {
    const auto code = static_cast<uint16_t>(BPF_JMP | comparison | BPF_K);
    program_.push_back(BPF_JUMP(code, value, if_true, if_false));
  }

  std::vector<sock_filter> program_;
};

}  // namespace

bool EnterSandbox() {
  constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  constexpr uint32_t kFirstOfX32 = 0x40000000;  // the same calls once more, by other numbers
  Filter filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.ReturnUnlessEqual(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.Load(offsetof(seccomp_data, nr));
  filter.ReturnIf(BPF_JGE, kFirstOfX32, kRefuse);
  for (const uint32_t call : kRefused) filter.ReturnIf(BPF_JEQ, call, kRefuse);
  filter.Return(SECCOMP_RET_ALLOW);
  return filter.Install();
}

}  // namespace synap_internal::torchscript_import
