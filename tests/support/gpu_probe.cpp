// Runs before a program that is no test by itself and would take a missing device for an error: says, by exit code and text,
// that its test is skipped; nothing where there is a device.
#include "device.hpp"

int main() { return gpu::no_device_for(1) ? gpu::skipped : 0; }
