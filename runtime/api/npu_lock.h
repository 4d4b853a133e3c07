// Lock of the emulated NPU across the processes of a user.
#ifndef RUNTIME_API_NPU_LOCK_H_
#define RUNTIME_API_NPU_LOCK_H_

namespace synap_internal {

// All functions are thread-safe. `owner` is any address that identifies the holder in this process.

// Opens the lock's folder, which is created if it doesn't exist; false, with an error logged, if
// that isn't possible.
bool OpenNpuLock();

// Takes the lock; true if `owner` has it already. False, with an error logged, if the files can't
// be opened, or another process or another owner has the lock.
bool AcquireNpuLock(const void* owner);

// Releases the lock if `owner` has it.
void ReleaseNpuLock(const void* owner);

bool HasNpuLock(const void* owner);

// Whether this process may run networks: false, with an error logged, if another one of this user
// has the lock. What other users made counts as no lock. Two system calls; creates no file.
bool MayUseNpu();

}  // namespace synap_internal

#endif  // RUNTIME_API_NPU_LOCK_H_
