// A program that the loader accepts can be prepared and run, or is refused by
// name; nothing is read or written outside of its buffers.
#include "runtime/executor/executor.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/program/program.h"

namespace synap {
namespace {

// Programs that want more than this would only make the fuzzer slow.
constexpr int64_t kMaxBytes = int64_t{1} << 20;

struct alignas(kProgramAlignment) Block {
  uint8_t bytes[kProgramAlignment];
};
using Buffer = std::vector<Block>;

Buffer MakeBuffer(size_t bytes) { return Buffer(bytes / kProgramAlignment + 1, Block{}); }

bool IsSmall(const Program& program) {
  if (program.instructions.size() > 64) return false;
  int64_t bytes = static_cast<int64_t>(program.arena_bytes);
  for (const ProgramTensor& tensor : program.tensors) {
    bytes += tensor.type.bytes();
    if (bytes > kMaxBytes) return false;
  }
  return true;
}

void RunProgram(const Program& program) {
  auto executor = Executor::Create(program, {});
  if (!executor.ok()) return;
  std::vector<Buffer> buffers;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  const auto add = [&](int32_t tensor) {
    const auto& type = program.tensors[static_cast<size_t>(tensor)].type;
    buffers.push_back(MakeBuffer(static_cast<size_t>(type.bytes())));
    return buffers.back().data()->bytes;
  };
  for (const int32_t input : program.inputs) inputs.push_back(add(input));
  for (const int32_t output : program.outputs) outputs.push_back(add(output));
  (*executor)->Run(inputs, outputs);
}

}  // namespace
}  // namespace synap

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap::Buffer bytes = synap::MakeBuffer(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  const auto program = synap::LoadProgram({bytes.data()->bytes, size});
  if (program.ok() && synap::IsSmall(*program)) synap::RunProgram(*program);
  return 0;
}
