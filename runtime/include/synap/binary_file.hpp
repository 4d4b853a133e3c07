// Reading and writing of whole files.
#ifndef SYNAP_BINARY_FILE_HPP_
#define SYNAP_BINARY_FILE_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace synaptics::synap {

// The bytes of a file; none, with an error logged, if it can't be read.
std::vector<uint8_t> binary_file_read(const std::string& file_name);

// Writes the file completely or not at all. False, with an error logged, on failure.
bool binary_file_write(const std::string& file_name, const void* data, size_t size);

}  // namespace synaptics::synap

#endif  // SYNAP_BINARY_FILE_HPP_
