#include "compiler/convert/cli/program_identity.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

struct LoadedObject {
  std::string file;       // "" for the program itself
  std::string build_id;   // hexadecimal digits; "" if the linker wrote none
  uintptr_t address = 0;  // of something in its memory
};

// The file that is mapped at `address`. Of a deleted one the path leads nowhere.
absl::StatusOr<std::string> FileMappedAt(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  // Begin and end, four fields, and the path, which may hold spaces.
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0;
    unsigned long long end = 0;
    int path = 0;
    const int fields =
        std::sscanf(line.c_str(), "%llx-%llx %*s %*s %*s %*s %n", &begin, &end, &path);
    if (fields == 2 && begin <= address && address < end && path > 0) {
      return line.substr(static_cast<size_t>(path));
    }
  }
  return absl::NotFoundError("can't find the program's file in /proc/self/maps");
}

// Of the program itself. /proc/self/exe is the loader where that was told to start the program
// (ld-linux-x86-64.so.2 ./synap).
absl::StatusOr<std::string> DigestOfProgram(const LoadedObject& program) {
  std::error_code error;
  ASSIGN_OR_RETURN(const std::string mapped, FileMappedAt(program.address));
  const bool same = std::filesystem::equivalent(mapped, "/proc/self/exe", error);
  return DigestOfFile(same ? "/proc/self/exe" : mapped);
}

// The build ID among the notes of a segment, as bytes. Notes are a header, the name and the
// description, each padded to 4 bytes.
absl::string_view FindBuildId(absl::string_view notes) {
  const auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    const size_t name_size = padded(header.n_namesz);
    if (name_size > notes.size() || padded(header.n_descsz) > notes.size() - name_size) return {};
    const absl::string_view name = notes.substr(0, header.n_namesz);
    const absl::string_view description = notes.substr(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && name == absl::string_view("GNU", 4)) return description;
    notes.remove_prefix(name_size + padded(header.n_descsz));
  }
  return {};
}

int AddObject(dl_phdr_info* info, size_t /*size*/, void* objects) {
  LoadedObject object;
  object.file = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  // The kernel's own (linux-vdso.so.1, or no name) has no file, and computes no results. The
  // program comes first.
  auto& found = *static_cast<std::vector<LoadedObject>*>(objects);
  const bool has_file = absl::StrContains(object.file, "/") || found.empty();
  if (!has_file) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && object.address == 0) {
      object.address = info->dlpi_addr + segment.p_vaddr;
    }
    if (segment.p_type != PT_NOTE) continue;
    const absl::string_view notes(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr),
                                  segment.p_memsz);
    if (object.build_id.empty()) object.build_id = absl::BytesToHexString(FindBuildId(notes));
  }
  found.push_back(std::move(object));
  return 0;
}

}  // namespace

absl::StatusOr<std::string> ProgramIdentity() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(AddObject, &objects);
  std::vector<std::string> digests;
  for (const LoadedObject& object : objects) {
    if (object.file.empty()) {
      ASSIGN_OR_RETURN(digests.emplace_back(), DigestOfProgram(object));
    } else if (!object.build_id.empty()) {
      digests.push_back(object.build_id);
    } else {
      ASSIGN_OR_RETURN(digests.emplace_back(), DigestOfFile(object.file));
    }
  }
  std::sort(digests.begin(), digests.end());  // the order of loading says nothing
  return Digest(absl::StrJoin(digests, " "));
}

}  // namespace synap_internal
