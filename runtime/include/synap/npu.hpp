// Exclusive use of the NPU.
#ifndef SYNAP_NPU_HPP_
#define SYNAP_NPU_HPP_

namespace synaptics::synap {

// Reserves the NPU for this process. While a process holds the lock, Network::predict() fails in
// all other processes of the same user, and so does lock(); loading networks works. The emulated
// NPU of a user is the folder synap below $XDG_RUNTIME_DIR (synap-<uid> below /tmp without that
// variable), which nobody else can open, with the file npu.lock. The lock is released by the
// destructor and when the process ends in whatever way, and not if the file is deleted; a child
// made by fork() doesn't have it. Any number of threads may use an object.
// Methods that fail return false and log an error; nothing throws an exception.
class Npu {
 public:
  Npu();
  ~Npu();
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;

  // Whether the NPU can be locked at all, by whichever process.
  bool available() const;

  // Takes the lock. True if this object has it already. False if another process, or another object
  // of this process, has it.
  bool lock();

  // Releases the lock. True if this object doesn't have it.
  bool unlock();

  // Whether this object has the lock.
  bool is_locked() const;
};

}  // namespace synaptics::synap

#endif  // SYNAP_NPU_HPP_
