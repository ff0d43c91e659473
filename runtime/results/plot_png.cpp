#include "runtime/results/plot_png.h"

#include <dlfcn.h>

#include <memory>

#include "runtime/results/output_file.h"

namespace runtime {

namespace {

// What is used of librsvg 2.46 and cairo. Their objects stay opaque: so that a build needs neither.
struct Rectangle {
  double x, y, width, height;
};
constexpr int kArgb32 = 0;

struct Library {
  void* rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
  void* cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  void* gobject = dlopen("libgobject-2.0.so.0", RTLD_NOW | RTLD_LOCAL);

  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
    return function != nullptr;
  }

  void* (*handle_new)(const unsigned char* data, unsigned long size, void** error) = nullptr;
  int (*render)(void* handle, void* context, const Rectangle* viewport, void** error) = nullptr;
  void (*unref)(void* object) = nullptr;
  void* (*surface_create)(int format, int width, int height) = nullptr;
  int (*surface_status)(void* surface) = nullptr;
  void (*surface_destroy)(void* surface) = nullptr;
  void* (*context_create)(void* surface) = nullptr;
  void (*context_destroy)(void* context) = nullptr;
  int (*write)(void* surface, int (*to)(void* closure, const unsigned char* data, unsigned length),
               void* closure) = nullptr;

  bool complete =
      find(rsvg, "rsvg_handle_new_from_data", handle_new) &&
      find(rsvg, "rsvg_handle_render_document", render) && find(gobject, "g_object_unref", unref) &&
      find(cairo, "cairo_image_surface_create", surface_create) &&
      find(cairo, "cairo_surface_status", surface_status) &&
      find(cairo, "cairo_surface_destroy", surface_destroy) && find(cairo, "cairo_create", context_create) &&
      find(cairo, "cairo_destroy", context_destroy) &&
      find(cairo, "cairo_surface_write_to_png_stream", write);
};

}  // namespace

PngResult draw_png(std::string& png, std::string_view svg, double width, double height, double scale) {
  const Library library;
  if (!library.complete) return {true, "librsvg is not installed"};
  bool drawn = false;
  if (void* handle =
          library.handle_new(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(), nullptr)) {
    void* surface =
        library.surface_create(kArgb32, static_cast<int>(width * scale), static_cast<int>(height * scale));
    if (library.surface_status(surface) == 0) {
      void* context = library.context_create(surface);
      const Rectangle viewport{0, 0, width * scale, height * scale};
      drawn = library.render(handle, context, &viewport, nullptr) != 0;
      auto append = [](void* closure, const unsigned char* data, unsigned length) {
        static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
        return 0;
      };
      drawn = drawn && library.write(surface, append, &png) == 0;
      library.context_destroy(context);
    }
    library.surface_destroy(surface);
    library.unref(handle);
  }
  return {false, drawn ? "" : "the picture is too large to be drawn"};
}

PngResult write_png(const std::string& path, std::string_view svg, double width, double height,
                    double scale) {
  std::string png;
  PngResult result = draw_png(png, svg, width, height, scale);
  if (result.error.empty()) result.error = write_file(path, png);
  return result;
}

}  // namespace runtime
