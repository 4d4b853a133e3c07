// Mutations of the Protocol Buffers wire format that keep it well formed: a change of one field
// inside three messages also changes the lengths of the messages around it, which a fuzzer that
// knows bytes only seldom gets right. No schema is needed: a length-delimited field that reads as a
// message is taken for one (https://protobuf.dev/programming-guides/encoding/).
#ifndef COMPILER_IMPORT_FUZZING_WIRE_MUTATOR_H_
#define COMPILER_IMPORT_FUZZING_WIRE_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace synap_internal {

// Changes a few of `size` bytes at `data` and returns their new number, at most `max_size`:
// LLVMFuzzerMutate.
using MutateBytes = std::function<size_t(uint8_t* data, size_t size, size_t max_size)>;

// One field somewhere in `message` is deleted, repeated, given the value of another field with its
// number, or given another value: varints and fixed numbers often one at which parsers fail, bytes
// what `mutate_bytes` makes of them. Bytes that aren't a message, or an empty one, are returned as
// they are. The same seed gives the same result.
std::string MutateWire(const std::string& message, uint32_t seed, const MutateBytes& mutate_bytes);

// `message` with one field of `donor` added, in a message at the same path of field numbers; as it
// is if either is no message. The same seed gives the same result.
std::string CrossWire(const std::string& message, const std::string& donor, uint32_t seed);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_FUZZING_WIRE_MUTATOR_H_
