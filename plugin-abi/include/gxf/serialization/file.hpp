/// Files as endpoints.
#ifndef NVIDIA_GXF_SERIALIZATION_FILE_HPP_
#define NVIDIA_GXF_SERIALIZATION_FILE_HPP_

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "gxf/core/registrar.hpp"
#include "gxf/serialization/endpoint.hpp"

namespace nvidia {
namespace gxf {

/// A file, opened when the component is initialised.
class File : public Endpoint {
 public:
  ~File() override {
    if (file_ != nullptr) { std::fclose(file_); }
  }

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(allocator_, "allocator", "Memory allocator",
                                   "Where the buffer comes from.", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(file_path_, "file_path", "File Path", "Path of the file.",
                                   std::string{});
    result &= registrar->parameter(file_mode_, "file_mode", "File Mode", "As of fopen.",
                                   std::string{"wb+"});
    result &= registrar->parameter(buffer_size_, "buffer_size", "Buffer Size",
                                   "Bytes of the buffer.", size_t{2} << 20);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    return file_path_.get().empty() ? GXF_SUCCESS : ToResultCode(open());
  }
  gxf_result_t deinitialize() override { return isOpen() ? ToResultCode(close()) : GXF_SUCCESS; }

  gxf_result_t is_write_available_abi() override { return isOpen() ? GXF_SUCCESS : GXF_FAILURE; }
  gxf_result_t is_read_available_abi() override { return isOpen() ? GXF_SUCCESS : GXF_FAILURE; }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    if (data == nullptr || bytes_written == nullptr) { return GXF_ARGUMENT_NULL; }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ == nullptr) { return GXF_FAILURE; }
    *bytes_written = std::fwrite(data, 1, size, file_);
    return *bytes_written == size ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) override {
    if (data == nullptr || bytes_read == nullptr) { return GXF_ARGUMENT_NULL; }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ == nullptr) { return GXF_FAILURE; }
    *bytes_read = std::fread(data, 1, size, file_);
    return *bytes_read == size ? GXF_SUCCESS : GXF_FAILURE;
  }

  /// Opens a file; without arguments the one of the parameters.
  virtual Expected<void> open(const char* path = nullptr, const char* mode = nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ != nullptr) { return Unexpected{GXF_INVALID_LIFECYCLE_STAGE}; }
    path_ = path != nullptr ? path : file_path_.get();
    mode_ = mode != nullptr ? mode : file_mode_.get();
    file_ = std::fopen(path_.c_str(), mode_.c_str());
    if (file_ == nullptr) {
      GXF_LOG_ERROR("`%s` cannot be opened: %s", path_.c_str(), std::strerror(errno));
      return Unexpected{GXF_FAILURE};
    }
    return Success;
  }
  virtual Expected<void> close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ == nullptr) { return Unexpected{GXF_INVALID_LIFECYCLE_STAGE}; }
    const int result = std::fclose(std::exchange(file_, nullptr));
    return ExpectedOrCode(result == 0 ? GXF_SUCCESS : GXF_FAILURE);
  }
  virtual void clear() {
    if (file_ != nullptr) { std::clearerr(file_); }
  }
  virtual bool eof() { return file_ != nullptr && std::feof(file_) != 0; }
  virtual bool error() { return file_ != nullptr && std::ferror(file_) != 0; }
  virtual Expected<void> flush() { return Check(file_ != nullptr && std::fflush(file_) == 0); }
  virtual Expected<void> seek(int offset, int whence = SEEK_SET) {
    return Check(file_ != nullptr && std::fseek(file_, offset, whence) == 0);
  }
  virtual Expected<size_t> tell() {
    const long position = file_ == nullptr ? -1 : std::ftell(file_);
    if (position < 0) { return Unexpected{GXF_FAILURE}; }
    return static_cast<size_t>(position);
  }
  virtual bool isOpen() { return file_ != nullptr; }
  const char* path() { return path_.c_str(); }
  const char* mode() { return mode_.c_str(); }
  /// Gives the file another name.
  Expected<void> rename(const char* path) {
    if (path == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    const auto renamed = Check(std::rename(path_.c_str(), path) == 0);
    if (renamed) { path_ = path; }
    return renamed;
  }
  /// Puts a time before the file name's extension, or before the name.
  Expected<void> addTimestamp(int64_t timestamp, bool prepend = false) {
    const size_t name = path_.rfind('/') == std::string::npos ? 0 : path_.rfind('/') + 1;
    const size_t dot = path_.rfind('.');
    const size_t end = dot == std::string::npos || dot < name ? path_.size() : dot;
    std::string path = path_;
    path.insert(prepend ? name : end,
                prepend ? std::to_string(timestamp) + "_" : "_" + std::to_string(timestamp));
    return rename(path.c_str());
  }
  /// Takes the right to write from everybody.
  Expected<void> writeProtect() {
    return Check(::chmod(path_.c_str(), S_IRUSR | S_IRGRP | S_IROTH) == 0);
  }

 protected:
  std::string path_;
  std::string mode_;

 private:
  static Expected<void> Check(bool done) {
    return ExpectedOrCode(done ? GXF_SUCCESS : GXF_FAILURE);
  }

  Parameter<Handle<Allocator>> allocator_;
  Parameter<std::string> file_path_;
  Parameter<std::string> file_mode_;
  Parameter<size_t> buffer_size_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/file.hpp"
#include "gxf/sdk/tables/file.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_FILE_HPP_
