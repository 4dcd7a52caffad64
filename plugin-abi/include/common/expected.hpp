/// A value, or an error instead of it.
#ifndef NVIDIA_COMMON_EXPECTED_HPP_
#define NVIDIA_COMMON_EXPECTED_HPP_

#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "common/assert.hpp"
#include "common/strong_type.hpp"
#include "common/type_utils.hpp"

namespace nvidia {

template <typename T, typename E>
class Expected;

/// The error of an `Expected`.
template <typename E>
using Unexpected = StrongType<struct Unexpected_t, E>;

namespace detail {

template <typename T>
struct IsExpected : std::false_type {};
template <typename T, typename E>
struct IsExpected<Expected<T, E>> : std::true_type {};
template <typename T>
constexpr bool IsExpected_v = IsExpected<RemoveCVRef_t<T>>::value;

template <typename T>
struct IsUnexpected : std::false_type {};
template <typename E>
struct IsUnexpected<Unexpected<E>> : std::true_type {};
template <typename T>
constexpr bool IsUnexpected_v = IsUnexpected<RemoveCVRef_t<T>>::value;

/// Whether a type is a failure on its way out of a function, as the macros return it. It converts
/// to anything that holds a status, and must not be taken for a value.
template <typename T>
struct IsFailure : std::false_type {};

/// The content of an `Expected`.
template <typename T>
struct ValueType;
template <typename T, typename E>
struct ValueType<Expected<T, E>> {
  using type = T;
};
template <typename T>
using ValueType_t = typename ValueType<RemoveCVRef_t<T>>::type;

template <typename T>
struct ErrorType;
template <typename T, typename E>
struct ErrorType<Expected<T, E>> {
  using type = E;
};
template <typename T>
using ErrorType_t = typename ErrorType<RemoveCVRef_t<T>>::type;

/// `Expected<T, E>`, without one inside another.
template <typename T, typename E>
struct FlattenExpected {
  using type = Expected<T, E>;
};
template <typename T, typename F, typename E>
struct FlattenExpected<Expected<T, F>, E> {
  using type = Expected<T, E>;
};
template <typename T, typename E>
using FlattenExpected_t = typename FlattenExpected<
    std::conditional_t<std::is_lvalue_reference_v<T> && !IsExpected_v<T>, T, RemoveCVRef_t<T>>,
    E>::type;

/// The success of an `Expected<void, E>`.
struct Nothing {};

/// What is stored for a value of type `T`.
template <typename T>
struct Stored {
  using type = T;
};
template <>
struct Stored<void> {
  using type = Nothing;
};
template <typename T>
struct Stored<T&> {
  using type = T*;
};

/// Converts to every list, to ask whether a type has a constructor that takes one.
struct AnyList {
  template <typename T>
  operator std::initializer_list<T>() const;
};
template <typename T, typename U, typename = void>
struct TakesBraces : std::false_type {};
template <typename T, typename U>
struct TakesBraces<T, U, std::void_t<decltype(T{std::declval<U>()})>>
    : std::conjunction<std::is_class<T>, std::is_move_constructible<T>,
                       std::is_constructible<T, AnyList>> {};

/// The argument of a value's constructor. As in GXF, a value is made in braces, which makes a
/// difference for types that have a constructor for lists: there, the argument is an element.
template <typename T, typename U>
constexpr decltype(auto) Argument(U&& value) {
  if constexpr (TakesBraces<T, U&&>::value) {
    return T{std::forward<U>(value)};
  } else {
    return std::forward<U>(value);
  }
}

/// An error and, maybe, a text about it.
template <typename E>
struct ErrorAndMessage {
  Unexpected<E> error;
  const char* message;
};

/// Types with an arrow of their own that the arrow of an `Expected` stops at, as at handles:
/// `Handle<Tensor>::Create(context, cid)->get()`.
template <typename T>
struct ArrowStops : std::false_type {};

template <typename T, typename = void>
struct HasArrow : std::is_pointer<T> {};
template <typename T>
struct HasArrow<T, std::void_t<decltype(std::declval<T&>().operator->())>> : std::true_type {};

/// Calls a function and wraps its result in an `Expected`.
template <typename Result, typename F, typename... Args>
constexpr Result Call(F&& f, Args&&... args) {
  using Returned = std::invoke_result_t<F, Args...>;
  if constexpr (std::is_void_v<Returned>) {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return Result{};
  } else {
    return Result(std::invoke(std::forward<F>(f), std::forward<Args>(args)...));
  }
}

/// The result type of a call with these arguments, or without them if the function takes none.
template <typename F, typename Value, typename... Args>
constexpr auto InvokeWith(F&& f, Value&& value, Args&&... args) -> decltype(auto) {
  if constexpr (std::is_invocable_v<F, Value, Args...>) {
    return std::invoke(std::forward<F>(f), std::forward<Value>(value), std::forward<Args>(args)...);
  } else {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

/// Selects the constructor that leaves the content to be constructed.
struct Unmade {};

/// Which of the two is there. Numbered as in a `std::variant`.
enum class Holds : unsigned char { kValue = 0, kRejection = 1, kNothing = 0xff };

/// Storage of a value or a rejection, one in the place of the other. Not a `std::variant`, whose
/// dozens of classes and functions for each type took most of the time of a compilation, but with
/// the same layout: libraries may share types that contain an `Expected`.
template <typename V, typename R,
          bool = std::is_trivially_destructible_v<V> && std::is_trivially_destructible_v<R>>
struct EitherStorage {
  template <typename... Args>
  constexpr explicit EitherStorage(std::in_place_index_t<0>, Args&&... args)
      : value(std::forward<Args>(args)...), holds(Holds::kValue) {}
  constexpr explicit EitherStorage(std::in_place_index_t<1>, R rejection)
      : rejected(std::move(rejection)), holds(Holds::kRejection) {}
  constexpr explicit EitherStorage(Unmade) : unmade(), holds(Holds::kNothing) {}

  void Destroy() { holds = Holds::kNothing; }

  union {
    V value;
    R rejected;
    Unmade unmade;
  };
  Holds holds;
};
template <typename V, typename R>
struct EitherStorage<V, R, false> {
  template <typename... Args>
  constexpr explicit EitherStorage(std::in_place_index_t<0>, Args&&... args)
      : value(std::forward<Args>(args)...), holds(Holds::kValue) {}
  constexpr explicit EitherStorage(std::in_place_index_t<1>, R rejection)
      : rejected(std::move(rejection)), holds(Holds::kRejection) {}
  constexpr explicit EitherStorage(Unmade) : unmade(), holds(Holds::kNothing) {}
  EitherStorage(const EitherStorage&) = delete;
  EitherStorage& operator=(const EitherStorage&) = delete;
  ~EitherStorage() { Destroy(); }

  void Destroy() {
    const Holds held = std::exchange(holds, Holds::kNothing);
    if (held == Holds::kValue) {
      value.~V();
    } else if (held == Holds::kRejection) {
      rejected.~R();
    }
  }

  union {
    V value;
    R rejected;
    Unmade unmade;
  };
  Holds holds;
};

/// Functions of both kinds of `Either`. An exception of a constructor leaves nothing, as in a
/// variant.
template <typename V, typename R>
struct EitherBase : EitherStorage<V, R> {
  using EitherStorage<V, R>::EitherStorage;

  /// Constructs a value where nothing is.
  template <typename... Args>
  V& MakeValue(Args&&... args) {
    ::new (Place(this->value)) V(std::forward<Args>(args)...);
    this->holds = Holds::kValue;
    return this->value;
  }
  /// Constructs a rejection where nothing is.
  template <typename From>
  void MakeRejection(From&& from) {
    ::new (Place(this->rejected)) R(std::forward<From>(from));
    this->holds = Holds::kRejection;
  }
  /// Replaces the content by a new value, which may be made of the old one.
  template <typename... Args>
  V& Emplace(Args&&... args) {
    V made(std::forward<Args>(args)...);
    this->Destroy();
    return MakeValue(std::move(made));
  }

 private:
  template <typename T>
  static void* Place(T& member) {
    return const_cast<void*>(static_cast<const volatile void*>(std::addressof(member)));
  }
};

/// A value or a rejection, with the copies and moves that both have.
template <typename V, typename R,
          bool = std::is_trivially_copyable_v<V> && std::is_trivially_copyable_v<R>>
struct Either : EitherBase<V, R> {
  using EitherBase<V, R>::EitherBase;
};
template <typename V, typename R>
struct Either<V, R, false> : EitherBase<V, R> {
  using EitherBase<V, R>::EitherBase;

  Either(const Either& other) : EitherBase<V, R>(Unmade{}) { Make(other); }
  Either(Either&& other) noexcept(kMovesSafely) : EitherBase<V, R>(Unmade{}) {
    Make(std::move(other));
  }
  Either& operator=(const Either& other) { return Assign(other); }
  Either& operator=(Either&& other) noexcept(kMovesSafely && std::is_nothrow_move_assignable_v<V>) {
    return Assign(std::move(other));
  }

 private:
  static constexpr bool kMovesSafely =
      std::is_nothrow_move_constructible_v<V> && std::is_nothrow_move_constructible_v<R>;

  template <typename Other>
  void Make(Other&& other) {
    if (other.holds == Holds::kValue) {
      this->MakeValue(std::forward<Other>(other).value);
    } else if (other.holds == Holds::kRejection) {
      this->MakeRejection(std::forward<Other>(other).rejected);
    }
  }

  template <typename Other>
  Either& Assign(Other&& other) {
    if (other.holds == this->holds && other.holds == Holds::kValue) {
      this->value = std::forward<Other>(other).value;
    } else if (this != std::addressof(other)) {
      // An exception of a copy is thrown while the old content is still there.
      Either made(std::forward<Other>(other));
      this->Destroy();
      Make(std::move(made));
    }
    return *this;
  }
};

/// Which of its copies and moves a type that derives from it loses. `std::is_copy_constructible`
/// and the like must tell the truth of an `Expected`.
template <bool kCopies>
struct Copies {};
template <>
struct Copies<false> {
  Copies() = default;
  Copies(const Copies&) = delete;
  Copies(Copies&&) = default;
  Copies& operator=(const Copies&) = default;
  Copies& operator=(Copies&&) = default;
};
template <bool kMoves>
struct Moves {};
template <>
struct Moves<false> {
  Moves() = default;
  Moves(const Moves&) = delete;
  Moves(Moves&&) = delete;
  Moves& operator=(const Moves&) = default;
  Moves& operator=(Moves&&) = default;
};
template <bool kCopies>
struct CopyAssigns {};
template <>
struct CopyAssigns<false> {
  CopyAssigns() = default;
  CopyAssigns(const CopyAssigns&) = default;
  CopyAssigns(CopyAssigns&&) = default;
  CopyAssigns& operator=(const CopyAssigns&) = delete;
  CopyAssigns& operator=(CopyAssigns&&) = default;
};
template <bool kMoves>
struct MoveAssigns {};
template <>
struct MoveAssigns<false> {
  MoveAssigns() = default;
  MoveAssigns(const MoveAssigns&) = default;
  MoveAssigns(MoveAssigns&&) = default;
  MoveAssigns& operator=(const MoveAssigns&) = delete;
  MoveAssigns& operator=(MoveAssigns&&) = delete;
};

/// The basis of the functions of `Expected`. `Self` is an `Expected` with the constness and
/// reference of the call.
struct Monad {
  template <typename Self>
  static constexpr decltype(auto) Value(Self&& self) {
    return std::forward<Self>(self).Unwrap();
  }

  template <typename Self, typename F, typename... Args>
  static constexpr auto Map(Self&& self, F&& f, Args&&... args) {
    using E = ErrorType_t<Self>;
    if constexpr (std::is_void_v<ValueType_t<Self>>) {
      using Result = FlattenExpected_t<std::invoke_result_t<F, Args...>, E>;
      if (!self) { return Result(self.Rejected()); }
      return Call<Result>(std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      const auto call = [&]() -> decltype(auto) {
        return InvokeWith(std::forward<F>(f), Value(std::forward<Self>(self)),
                          std::forward<Args>(args)...);
      };
      using Result = FlattenExpected_t<decltype(call()), E>;
      if (!self) { return Result(self.Rejected()); }
      return Call<Result>(call);
    }
  }

  template <typename Self, typename F>
  static constexpr auto AndThen(const Self& self, F&& f) {
    using Result = FlattenExpected_t<std::invoke_result_t<F>, ErrorType_t<Self>>;
    if (!self) { return Result(self.Rejected()); }
    return Call<Result>(std::forward<F>(f));
  }

  template <typename Self, typename F>
  static constexpr auto MapError(Self&& self, F&& f) {
    using T = ValueType_t<Self>;
    using E = ErrorType_t<Self>;
    const auto call = [&]() -> decltype(auto) {
      return InvokeWith(std::forward<F>(f), self.error());
    };
    using Returned = decltype(call());
    if constexpr (std::is_void_v<Returned>) {
      if (!self) { call(); }
      return Expected<T, E>(std::forward<Self>(self));
    } else if constexpr (IsExpected_v<Returned>) {
      if (!self) { return Expected<T, E>(call()); }
      return Expected<T, E>(std::forward<Self>(self));
    } else {
      using G = RemoveCVRef_t<Returned>;
      return ReplaceError<G>(std::forward<Self>(self), call);
    }
  }

  template <typename Self, typename F>
  static constexpr auto AndThenError(Self&& self, F&& f) {
    return MapError(std::forward<Self>(self), [&]() -> decltype(auto) { return std::invoke(f); });
  }

  /// The same value, with errors of type `G` made by `make`.
  template <typename G, typename Self, typename F>
  static constexpr auto ReplaceError(Self&& self, F&& make) {
    using Result = std::conditional_t<IsUnexpected_v<G>, Expected<ValueType_t<Self>, typename
        std::conditional_t<IsUnexpected_v<G>, G, Unexpected<G>>::value_type>,
        Expected<ValueType_t<Self>, G>>;
    using Error = typename Result::error_type;
    if (!self) { return Result(Unexpected<Error>{static_cast<Error>(make())}); }
    if constexpr (std::is_void_v<ValueType_t<Self>>) {
      return Result{};
    } else {
      return Result(Value(std::forward<Self>(self)));
    }
  }

  template <typename Self, typename U>
  static constexpr auto Substitute(const Self& self, U&& value) {
    using Result = FlattenExpected_t<RemoveCVRef_t<U>, ErrorType_t<Self>>;
    if (!self) { return Result(self.Rejected()); }
    return Result(std::forward<U>(value));
  }

  template <typename Self, typename U>
  static constexpr auto AssignTo(Self&& self, U& target) {
    using Result = Expected<void, ErrorType_t<Self>>;
    if (!self) { return Result(self.Rejected()); }
    target = Value(std::forward<Self>(self));
    return Result{};
  }

  template <typename Self, typename P, typename G>
  static constexpr auto Guard(Self&& self, P&& predicate, G&& error) {
    using Result = Expected<ValueType_t<Self>, ErrorType_t<Self>>;
    using E = ErrorType_t<Self>;
    if (self) {
      const bool holds = [&] {
        if constexpr (std::is_void_v<ValueType_t<Self>>) {
          return static_cast<bool>(std::invoke(predicate));
        } else {
          return static_cast<bool>(InvokeWith(predicate, std::as_const(self).Unwrap()));
        }
      }();
      if (!holds) { return Result(Unexpected<E>{static_cast<E>(std::forward<G>(error))}); }
    }
    return Result(std::forward<Self>(self));
  }
};

}  // namespace detail

/// What `Expected<T, E>`, `Expected<T&, E>` and `Expected<void, E>` have in common.
template <typename T, typename E, typename Derived,
          typename Kept = typename detail::Stored<T>::type>
class ExpectedBase : detail::Copies<std::is_copy_constructible_v<Kept>>,
                     detail::Moves<std::is_move_constructible_v<Kept>>,
                     detail::CopyAssigns<std::is_copy_constructible_v<Kept> &&
                                         std::is_copy_assignable_v<Kept>>,
                     detail::MoveAssigns<std::is_move_constructible_v<Kept> &&
                                         std::is_move_assignable_v<Kept>> {
 public:
  using value_type = T;
  using error_type = E;
  using unexpected_type = Unexpected<E>;

  ExpectedBase(const ExpectedBase&) = default;
  ExpectedBase(ExpectedBase&&) = default;
  ExpectedBase& operator=(const ExpectedBase&) = default;
  ExpectedBase& operator=(ExpectedBase&&) = default;

  constexpr bool has_value() const { return content_.holds == detail::Holds::kValue; }
  constexpr explicit operator bool() const { return has_value(); }

  /// The error; ends the program when there is none.
  constexpr E& error() & { return RequireRejection(content_).error.value(); }
  constexpr const E& error() const& { return RequireRejection(content_).error.value(); }
  constexpr E&& error() && { return std::move(RequireRejection(content_).error.value()); }

  /// The text that came with the error; null when there is none.
  constexpr const char* get_error_message() const {
    return content_.holds == detail::Holds::kRejection ? content_.rejected.message : nullptr;
  }

  /// Logs a text, as printf does, when this is an error.
  template <typename... Args>
  Derived& log_error(const char* format, Args... args) & {
    return LogIfError(Severity::ERROR, format, args...), self();
  }
  template <typename... Args>
  const Derived& log_error(const char* format, Args... args) const& {
    return LogIfError(Severity::ERROR, format, args...), self();
  }
  template <typename... Args>
  Derived&& log_error(const char* format, Args... args) && {
    return LogIfError(Severity::ERROR, format, args...), std::move(self());
  }
  template <typename... Args>
  Derived& log_warning(const char* format, Args... args) & {
    return LogIfError(Severity::WARNING, format, args...), self();
  }
  template <typename... Args>
  const Derived& log_warning(const char* format, Args... args) const& {
    return LogIfError(Severity::WARNING, format, args...), self();
  }
  template <typename... Args>
  Derived&& log_warning(const char* format, Args... args) && {
    return LogIfError(Severity::WARNING, format, args...), std::move(self());
  }
  template <typename... Args>
  Derived& log_info(const char* format, Args... args) & {
    return LogIfError(Severity::INFO, format, args...), self();
  }
  template <typename... Args>
  const Derived& log_info(const char* format, Args... args) const& {
    return LogIfError(Severity::INFO, format, args...), self();
  }
  template <typename... Args>
  Derived&& log_info(const char* format, Args... args) && {
    return LogIfError(Severity::INFO, format, args...), std::move(self());
  }
  template <typename... Args>
  Derived& log_debug(const char* format, Args... args) & {
    return LogIfError(Severity::DEBUG, format, args...), self();
  }
  template <typename... Args>
  const Derived& log_debug(const char* format, Args... args) const& {
    return LogIfError(Severity::DEBUG, format, args...), self();
  }
  template <typename... Args>
  Derived&& log_debug(const char* format, Args... args) && {
    return LogIfError(Severity::DEBUG, format, args...), std::move(self());
  }

  /// Another value in place of this one; an error stays. A substitute that is an `Expected` itself
  /// is not put into another one.
  template <typename U>
  constexpr auto substitute(U&& value) const {
    return detail::Monad::Substitute(self(), std::forward<U>(value));
  }
  /// Another error in place of this one; a value stays.
  template <typename G>
  constexpr auto substitute_error(G error) const& {
    return detail::Monad::ReplaceError<G>(self(), [&]() -> G& { return error; });
  }
  template <typename G>
  constexpr auto substitute_error(G error) && {
    return detail::Monad::ReplaceError<G>(std::move(self()), [&]() -> G& { return error; });
  }

  /// Applies `f` to the value; an error stays. `f` takes the value (and `args`), or only `args`, or
  /// is a pointer to a member of the value.
  template <typename F, typename... Args>
  constexpr auto map(F&& f, Args&&... args) & {
    return detail::Monad::Map(self(), std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <typename F, typename... Args>
  constexpr auto map(F&& f, Args&&... args) const& {
    return detail::Monad::Map(self(), std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <typename F, typename... Args>
  constexpr auto map(F&& f, Args&&... args) && {
    return detail::Monad::Map(std::move(self()), std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Applies `f` to the error; a value stays.
  template <typename F>
  constexpr auto map_error(F&& f) & {
    return detail::Monad::MapError(self(), std::forward<F>(f));
  }
  template <typename F>
  constexpr auto map_error(F&& f) const& {
    return detail::Monad::MapError(self(), std::forward<F>(f));
  }
  template <typename F>
  constexpr auto map_error(F&& f) && {
    return detail::Monad::MapError(std::move(self()), std::forward<F>(f));
  }

  /// The result of `f`, which takes no arguments; an error stays.
  template <typename F>
  constexpr auto and_then(F&& f) const {
    return detail::Monad::AndThen(self(), std::forward<F>(f));
  }

  /// If this is an error, replaces it by the result of `f`, which takes no arguments.
  template <typename F>
  constexpr auto and_then_error(F&& f) const& {
    return detail::Monad::AndThenError(self(), std::forward<F>(f));
  }
  template <typename F>
  constexpr auto and_then_error(F&& f) && {
    return detail::Monad::AndThenError(std::move(self()), std::forward<F>(f));
  }

  /// Stores the value in `target`.
  template <typename U>
  constexpr auto assign_to(U& target) & {
    return detail::Monad::AssignTo(self(), target);
  }
  template <typename U>
  constexpr auto assign_to(U& target) const& {
    return detail::Monad::AssignTo(self(), target);
  }
  template <typename U>
  constexpr auto assign_to(U& target) && {
    return detail::Monad::AssignTo(std::move(self()), target);
  }

  /// This value if `predicate` holds for it, otherwise `error`.
  template <typename P, typename G>
  constexpr auto guard(P&& predicate, G&& error) const& {
    return detail::Monad::Guard(self(), std::forward<P>(predicate), std::forward<G>(error));
  }
  template <typename P, typename G>
  constexpr auto guard(P&& predicate, G&& error) && {
    return detail::Monad::Guard(std::move(self()), std::forward<P>(predicate),
                                std::forward<G>(error));
  }

  /// Success, whatever this is.
  constexpr Expected<void, E> ignore_error() const { return Expected<void, E>{}; }
  /// This value, or `next` in place of the error.
  template <typename U>
  constexpr auto ignore_error(U&& next) const {
    using Result = detail::FlattenExpected_t<RemoveCVRef_t<U>, E>;
    if constexpr (std::is_constructible_v<Result, const Derived&>) {
      return has_value() ? Result(self()) : Result(std::forward<U>(next));
    } else {
      return Result(std::forward<U>(next));
    }
  }

 protected:
  friend struct detail::Monad;
  template <typename, typename, typename, typename>
  friend class ExpectedBase;

  using Rejection = detail::ErrorAndMessage<E>;
  using Content = detail::Either<Kept, Rejection>;

  template <typename... Args>
  constexpr explicit ExpectedBase(std::in_place_index_t<0> place, Args&&... args)
      : content_(place, std::forward<Args>(args)...) {}
  template <typename G>
  constexpr ExpectedBase(std::in_place_index_t<1> place, G&& error, const char* message)
      : content_(place, Rejection{Unexpected<E>{static_cast<E>(std::forward<G>(error))}, message}) {}

  /// From another `Expected` whose value and error convert.
  template <typename Other>
  static constexpr Content Convert(Other&& other) {
    if (!other) {
      return Content(std::in_place_index<1>,
                     Rejection{Unexpected<E>{static_cast<E>(other.error())},
                               other.get_error_message()});
    }
    if constexpr (std::is_void_v<T>) {
      return Content(std::in_place_index<0>);
    } else if constexpr (std::is_reference_v<T>) {
      return Content(std::in_place_index<0>,
                     std::addressof(static_cast<T>(std::forward<Other>(other).value())));
    } else {
      return Content(std::in_place_index<0>,
                     detail::Argument<T>(std::forward<Other>(other).value()));
    }
  }
  struct FromOther {};
  template <typename Other>
  constexpr ExpectedBase(FromOther, Other&& other) : content_(Convert(std::forward<Other>(other))) {}

  template <typename Either>
  static constexpr auto& RequireValue(Either& content) {
    if (__builtin_expect(content.holds != detail::Holds::kValue, 0)) { WrongAccess(content); }
    return content.value;
  }
  template <typename Either>
  static constexpr auto& RequireRejection(Either& content) {
    if (__builtin_expect(content.holds != detail::Holds::kRejection, 0)) { WrongAccess(content); }
    return content.rejected;
  }

  [[noreturn]] __attribute__((cold, noinline)) static void WrongAccess(const Content& content) {
    if (content.holds == detail::Holds::kRejection) {
      if constexpr (std::is_enum_v<E> || std::is_arithmetic_v<E>) {
        const char* message = content.rejected.message;
        GXF_PANIC("Expected does not have a value: its error is %ld%s%s",
                  static_cast<long>(content.rejected.error.value()), message == nullptr ? "" : ", ",
                  message == nullptr ? "" : message);
      } else {
        GXF_PANIC("Expected does not have a value");
      }
    }
    GXF_PANIC("Expected does not have an error");
  }

  /// The value with the reference of the object; for `void`, nothing.
  constexpr decltype(auto) Unwrap() & { return self().value(); }
  constexpr decltype(auto) Unwrap() const& { return self().value(); }
  constexpr decltype(auto) Unwrap() && { return std::move(self()).value(); }

  /// The error alone.
  constexpr Unexpected<E> Rejected() const { return RequireRejection(content_).error; }

  constexpr Derived& self() { return static_cast<Derived&>(*this); }
  constexpr const Derived& self() const { return static_cast<const Derived&>(*this); }

  template <typename... Args>
  void LogIfError(Severity severity, const char* format, Args... args) const {
    if (has_value()) { return; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    Log(__FILE__, __LINE__, severity, format, args...);
#pragma GCC diagnostic pop
  }

  Content content_;
};

/// A value of type `T`, or an error of type `E`. There is no empty one: `Expected<T, E> e;` does
/// not compile.
template <typename T, typename E>
class Expected : public ExpectedBase<T, E, Expected<T, E>> {
  using Base = ExpectedBase<T, E, Expected<T, E>>;

  template <typename U>
  static constexpr bool kIsValue =
      std::conjunction_v<std::negation<detail::IsFailure<RemoveCVRef_t<U>>>,
                         std::negation<detail::IsExpected<RemoveCVRef_t<U>>>,
                         std::negation<detail::IsUnexpected<RemoveCVRef_t<U>>>,
                         std::is_constructible<T, U&&>>;
  template <typename U, typename F>
  static constexpr bool kIsOther = !std::is_same_v<U, T> && !std::is_void_v<U> &&
                                   std::is_constructible_v<T, std::add_rvalue_reference_t<U>> &&
                                   std::is_constructible_v<E, F>;

 public:
  Expected() = delete;

  template <typename U = T, std::enable_if_t<kIsValue<U> && std::is_convertible_v<U&&, T>, int> = 0>
  constexpr Expected(U&& value)
      : Base(std::in_place_index<0>, detail::Argument<T>(std::forward<U>(value))) {}
  template <typename U = T, std::enable_if_t<kIsValue<U> && !std::is_convertible_v<U&&, T>, int> = 0>
  constexpr explicit Expected(U&& value)
      : Base(std::in_place_index<0>, detail::Argument<T>(std::forward<U>(value))) {}

  template <typename G, std::enable_if_t<std::is_constructible_v<E, const G&>, int> = 0>
  constexpr Expected(const Unexpected<G>& error, const char* error_message = nullptr)
      : Base(std::in_place_index<1>, error.value(), error_message) {}

  template <typename U, typename F,
            std::enable_if_t<kIsOther<U, F> && std::is_convertible_v<U, T>, int> = 0>
  constexpr Expected(const Expected<U, F>& other) : Base(typename Base::FromOther{}, other) {}
  template <typename U, typename F,
            std::enable_if_t<kIsOther<U, F> && !std::is_convertible_v<U, T>, int> = 0>
  constexpr explicit Expected(const Expected<U, F>& other)
      : Base(typename Base::FromOther{}, other) {}
  template <typename U, typename F,
            std::enable_if_t<kIsOther<U, F> && std::is_convertible_v<U, T>, int> = 0>
  constexpr Expected(Expected<U, F>&& other) : Base(typename Base::FromOther{}, std::move(other)) {}
  template <typename U, typename F,
            std::enable_if_t<kIsOther<U, F> && !std::is_convertible_v<U, T>, int> = 0>
  constexpr explicit Expected(Expected<U, F>&& other)
      : Base(typename Base::FromOther{}, std::move(other)) {}

  template <typename U = T,
            std::enable_if_t<kIsValue<U> && std::is_assignable_v<T&, U&&>, int> = 0>
  constexpr Expected& operator=(U&& value) {
    if (this->has_value()) {
      this->content_.value = std::forward<U>(value);
    } else {
      this->content_.Emplace(std::forward<U>(value));
    }
    return *this;
  }

  /// Replaces the content by a new value.
  template <typename... Args>
  constexpr T& replace(Args&&... args) {
    return this->content_.Emplace(std::forward<Args>(args)...);
  }

  /// The value; ends the program when there is an error instead.
  constexpr T& value() & { return Base::RequireValue(this->content_); }
  constexpr const T& value() const& { return Base::RequireValue(this->content_); }
  constexpr T&& value() && { return std::move(Base::RequireValue(this->content_)); }
  constexpr const T&& value() const&& {
    return std::move(Base::RequireValue(this->content_));
  }

  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }

  /// Accesses the value, or, if the value is a pointer but not a handle, its target.
  constexpr decltype(auto) operator->() {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<T>(value());
    } else if constexpr (detail::HasArrow<T>::value && !detail::ArrowStops<T>::value) {
      return static_cast<T&>(value());
    } else {
      return std::addressof(value());
    }
  }
  constexpr decltype(auto) operator->() const {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<T>(value());
    } else if constexpr (detail::HasArrow<const T>::value && !detail::ArrowStops<T>::value) {
      return static_cast<const T&>(value());
    } else {
      return std::addressof(value());
    }
  }

  template <typename U>
  constexpr T value_or(U&& other) const& {
    return this->has_value() ? value() : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  constexpr T value_or(U&& other) && {
    return this->has_value() ? std::move(*this).value() : static_cast<T>(std::forward<U>(other));
  }
};

/// A reference to a value, or an error.
template <typename T, typename E>
class Expected<T&, E> : public ExpectedBase<T&, E, Expected<T&, E>> {
  using Base = ExpectedBase<T&, E, Expected<T&, E>>;

 public:
  Expected() = delete;

  constexpr Expected(T& value) : Base(std::in_place_index<0>, std::addressof(value)) {}
  template <typename G, std::enable_if_t<std::is_constructible_v<E, const G&>, int> = 0>
  constexpr Expected(const Unexpected<G>& error, const char* error_message = nullptr)
      : Base(std::in_place_index<1>, error.value(), error_message) {}

  template <typename U, typename F,
            std::enable_if_t<!std::is_same_v<U, T&> && !std::is_void_v<U> &&
                                 std::is_convertible_v<decltype(std::declval<Expected<U, F>&>().value()), T&> &&
                                 std::is_constructible_v<E, F>,
                             int> = 0>
  constexpr Expected(Expected<U, F>& other) : Base(typename Base::FromOther{}, other) {}
  template <typename U, typename F,
            std::enable_if_t<!std::is_same_v<U&, T&> && std::is_convertible_v<U&, T&> &&
                                 std::is_constructible_v<E, F>,
                             int> = 0>
  constexpr Expected(const Expected<U&, F>& other) : Base(typename Base::FromOther{}, other) {}

  /// The value; ends the program when there is an error instead.
  constexpr T& value() const { return *Base::RequireValue(this->content_); }
  constexpr T& operator*() const { return value(); }
  /// Accesses the object itself: `handles[0]->name()` calls the handle.
  constexpr auto operator->() const {
    if constexpr (std::is_pointer_v<T>) {
      return value();
    } else {
      return std::addressof(value());
    }
  }
  template <typename U>
  constexpr T& value_or(U& other) const {
    return this->has_value() ? value() : other;
  }
};

/// Success, or an error. `Expected<void, E>{}` is success.
template <typename E>
class Expected<void, E> : public ExpectedBase<void, E, Expected<void, E>> {
  using Base = ExpectedBase<void, E, Expected<void, E>>;

 public:
  constexpr Expected() : Base(std::in_place_index<0>) {}
  template <typename G, std::enable_if_t<std::is_constructible_v<E, const G&>, int> = 0>
  constexpr Expected(const Unexpected<G>& error, const char* error_message = nullptr)
      : Base(std::in_place_index<1>, error.value(), error_message) {}
  template <typename U, typename F,
            std::enable_if_t<!std::is_void_v<U> && std::is_constructible_v<E, F>, int> = 0>
  constexpr explicit Expected(const Expected<U, F>& other)
      : Base(typename Base::FromOther{}, other) {}
  template <typename F,
            std::enable_if_t<!std::is_same_v<F, E> && std::is_constructible_v<E, F>, int> = 0>
  constexpr Expected(const Expected<void, F>& other) : Base(typename Base::FromOther{}, other) {}

  /// Ends the program when there is an error.
  constexpr void value() const { Base::RequireValue(this->content_); }

  /// Keeps the first error of the two.
  template <typename U>
  constexpr Expected& operator&=(const Expected<U, E>& other) {
    if (this->has_value() && !other) { *this = Expected(other); }
    return *this;
  }
  /// Success when one of the two is; otherwise the first error.
  template <typename U>
  constexpr Expected& operator|=(const Expected<U, E>& other) {
    if (!this->has_value() && other) { *this = Expected{}; }
    return *this;
  }
};

/// Success when both are; otherwise the first error.
template <typename T, typename U, typename E>
constexpr Expected<void, E> operator&(const Expected<T, E>& a, const Expected<U, E>& b) {
  return !a ? Expected<void, E>(Unexpected<E>{a.error()})
            : (!b ? Expected<void, E>(Unexpected<E>{b.error()}) : Expected<void, E>{});
}
/// Success when one of them is; otherwise the first error.
template <typename T, typename U, typename E>
constexpr Expected<void, E> operator|(const Expected<T, E>& a, const Expected<U, E>& b) {
  return a || b ? Expected<void, E>{} : Expected<void, E>(Unexpected<E>{a.error()});
}

/// Success when all are; otherwise the first error.
template <typename E, typename... Ts>
constexpr Expected<void, E> AllOf(const Expected<Ts, E>&... all) {
  Expected<void, E> result;
  (void)std::initializer_list<int>{((void)(result &= all), 0)...};
  return result;
}

namespace detail {

template <typename U>
constexpr decltype(auto) ValueOf(U&& operand) {
  if constexpr (IsExpected_v<U>) {
    return std::forward<U>(operand).value();
  } else {
    return std::forward<U>(operand);
  }
}

template <typename E, typename U>
constexpr void FirstError(Expected<void, E>& result, const U& operand) {
  if constexpr (IsExpected_v<U>) {
    if (result && !operand) { result = Unexpected<E>{operand.error()}; }
  }
}

template <typename... Ts>
struct FirstErrorType;
template <typename T, typename... Ts>
struct FirstErrorType<T, Ts...>
    : std::conditional_t<IsExpected_v<T>, ErrorType<RemoveCVRef_t<T>>, FirstErrorType<Ts...>> {};
template <>
struct FirstErrorType<> {};

}  // namespace detail

/// Calls `f` with the values of `operands`, or returns the first error. Operands that are no
/// `Expected` are passed on as they are.
template <typename F, typename... Ts,
          std::enable_if_t<(detail::IsExpected_v<Ts> || ...), int> = 0>
constexpr auto Apply(F&& f, Ts&&... operands) {
  using E = typename detail::FirstErrorType<Ts...>::type;
  using Returned = decltype(std::invoke(std::forward<F>(f),
                                        detail::ValueOf(std::forward<Ts>(operands))...));
  using Result = detail::FlattenExpected_t<Returned, E>;
  Expected<void, E> error;
  (detail::FirstError(error, operands), ...);
  if (!error) { return Result(Unexpected<E>{error.error()}); }
  return detail::Call<Result>(std::forward<F>(f),
                              detail::ValueOf(std::forward<Ts>(operands))...);
}

template <typename T, typename U, typename E, typename F>
constexpr bool operator==(const Expected<T, E>& a, const Expected<U, F>& b) {
  if (a.has_value() != b.has_value()) { return false; }
  if (!a) { return a.error() == b.error(); }
  if constexpr (std::is_void_v<T> || std::is_void_v<U>) {
    return std::is_void_v<T> && std::is_void_v<U>;
  } else {
    return a.value() == b.value();
  }
}
template <typename T, typename U, typename E, typename F>
constexpr bool operator!=(const Expected<T, E>& a, const Expected<U, F>& b) {
  return !(a == b);
}

template <typename T, typename E, typename G>
constexpr bool operator==(const Expected<T, E>& a, const Unexpected<G>& b) {
  return !a && a.error() == b.value();
}
template <typename T, typename E, typename G>
constexpr bool operator==(const Unexpected<G>& a, const Expected<T, E>& b) {
  return b == a;
}
template <typename T, typename E, typename G>
constexpr bool operator!=(const Expected<T, E>& a, const Unexpected<G>& b) {
  return !(a == b);
}
template <typename T, typename E, typename G>
constexpr bool operator!=(const Unexpected<G>& a, const Expected<T, E>& b) {
  return !(b == a);
}

namespace detail {
/// Whether `U` is compared with the value of an `Expected`.
template <typename T, typename U>
constexpr bool kIsOperand = !IsExpected_v<U> && !IsUnexpected_v<U> && !std::is_void_v<T>;
}  // namespace detail

template <typename T, typename E, typename U,
          std::enable_if_t<detail::kIsOperand<T, U>, int> = 0>
constexpr bool operator==(const Expected<T, E>& a, const U& b) {
  return a && a.value() == b;
}
template <typename T, typename E, typename U,
          std::enable_if_t<detail::kIsOperand<T, U>, int> = 0>
constexpr bool operator==(const U& a, const Expected<T, E>& b) {
  return b && a == b.value();
}
template <typename T, typename E, typename U,
          std::enable_if_t<detail::kIsOperand<T, U>, int> = 0>
constexpr bool operator!=(const Expected<T, E>& a, const U& b) {
  return !(a == b);
}
template <typename T, typename E, typename U,
          std::enable_if_t<detail::kIsOperand<T, U>, int> = 0>
constexpr bool operator!=(const U& a, const Expected<T, E>& b) {
  return !(a == b);
}

namespace detail {
template <typename... Ts>
constexpr bool kAnyExpected = (IsExpected_v<Ts> || ...);
}  // namespace detail

// Arithmetic on values, where one operand or both may be an error.
#define GXF_EXPECTED_OPERATOR(SYMBOL, FUNCTION)                                            \
  template <typename A, typename B, std::enable_if_t<detail::kAnyExpected<A, B>, int> = 0> \
  constexpr auto operator SYMBOL(const A& a, const B& b) {                                 \
    return Apply(FUNCTION<>{}, a, b);                                                      \
  }
GXF_EXPECTED_OPERATOR(+, std::plus)
GXF_EXPECTED_OPERATOR(-, std::minus)
GXF_EXPECTED_OPERATOR(*, std::multiplies)
GXF_EXPECTED_OPERATOR(/, std::divides)
GXF_EXPECTED_OPERATOR(%, std::modulus)
#undef GXF_EXPECTED_OPERATOR

}  // namespace nvidia

#endif  // NVIDIA_COMMON_EXPECTED_HPP_
