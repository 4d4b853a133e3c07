// make_corpus FOLDER: writes the corpus of program_fuzz and executor_fuzz:
// ./bazelw run //runtime/program:make_corpus -- $PWD/testdata/fuzz/program
#include <cstdio>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"

namespace synap_internal {
namespace {

void Write(const std::string& folder, const std::string& name, const std::string& bytes) {
  const absl::Status status = WriteFileAtomically(absl::StrCat(folder, "/", name), bytes);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  CHECK(status.ok());
}

std::string Damaged(const std::function<void(Program&)>& damage) {
  HandProgram hand("example");
  AddExample(hand);
  Program program = hand.Get();
  damage(program);
  return SerializeProgram(program).value();
}

void WriteAll(const std::string& folder) {
  const std::string whole = Damaged([](Program&) {});
  Write(folder, "example.nb", whole);
  Write(folder, "empty.nb", "");
  Write(folder, "truncated.nb", whole.substr(0, whole.size() / 2));
  std::string flipped = whole;
  for (size_t i = 64; i < flipped.size(); i += 97)
    flipped[i] = static_cast<char>(flipped[i] ^ 0x40);
  Write(folder, "flipped.nb", flipped);
  Write(folder, "no_tensors.nb", Damaged([](Program& p) { p = Program(); }));
  Write(folder, "offset_overflow.nb",
        Damaged([](Program& p) { p.tensors[4].offset = ~uint64_t{63}; }));
  Write(folder, "huge_shape.nb", Damaged([](Program& p) {
          p.tensors[3].type.shape = {int64_t{1} << 62, int64_t{1} << 62};
        }));
  Write(folder, "huge_arena.nb", Damaged([](Program& p) { p.arena_bytes = ~uint64_t{0}; }));
  Write(folder, "read_before_written.nb",
        Damaged([](Program& p) { std::swap(p.instructions[0], p.instructions[1]); }));
  Write(folder, "overlap.nb", Damaged([](Program& p) { p.tensors[4].offset = 0; }));
  Write(folder, "index_outside.nb", Damaged([](Program& p) { p.tensors[2].offset = 64; }));
  // Accepted, but no kernel has these types.
  Write(folder, "other_type.nb",
        Damaged([](Program& p) { p.tensors[7].type.dtype = DataType::kInt32; }));
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 1;
  }
  synap_internal::WriteAll(argv[1]);
  return 0;
}
