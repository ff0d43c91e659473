// Memory allocation of this program: huge pages for large blocks. A large table is written once from start to
// end, and the page fault of a 4 KB page costs about as much as writing the page; so large blocks request
// 2 MB pages where the kernel supports them. Sanitizers have allocators of their own.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(MADV_HUGEPAGE) && !defined(SIGREL_SANITIZED)

namespace {

constexpr std::size_t kPage = std::size_t{1} << 21, kLarge = 2 * kPage;

/// Advises the kernel for the pages entirely inside the block; failures are harmless.
void ask_for_large_pages(void* piece, std::size_t size) {
  const auto begin = (reinterpret_cast<std::uintptr_t>(piece) + kPage - 1) & ~(kPage - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(piece) + size) & ~(kPage - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void* operator new(std::size_t size) {
  while (true) {
    if (void* piece = std::malloc(size > 0 ? size : 1)) {
      if (size >= kLarge) ask_for_large_pages(piece, size);
      return piece;
    }
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

// These replace the operators of the library: free() is the counterpart of the malloc() above.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* piece) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }

#endif
