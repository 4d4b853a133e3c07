// Fuzz target: a program that the loader accepts is prepared and run, or refused
// with a named instruction; no access is outside of its buffers.
#include "runtime/executor/executor.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// Programs that want more than this would only make the fuzzer slow.
constexpr int64_t kMaxBytes = int64_t{1} << 20;

struct Free {
  void operator()(uint8_t* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<uint8_t[], Free>;

// Zeros; one more alignment than asked for, so that it is never empty.
Buffer MakeBuffer(size_t bytes) {
  const size_t size = (bytes / kProgramAlignment + 1) * kProgramAlignment;
  Buffer buffer(static_cast<uint8_t*>(std::aligned_alloc(kProgramAlignment, size)));
  std::memset(buffer.get(), 0, size);
  return buffer;
}

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
    return buffers.back().get();
  };
  for (const int32_t input : program.inputs) inputs.push_back(add(input));
  for (const int32_t output : program.outputs) outputs.push_back(add(output));
  (*executor)->Run(inputs, outputs);
}

}  // namespace
}  // namespace synap_internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::Buffer bytes = synap_internal::MakeBuffer(size);
  if (size > 0) std::memcpy(bytes.get(), data, size);
  const auto program = synap_internal::LoadProgram({bytes.get(), size});
  if (program.ok() && synap_internal::IsSmall(*program)) synap_internal::RunProgram(*program);
  return 0;
}
