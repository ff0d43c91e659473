#include <elf.h>
#include <link.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/jit/code_cache.h"

namespace sigrel::jit {
namespace {

// The build id in the notes of a segment; empty if there is none. A segment that is aligned to 8 may contain
// it as well, after a note whose length is a multiple of 8.
std::string build_id_in(const char* at, std::size_t size) {
  constexpr std::size_t kAlignment = 4;
  const auto padded = [](std::size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; };
  for (ElfW(Nhdr) note; size >= sizeof note;) {
    std::memcpy(&note, at, sizeof note);
    const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size) break;
    const char* name = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return {name + padded(note.n_namesz), note.n_descsz};
    at += whole;
    size -= whole;
  }
  return {};
}

// The program comes first; the generator of code is linked into it.
int find_build_id(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    std::string id = build_id_in(at, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = std::move(id);
  }
  return 1;
}

}  // namespace

std::optional<std::string> code_identity() {
  std::string identity;
  dl_iterate_phdr(find_build_id, &identity);
  if (identity.empty()) return std::nullopt;
  identity +=
      " " LLVM_VERSION_STRING " " + llvm::sys::getProcessTriple() + " " + llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    if (feature.second) features.push_back(feature.first().str());
  std::ranges::sort(features);
  for (const std::string& feature : features) identity += " +" + feature;
  return identity;
}

}  // namespace sigrel::jit
