// Writes the files of test_files.h and prints their names.
#include <cstdio>

#include "runtime/c/test_files.h"

int main() { std::printf("%s\n%s\n", WriteDetectionModel(), WriteDetectionPicture()); }
