// A shared library for `--library`. It leaves a mark when it is loaded: the file that SIGREL_TEST_MARK names.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
  const char* name = getenv("SIGREL_TEST_MARK");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}

double sigrel_test_halve(double x) { return x / 2; }
double sigrel_test_mix(double x, double y, double z) { return x * y + z; }
