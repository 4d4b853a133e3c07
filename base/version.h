// Version of this project.
#ifndef BASE_VERSION_H_
#define BASE_VERSION_H_

namespace synap_internal {

// Printed by --version and written into listings and other reports.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace synap_internal

#endif  // BASE_VERSION_H_
