// A shared library for `--library`.
double sigrel_test_halve(double x) { return x / 2; }
double sigrel_test_mix(double x, double y, double z) { return x * y + z; }
