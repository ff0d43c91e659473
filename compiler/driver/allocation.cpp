// Memory of this program. A large table is written once, from one end to the other, and a page of 4 KB costs
// the kernel about as much when it is first touched as writing it does; where it has pages of 2 MB for who
// asks, large pieces are asked for in these.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::size_t kPage = std::size_t{1} << 21, kLarge = 2 * kPage;

/// The pages that lie in it as a whole; no harm if the kernel does not want to.
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

void operator delete(void* piece) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }

#endif
