/// OneFlow's loops over a pool of threads: `SingleThreadLoop`, `MultiThreadLoop`, and the splitter
/// and counter that they are made of.
#ifndef GXE_THREAD_LOOP_HPP_
#define GXE_THREAD_LOOP_HPP_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace oneflow {

/// Numbers from `begin` to before `end`.
class Range {
 public:
  Range(int64_t begin, int64_t end) : begin_(begin), end_(end) {}
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t size() const { return end_ - begin_; }

 private:
  int64_t begin_;
  int64_t end_;
};

/// Splits `total` into `parts` ranges whose sizes differ by at most one, the larger ones first.
class BalancedSplitter {
 public:
  BalancedSplitter(int64_t total, int64_t parts)
      : size_(parts == 0 ? 0 : total / parts), larger_(parts == 0 ? 0 : total % parts) {}

  Range At(int64_t index) const {
    const int64_t begin = index * size_ + std::min(index, larger_);
    return Range(begin, begin + size_ + (index < larger_ ? 1 : 0));
  }

 private:
  int64_t size_;
  int64_t larger_;
};

/// Counts down to zero, which others wait for.
class BlockingCounter {
 public:
  explicit BlockingCounter(int64_t count) : count_(count) {}

  /// The count after it; the last one wakes those who wait.
  int64_t Decrease() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--count_ == 0) { zero_.notify_all(); }
    return count_;
  }
  void WaitUntilCntEqualZero() {
    std::unique_lock<std::mutex> lock(mutex_);
    zero_.wait(lock, [this] { return count_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable zero_;
  int64_t count_;
};

/// Threads that take work from one queue. Its end finishes what the queue holds.
class ThreadPool {
 public:
  explicit ThreadPool(size_t thread_num) {
    for (size_t i = 0; i < std::max<size_t>(thread_num, 1); i++) {
      threads_.emplace_back([this] { Run(); });
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    has_work_.notify_all();
    for (std::thread& thread : threads_) { thread.join(); }
  }

  size_t thread_num() const { return threads_.size(); }
  /// The work must not throw.
  void AddWork(std::function<void()> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      work_.push_back(std::move(work));
    }
    has_work_.notify_one();
  }
  /// Whether the caller is one of a pool's threads.
  static bool IsPoolThread() { return is_pool_thread_; }

 private:
  void Run() {
    is_pool_thread_ = true;
    while (true) {
      std::unique_lock<std::mutex> lock(mutex_);
      has_work_.wait(lock, [this] { return is_over_ || !work_.empty(); });
      if (work_.empty()) { return; }
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    }
  }

  inline static thread_local bool is_pool_thread_ = false;

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::function<void()>> work_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

namespace detail __attribute__((visibility("hidden"))) {

/// The pool of this library, with a thread for each CPU; it ends with the library.
inline ThreadPool& Pool() {
  static ThreadPool pool(std::thread::hardware_concurrency());
  return pool;
}

}  // namespace detail

/// Calls back for each number below `num`, in order.
template <typename Callback>
void SingleThreadLoop(size_t num, const Callback& callback) {
  for (size_t i = 0; i < num; i++) { callback(i); }
}

/// Calls back for each number below `num` on the threads of a pool, each of which takes a range of
/// neighbours; returns after the last call. The first exception of a callback is thrown here then.
/// On a thread of a pool the calls happen there, one after the other.
template <typename Callback>
void MultiThreadLoop(size_t num, const Callback& callback) {
  if (num <= 1 || ThreadPool::IsPoolThread()) { return SingleThreadLoop(num, callback); }
  ThreadPool& pool = detail::Pool();
  const size_t parts = std::min(num, pool.thread_num());
  const BalancedSplitter splitter(static_cast<int64_t>(num), static_cast<int64_t>(parts));
  BlockingCounter counter(static_cast<int64_t>(parts));
  std::mutex mutex;
  std::exception_ptr failure;
  for (size_t part = 0; part < parts; part++) {
    pool.AddWork([&, part] {
      const Range range = splitter.At(static_cast<int64_t>(part));
      for (int64_t i = range.begin(); i < range.end(); i++) {
        try {
          callback(static_cast<size_t>(i));
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          if (failure == nullptr) { failure = std::current_exception(); }
        }
      }
      counter.Decrease();
    });
  }
  counter.WaitUntilCntEqualZero();
  if (failure != nullptr) { std::rethrow_exception(failure); }
}

}  // namespace oneflow

#endif  // GXE_THREAD_LOOP_HPP_
