/// The host's way into files.
#ifndef GXF_SDK_TABLES_FILE_HPP_
#define GXF_SDK_TABLES_FILE_HPP_

#include <climits>
#include <string>

#include "gxf/sdk/guard.hpp"
#include "gxf/serialization/file.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct FileTable {
  static File& Self(void* object) { return BaseOf<File, T>(object); }
  /// A text that ends with a zero byte; null for one without data.
  class Terminated {
   public:
    explicit Terminated(GxeText text) : is_null_(text.data == nullptr), text_(FromText(text)) {}
    const char* get() const { return is_null_ ? nullptr : text_.c_str(); }

   private:
    bool is_null_;
    std::string text_;
  };
  static GxeResultCode Open(void* object, GxeText path, GxeText mode) noexcept {
    return Guard(Self(object), "open", [&] {
      return ToResultCode(Self(object).open(Terminated(path).get(), Terminated(mode).get()));
    });
  }
  static GxeResultCode Close(void* object) noexcept {
    return Guard(Self(object), "close", [&] { return ToResultCode(Self(object).close()); });
  }
  static GxeResultCode Flush(void* object) noexcept {
    return Guard(Self(object), "flush", [&] { return ToResultCode(Self(object).flush()); });
  }
  static GxeResultCode Seek(void* object, int64_t offset, int32_t whence) noexcept {
    return Guard(Self(object), "seek", [&]() -> gxf_result_t {
      if (offset < INT_MIN || offset > INT_MAX) { return GXF_ARGUMENT_OUT_OF_RANGE; }
      return ToResultCode(Self(object).seek(static_cast<int>(offset), whence));
    });
  }
  static GxeResultCode Tell(void* object, uint64_t* position) noexcept {
    return Guard(Self(object), "tell", [&] { return ToResultCode(Self(object).tell().assign_to(*position)); });
  }
  static GxeResultCode Clear(void* object) noexcept {
    return Guard(Self(object), "clear", [&] {
      Self(object).clear();
      return GXF_SUCCESS;
    });
  }
  static bool IsOpen(void* object) noexcept {
    return GuardValue(Self(object), "isOpen", false, [&] { return Self(object).isOpen(); });
  }
  static bool IsAtEnd(void* object) noexcept {
    return GuardValue(Self(object), "eof", false, [&] { return Self(object).eof(); });
  }
  static bool HasFailed(void* object) noexcept {
    return GuardValue(Self(object), "error", false, [&] { return Self(object).error(); });
  }
  static constexpr GxeFileVtable kTable = {
      sizeof(GxeFileVtable), Open, Close, Flush, Seek, Tell, Clear, IsOpen, IsAtEnd, HasFailed};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_FILE_HPP_
