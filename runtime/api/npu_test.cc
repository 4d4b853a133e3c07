#include "synap/npu.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/tensor_type.h"
#include "runtime/testing/test_models.h"
#include "synap/logging.hpp"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

using ::testing::HasSubstr;

// A folder of its own for each test, so that none sees the lock of another.
class NpuTest : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_RUNTIME_DIR", std::getenv("TEST_TMPDIR"), 1); }

  static Network LoadedNetwork() {
    const ::synap_internal::TensorMetadata x =
        ::synap_internal::MakeMetadata("x", {::synap_internal::DataType::kUint8, {4}, {}});
    const std::string bytes = ::synap_internal::MakeReshapeModel(x, x);
    Network net;
    EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
    return net;
  }
};

// A process that locks the NPU, and holds the lock until it is killed.
class Holder {
 public:
  Holder() {
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      Npu npu;
      const char locked = npu.lock() ? 'y' : 'n';
      if (write(ends[1], &locked, 1) == 1) pause();
      _exit(1);
    }
    char locked = 0;
    EXPECT_EQ(read(ends[0], &locked, 1), 1);
    has_lock_ = locked == 'y';
    close(ends[0]);
    close(ends[1]);
  }
  ~Holder() { Kill(); }

  bool has_lock() const { return has_lock_; }
  pid_t pid() const { return pid_; }

  // Waits until the process and its locks are gone.
  void Kill() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  bool has_lock_ = false;
};

TEST_F(NpuTest, LocksAndUnlocks) {
  Npu npu;
  EXPECT_TRUE(npu.available());
  EXPECT_FALSE(npu.is_locked());
  EXPECT_TRUE(npu.unlock());
  EXPECT_TRUE(npu.lock());
  EXPECT_TRUE(npu.lock());
  EXPECT_TRUE(npu.is_locked());
  EXPECT_TRUE(npu.unlock());
  EXPECT_FALSE(npu.is_locked());
}

TEST_F(NpuTest, OnlyOneObjectHasTheLock) {
  Npu other;
  {
    Npu npu;
    ASSERT_TRUE(npu.lock());
    EXPECT_FALSE(other.lock());
    EXPECT_FALSE(other.is_locked());
    EXPECT_TRUE(other.unlock());
    EXPECT_TRUE(npu.is_locked());
  }
  EXPECT_TRUE(other.lock());
}

TEST_F(NpuTest, AReceiverOfMessagesMayAskForTheLock) {
  static Npu* asked = nullptr;
  static int messages = 0;
  Npu npu, other;
  asked = &npu;
  set_log_level(LogLevel::info);
  set_log_callback([](LogLevel, const std::string&) {
    ++messages;
    asked->is_locked();
  });
  EXPECT_TRUE(npu.lock());
  EXPECT_FALSE(other.lock());
  EXPECT_TRUE(npu.unlock());
  set_log_callback(nullptr);
  set_log_level(LogLevel::warning);
  EXPECT_EQ(messages, 3);
}

TEST_F(NpuTest, TheProcessWithTheLockRunsNetworks) {
  Network net = LoadedNetwork();
  Npu npu;
  ASSERT_TRUE(npu.lock());
  EXPECT_TRUE(net.predict());
}

TEST_F(NpuTest, OtherProcessesNeitherRunNorLock) {
  Network net = LoadedNetwork();
  EXPECT_TRUE(net.predict());
  Holder holder;
  ASSERT_TRUE(holder.has_lock());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(net.predict());
  Npu npu;
  EXPECT_FALSE(npu.lock());
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string process = "process " + std::to_string(holder.pid());
  EXPECT_THAT(said, HasSubstr(process + " has locked the NPU"));
  EXPECT_THAT(said, HasSubstr("can't lock the NPU: " + process + " has locked it"));
  EXPECT_FALSE(npu.is_locked());
  EXPECT_TRUE(npu.unlock());
  EXPECT_FALSE(net.predict());
  EXPECT_EQ(LoadedNetwork().inputs.size(), 1);
}

TEST_F(NpuTest, TheLockEndsWithItsProcess) {
  Network net = LoadedNetwork();
  Holder holder;
  ASSERT_TRUE(holder.has_lock());
  holder.Kill();
  EXPECT_TRUE(net.predict());
  Npu npu;
  EXPECT_TRUE(npu.lock());
}

TEST_F(NpuTest, AForkedChildDoesntInheritTheLock) {
  Npu npu;
  ASSERT_TRUE(npu.lock());
  Holder child;
  EXPECT_FALSE(child.has_lock());
  child.Kill();
  EXPECT_TRUE(npu.is_locked());
  EXPECT_FALSE(Holder().has_lock());
}

std::string LockFile() { return std::string(std::getenv("TEST_TMPDIR")) + "/synap/npu.lock"; }

TEST_F(NpuTest, KeepsTheLockWhenItsFileIsOpenedAndClosed) {
  Npu npu;
  ASSERT_TRUE(npu.lock());
  close(open(LockFile().c_str(), O_RDWR));
  EXPECT_FALSE(Holder().has_lock());
}

TEST_F(NpuTest, KeepsTheLockWhoseFileIsDeleted) {
  Network net = LoadedNetwork();
  Holder holder;
  ASSERT_TRUE(holder.has_lock());
  ASSERT_EQ(unlink(LockFile().c_str()), 0);
  EXPECT_FALSE(net.predict());
  EXPECT_FALSE(Npu().lock());
  EXPECT_FALSE(Holder().has_lock());
  holder.Kill();
  EXPECT_TRUE(net.predict());
  EXPECT_TRUE(Holder().has_lock());
}

TEST_F(NpuTest, AChildDoesntKeepTheLockOfItsParent) {
  const pid_t parent = fork();
  if (parent == 0) {
    Npu npu;
    if (!npu.lock()) _exit(1);
    if (fork() != 0) _exit(0);  // before the child ends
    sleep(2);
    _exit(0);
  }
  int status = 0;
  waitpid(parent, &status, 0);
  EXPECT_EQ(status, 0);
  bool has_lock = false;
  for (int i = 0; i < 100 && !has_lock; ++i) {
    has_lock = Npu().lock();
    usleep(10000);
  }
  EXPECT_TRUE(has_lock);
}

using NpuDeathTest = NpuTest;

// Exits with 0 if networks run although a lock file in `folder` is locked, as by another user.
void PredictBesideAForeignLock(const std::string& folder, mode_t mode, uid_t user) {
  mkdir(folder.c_str(), 0700);
  const std::string path = folder + "/synap";
  mkdir(path.c_str(), 0700);
  if (chmod(path.c_str(), mode) != 0) _exit(3);
  if (chown(path.c_str(), user, getgid()) != 0) _exit(0);  // only root has folders for others
  int ends[2] = {};
  if (pipe(ends) != 0) _exit(3);
  const pid_t attacker = fork();
  if (attacker == 0) {
    const int file = open((path + "/npu.lock").c_str(), O_RDWR | O_CREAT, 0666);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    char done = fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    lock.l_type = F_RDLCK;
    if (fcntl(open(path.c_str(), O_RDONLY), F_SETLK, &lock) != 0) done = 'n';
    if (write(ends[1], &done, 1) == 1) pause();
    _exit(0);
  }
  char done = 0;
  if (read(ends[0], &done, 1) != 1 || done != 'y') _exit(3);
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  setenv("SYNAP_SYSFS", folder.c_str(), 1);
  const ::synap_internal::TensorMetadata x =
      ::synap_internal::MakeMetadata("x", {::synap_internal::DataType::kUint8, {4}, {}});
  const std::string bytes = ::synap_internal::MakeReshapeModel(x, x);
  Network net;
  const bool is_done = net.load_model(bytes.data(), bytes.size()) && net.predict();
  kill(attacker, SIGKILL);
  _exit(is_done ? 0 : 1);
}

TEST_F(NpuDeathTest, NetworksRunBesideALockOfAnotherUser) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process has no folder open
  const std::string folder = std::getenv("TEST_TMPDIR");
  EXPECT_EXIT(PredictBesideAForeignLock(folder + "/open", 0777, geteuid()),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(PredictBesideAForeignLock(folder + "/foreign", 0700, 12345),
              testing::ExitedWithCode(0), "");
}

TEST_F(NpuDeathTest, OtherUsersLoseTheirAccessToTheFolder) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/shared";
  const auto lock = [&] {
    mkdir(folder.c_str(), 0700);
    mkdir((folder + "/synap").c_str(), 0700);
    chmod((folder + "/synap").c_str(), 0755);
    setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    struct stat status = {};
    _exit(Npu().lock() && stat((folder + "/synap").c_str(), &status) == 0 &&
                  (status.st_mode & 0777) == 0700
              ? 0
              : 1);
  };
  EXPECT_EXIT(lock(), testing::ExitedWithCode(0), "");
}

TEST_F(NpuDeathTest, IsUnavailableWithoutAFolder) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process has no lock file open
  const auto lock_in = [](const std::string& folder) {
    setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    Npu npu;
    _exit(npu.available() || npu.lock() ? 1 : 0);
  };
  EXPECT_EXIT(lock_in("/nonexistent"), testing::ExitedWithCode(0), "can't be created");
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/other";
  mkdir(folder.c_str(), 0700);
  std::ofstream(folder + "/synap") << "a file";
  EXPECT_EXIT(lock_in(folder), testing::ExitedWithCode(0), "isn't a folder of this user");
}

}  // namespace
}  // namespace synaptics::synap
