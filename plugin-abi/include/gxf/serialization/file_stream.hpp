/// A file for reading and one for writing.
#ifndef NVIDIA_GXF_SERIALIZATION_FILE_STREAM_HPP_
#define NVIDIA_GXF_SERIALIZATION_FILE_STREAM_HPP_

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "gxf/serialization/endpoint.hpp"

namespace nvidia {
namespace gxf {

#pragma pack(push, 1)
/// An entry of a recording's index.
struct EntityIndex {
  /// When the message was written, in nanoseconds.
  uint64_t log_time;
  /// Bytes of the message.
  uint64_t data_size;
  /// Position in the other file.
  uint64_t data_offset;
};
#pragma pack(pop)

/// An endpoint that is made in code, not in a graph. An empty path: no file.
class FileStream : public Endpoint {
 public:
  static constexpr const char* kIndexFileExtension = ".gxf_index";
  static constexpr const char* kBinaryFileExtension = ".gxf_entities";

  FileStream() = default;
  FileStream(std::string input_file_path, std::string output_file_path)
      : input_path_(std::move(input_file_path)), output_path_(std::move(output_file_path)) {}
  ~FileStream() override { Close(); }
  FileStream(FileStream&& other) noexcept { Swap(other); }
  FileStream& operator=(FileStream&& other) noexcept {
    Swap(other);
    return *this;
  }

  /// Opens both files and clears the second one.
  Expected<void> open() {
    if (input_ != nullptr || output_ != nullptr) { return Unexpected{GXF_INVALID_LIFECYCLE_STAGE}; }
    if (!Open(input_path_, "rb", &input_) || !Open(output_path_, "wb", &output_)) {
      Close();
      return Unexpected{GXF_FAILURE};
    }
    return Success;
  }
  Expected<void> close() { return Check(Close()); }
  /// Forgets errors and the end of a file.
  void clear() {
    if (input_ != nullptr) { std::clearerr(input_); }
    if (output_ != nullptr) { std::clearerr(output_); }
  }
  Expected<void> flush() { return Check(output_ != nullptr && std::fflush(output_) == 0); }
  /// Offset in bytes from the start.
  Expected<void> setWriteOffset(size_t offset) { return Seek(output_, offset); }
  Expected<size_t> getWriteOffset() { return Tell(output_); }
  Expected<void> setReadOffset(size_t offset) { return Seek(input_, offset); }
  Expected<size_t> getReadOffset() { return Tell(input_); }

  gxf_result_t is_write_available_abi() override {
    return output_ != nullptr ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t is_read_available_abi() override {
    return input_ != nullptr ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    if (data == nullptr || bytes_written == nullptr) { return GXF_ARGUMENT_NULL; }
    if (output_ == nullptr) { return GXF_FAILURE; }
    *bytes_written = std::fwrite(data, 1, size, output_);
    return *bytes_written == size ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) override {
    if (data == nullptr || bytes_read == nullptr) { return GXF_ARGUMENT_NULL; }
    if (input_ == nullptr) { return GXF_FAILURE; }
    *bytes_read = std::fread(data, 1, size, input_);
    return *bytes_read == size ? GXF_SUCCESS : GXF_FAILURE;
  }

 private:
  static Expected<void> Check(bool done) {
    return ExpectedOrCode(done ? GXF_SUCCESS : GXF_FAILURE);
  }
  static bool Open(const std::string& path, const char* mode, std::FILE** file) {
    if (path.empty()) { return true; }
    *file = std::fopen(path.c_str(), mode);
    if (*file == nullptr) { GXF_LOG_ERROR("`%s` cannot be opened", path.c_str()); }
    return *file != nullptr;
  }
  static Expected<void> Seek(std::FILE* file, size_t offset) {
    return Check(file != nullptr && std::fseek(file, static_cast<long>(offset), SEEK_SET) == 0);
  }
  static Expected<size_t> Tell(std::FILE* file) {
    const long offset = file == nullptr ? -1 : std::ftell(file);
    if (offset < 0) { return Unexpected{GXF_FAILURE}; }
    return static_cast<size_t>(offset);
  }
  bool Close() {
    bool done = true;
    for (std::FILE** file : {&input_, &output_}) {
      if (*file != nullptr) { done &= std::fclose(std::exchange(*file, nullptr)) == 0; }
    }
    return done;
  }
  void Swap(FileStream& other) noexcept {
    std::swap(input_path_, other.input_path_);
    std::swap(output_path_, other.output_path_);
    std::swap(input_, other.input_);
    std::swap(output_, other.output_);
  }

  std::string input_path_;
  std::string output_path_;
  std::FILE* input_ = nullptr;
  std::FILE* output_ = nullptr;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_FILE_STREAM_HPP_
