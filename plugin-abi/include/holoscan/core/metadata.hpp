/// Metadata of messages.
#ifndef HOLOSCAN_CORE_METADATA_HPP_
#define HOLOSCAN_CORE_METADATA_HPP_

#include <any>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace holoscan {

/// What happens to a key that several messages of an execution have.
enum class MetadataPolicy {
  /// `kUpdate` in a loop of flows, else `kRaise`.
  kDefault,
  /// The first value stays.
  kReject,
  /// The latest value counts.
  kUpdate,
  /// The same here as `kUpdate`.
  kInplaceUpdate,
  /// An error.
  kRaise,
};

/// A value of any type.
class MetadataObject {
 public:
  MetadataObject() = default;
  explicit MetadataObject(std::any value) : value_(std::move(value)) {}

  const std::any& value() const { return value_; }
  void set_value(std::any value) { value_ = std::move(value); }

 private:
  std::any value_;
};

/// Values by name, which travel with messages.
class MetadataDictionary {
 public:
  using Values = std::map<std::string, std::shared_ptr<MetadataObject>>;

  explicit MetadataDictionary(MetadataPolicy policy = MetadataPolicy::kRaise) : policy_(policy) {}

  /// A value; an error if there is none, or it has another type.
  template <typename T>
  T get(const std::string& key) const {
    const std::any& value = Object(key)->value();
    const T* found = std::any_cast<T>(&value);
    if (found == nullptr) {
      throw std::runtime_error("the metadata `" + key + "` is of another type");
    }
    return *found;
  }
  /// A value, or another one if there is none.
  template <typename T>
  T get(const std::string& key, const T& otherwise) const {
    return has_key(key) ? get<T>(key) : otherwise;
  }
  std::shared_ptr<MetadataObject> get(const std::string& key) const { return Object(key); }
  /// Sets a value, whatever the policy.
  template <typename T>
  void set(const std::string& key, T&& value) {
    using Value = std::decay_t<T>;
    if constexpr (std::is_same_v<Value, std::shared_ptr<MetadataObject>>) {
      values_[key] = std::forward<T>(value);
    } else if constexpr (std::is_convertible_v<Value, const char*>) {
      values_[key] = std::make_shared<MetadataObject>(std::any(std::string(value)));
    } else {
      values_[key] = std::make_shared<MetadataObject>(std::any(std::forward<T>(value)));
    }
  }
  bool has_key(const std::string& key) const { return values_.count(key) != 0; }
  /// Removes a value; whether there was one.
  bool erase(const std::string& key) { return values_.erase(key) != 0; }
  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : values_) { all.push_back(key); }
    return all;
  }
  void clear() { values_.clear(); }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  Values::const_iterator begin() const { return values_.begin(); }
  Values::const_iterator end() const { return values_.end(); }
  /// Adds the values of another one by the policy.
  void merge(const MetadataDictionary& other) {
    for (const auto& [key, value] : other.values_) {
      if (has_key(key) && policy_ == MetadataPolicy::kRaise) {
        throw std::runtime_error("Key '" + key +
                                 "' already exists. The metadata policy is set to kRaise.");
      }
      if (!has_key(key) || policy_ != MetadataPolicy::kReject) { values_[key] = value; }
    }
  }

  MetadataPolicy policy() const { return policy_; }
  void policy(MetadataPolicy policy) { policy_ = policy; }

 private:
  const std::shared_ptr<MetadataObject>& Object(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      throw std::runtime_error("there is no metadata `" + key + "`");
    }
    return found->second;
  }

  Values values_;
  MetadataPolicy policy_;
};

namespace detail {

/// The payload that carries metadata. Messages share it, so nobody changes it.
struct MessageMetadata {
  std::shared_ptr<const MetadataDictionary> values;
};

}  // namespace detail

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_METADATA_HPP_
