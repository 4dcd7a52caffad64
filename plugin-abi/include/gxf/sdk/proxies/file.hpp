/// Proxies for the host's files.
#ifndef GXF_SDK_PROXIES_FILE_HPP_
#define GXF_SDK_PROXIES_FILE_HPP_

#include <string>

#include "gxf/sdk/proxies/endpoint.hpp"
#include "gxf/serialization/file.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class FileProxy : public EndpointProxy<File> {
 public:
  Expected<void> Connect() {
    auto connected = EndpointProxy<File>::Connect();
    connected &= file_.Connect(context(), cid(), GXE_TID_FILE);
    path_ = RemoteParameter<std::string>(*this, "file_path").value_or(std::string{});
    mode_ = RemoteParameter<std::string>(*this, "file_mode").value_or(std::string{});
    return connected;
  }
  Expected<void> open(const char* path = nullptr, const char* mode = nullptr) override {
    const auto opened = Code(file_.table().open(file_.object(), ToText(path), ToText(mode)));
    if (!opened) { return opened; }
    if (path != nullptr) { path_ = path; }
    if (mode != nullptr) { mode_ = mode; }
    return Success;
  }
  Expected<void> close() override { return Code(file_.table().close(file_.object())); }
  void clear() override { file_.table().clear(file_.object()); }
  bool eof() override { return file_.table().is_at_end(file_.object()); }
  bool error() override { return file_.table().has_failed(file_.object()); }
  Expected<void> flush() override { return Code(file_.table().flush(file_.object())); }
  Expected<void> seek(int offset, int whence = SEEK_SET) override {
    return Code(file_.table().seek(file_.object(), offset, whence));
  }
  Expected<size_t> tell() override {
    uint64_t position = 0;
    const GxeResultCode code = file_.table().tell(file_.object(), &position);
    return ExpectedOrCode(ToGxf(code), static_cast<size_t>(position));
  }
  bool isOpen() override { return file_.table().is_open(file_.object()); }

 private:
  static Expected<void> Code(GxeResultCode code) { return ExpectedOrCode(ToGxf(code)); }

  Link<GxeFileVtable> file_;
};
template <>
struct Proxy<File> : ProxyOf<FileProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_FILE_HPP_
