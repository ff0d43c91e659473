// Files of checkpoints: what is stored is on disk and whole, or the file is what it was before.
//
// A file is "SigrelCP", the number of the format (32 bits), the length and the text of the fingerprint, the
// length and the bytes of the checkpoint (lengths: 64 bits), and a checksum of all of it (FNV-1a, 64 bits).
// All numbers are little endian.
#pragma once
#include <string>
#include <string_view>

namespace runtime {

/// Replaces the file at once (write_file). The reason of a failure; empty: none.
std::string write_checkpoint(const std::string& path, std::string_view fingerprint, std::string_view bytes);

struct StoredCheckpoint {
  std::string fingerprint, bytes;
  std::string failure;  // "is no checkpoint"; empty: none
};
StoredCheckpoint read_checkpoint(const std::string& path);

}  // namespace runtime
