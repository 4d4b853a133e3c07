#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/key_store.h"
#include "runtime/security/sealed_files.h"
#include "runtime/security/test_keys.h"
#include "runtime/testing/test_models.h"
#include "synap/allocator.hpp"
#include "synap/buffer.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::MakeMetadata;
using ::synap_internal::ModelMetadata;
using ::synap_internal::TensorSecurity;
using ::synap_internal::TensorType;
using ::testing::HasSubstr;

constexpr uint8_t kData[] = {1, 2, 3, 4};

class SecureBuffersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    keys_ = new std::string(::synap_internal::MakeTestKeys("buffers"));
    setenv(::synap_internal::kKeysVariable, ::synap_internal::RuntimeKeysIn(*keys_).c_str(), 1);
  }

  // Copies its input to its output.
  static void Load(TensorSecurity input, TensorSecurity output, Network& network) {
    const TensorType type{::synap_internal::DataType::kUint8, ::synap_internal::Shape({1, 4}), {}};
    const std::string program = ::synap_internal::MakeProgram(
        "reshape", {{"shape", std::vector<int64_t>{1, 4}}}, {type}, type);
    ModelMetadata metadata;
    metadata.inputs = {MakeMetadata("x", type)};
    metadata.outputs = {MakeMetadata("y", type)};
    metadata.inputs[0].security = input;
    metadata.outputs[0].security = output;
    metadata.secure = input != TensorSecurity::kNone;
    std::string model = *WriteBundle(program, metadata);
    if (metadata.secure) {
      model = *::synap_internal::SealBundle(model, ::synap_internal::TestSealKeys(*keys_));
    }
    ASSERT_TRUE(network.load_model(model.data(), model.size()));
    EXPECT_EQ(network.inputs[0].security() == Security::none, !metadata.secure);
  }

  static const std::string* keys_;
};

const std::string* SecureBuffersTest::keys_ = nullptr;

TEST_F(SecureBuffersTest, CanBeWrittenAndNotRead) {
  Buffer buffer(4, secure_allocator());
  EXPECT_EQ(buffer.size(), 4u);
  EXPECT_TRUE(buffer.assign(kData, sizeof(kData)));
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(std::as_const(buffer).data(), nullptr);
  EXPECT_EQ(buffer.memory_fd(), -1);
  EXPECT_EQ(Buffer(buffer, 0, 2).data(), nullptr);
  EXPECT_EQ(Buffer(buffer.mem_id(), 0, 2).data(), nullptr);
}

TEST_F(SecureBuffersTest, ASecureInputIsSecureByItself) {
  Network network;
  Load(TensorSecurity::kSecure, TensorSecurity::kAny, network);
  Tensor& x = network.inputs[0];
  EXPECT_TRUE(x.assign(static_cast<const void*>(kData), sizeof(kData)));
  EXPECT_EQ(x.data(), nullptr);
  EXPECT_EQ(x.data<uint8_t>(), nullptr);
  EXPECT_EQ(x.as_float(), nullptr);
  EXPECT_THAT(last_error(), HasSubstr("tensor 'x' is in secure memory"));
  ASSERT_TRUE(network.predict());
  // Its policy lets the result out.
  EXPECT_EQ(network.outputs[0].as_float()[3], 4);
}

TEST_F(SecureBuffersTest, AnOutputFollowsItsInput) {
  Network network;
  Load(TensorSecurity::kAny, TensorSecurity::kSecureIfInputSecure, network);
  Tensor& x = network.inputs[0];
  ASSERT_TRUE(x.assign(static_cast<const void*>(kData), sizeof(kData)));
  ASSERT_TRUE(network.predict());
  EXPECT_EQ(network.outputs[0].as_float()[3], 4);
  Buffer secure(4, secure_allocator());
  ASSERT_TRUE(x.set_buffer(&secure));
  ASSERT_TRUE(network.predict());
  EXPECT_EQ(network.outputs[0].data(), nullptr);
  EXPECT_EQ(network.outputs[0].as_float(), nullptr);
}

TEST_F(SecureBuffersTest, BuffersOfTheApplicationAreChecked) {
  Network network;
  Load(TensorSecurity::kSecure, TensorSecurity::kSecureIfInputSecure, network);
  Buffer plain(4), secure(4, secure_allocator());
  ASSERT_TRUE(network.inputs[0].set_buffer(&plain));
  EXPECT_FALSE(network.predict());
  EXPECT_EQ(last_error(),
            "tensor 'x' is not in secure memory, expected secure memory for its policy secure; "
            "choose its buffer's allocator");
  ASSERT_TRUE(network.inputs[0].set_buffer(&secure));
  ASSERT_TRUE(network.outputs[0].set_buffer(&plain));
  EXPECT_FALSE(network.predict());
  EXPECT_THAT(last_error(), HasSubstr("tensor 'y' is not in secure memory"));
}

TEST_F(SecureBuffersTest, OthersRefuseSecureMemory) {
  for (const TensorSecurity policy : {TensorSecurity::kNonSecure, TensorSecurity::kNone}) {
    Network network;
    Load(policy, policy == TensorSecurity::kNone ? policy : TensorSecurity::kAny, network);
    Buffer secure(4, secure_allocator());
    ASSERT_TRUE(network.inputs[0].set_buffer(&secure));
    EXPECT_FALSE(network.predict());
    EXPECT_THAT(last_error(), HasSubstr("tensor 'x' is in secure memory, expected other memory"));
  }
}

TEST_F(SecureBuffersTest, DataIsCopiedToSecureMemoryOnly) {
  Network secure, other;
  Load(TensorSecurity::kSecure, TensorSecurity::kAny, secure);
  Load(TensorSecurity::kAny, TensorSecurity::kAny, other);
  ASSERT_TRUE(secure.inputs[0].assign(static_cast<const void*>(kData), sizeof(kData)));
  EXPECT_FALSE(other.inputs[0].assign(secure.inputs[0]));
  Buffer buffer(4, secure_allocator());
  ASSERT_TRUE(other.inputs[0].set_buffer(&buffer));
  EXPECT_TRUE(other.inputs[0].assign(secure.inputs[0]));
}

}  // namespace
}  // namespace synaptics::synap
