/// Type traits under the names GXF's headers use for them.
#ifndef NVIDIA_COMMON_TYPE_UTILS_HPP_
#define NVIDIA_COMMON_TYPE_UTILS_HPP_

#include "gxf/sdk/requirements.hpp"

#include <type_traits>
#include <utility>

namespace nvidia {

template <typename... Ts>
using void_t = std::void_t<Ts...>;

/// Names its argument, and keeps it from being deduced.
template <typename T>
struct TypeIdentity {
  using type = T;
};
template <typename T>
using TypeIdentity_t = typename TypeIdentity<T>::type;

template <typename T, T Value>
using IntegralConstant = std::integral_constant<T, Value>;
template <bool Value>
using BoolConstant = std::bool_constant<Value>;
using TrueType = std::true_type;
using FalseType = std::false_type;

template <bool Condition, typename Then, typename Else>
using Conditional = std::conditional<Condition, Then, Else>;
template <bool Condition, typename Then, typename Else>
using Conditional_t = std::conditional_t<Condition, Then, Else>;
template <bool Condition, typename T = void>
using EnableIf = std::enable_if<Condition, T>;
template <bool Condition, typename T = void>
using EnableIf_t = std::enable_if_t<Condition, T>;

template <typename... Ts>
using Conjunction = std::conjunction<Ts...>;
template <typename... Ts>
constexpr bool Conjunction_v = std::conjunction_v<Ts...>;
template <typename... Ts>
using Disjunction = std::disjunction<Ts...>;
template <typename... Ts>
constexpr bool Disjunction_v = std::disjunction_v<Ts...>;
template <typename T>
using Negation = std::negation<T>;
template <typename T>
constexpr bool Negation_v = std::negation_v<T>;

template <typename T>
constexpr auto Declval() noexcept -> decltype(std::declval<T>());

// Each trait in both of its forms: `Name<T>` and `Name_t<T>` or `Name_v<T>`.
#define GXF_TYPE_TRAIT(NAME, STD_NAME)  \
  template <typename T>                 \
  using NAME = std::STD_NAME<T>;        \
  template <typename T>                 \
  using NAME##_t = typename std::STD_NAME<T>::type
#define GXF_VALUE_TRAIT(NAME, STD_NAME) \
  template <typename T>                 \
  using NAME = std::STD_NAME<T>;        \
  template <typename T>                 \
  constexpr bool NAME##_v = std::STD_NAME<T>::value
#define GXF_VALUE_TRAIT_2(NAME, STD_NAME) \
  template <typename T, typename U>       \
  using NAME = std::STD_NAME<T, U>;       \
  template <typename T, typename U>       \
  constexpr bool NAME##_v = std::STD_NAME<T, U>::value
#define GXF_VALUE_TRAIT_N(NAME, STD_NAME)  \
  template <typename T, typename... Args>  \
  using NAME = std::STD_NAME<T, Args...>;  \
  template <typename T, typename... Args>  \
  constexpr bool NAME##_v = std::STD_NAME<T, Args...>::value

GXF_TYPE_TRAIT(RemoveReference, remove_reference);
GXF_TYPE_TRAIT(RemoveCV, remove_cv);
GXF_TYPE_TRAIT(RemoveConst, remove_const);
GXF_TYPE_TRAIT(RemoveVolatile, remove_volatile);
GXF_TYPE_TRAIT(RemovePointer, remove_pointer);
GXF_TYPE_TRAIT(AddLvalueReference, add_lvalue_reference);
GXF_TYPE_TRAIT(AddRvalueReference, add_rvalue_reference);
GXF_TYPE_TRAIT(Decay, decay);
GXF_TYPE_TRAIT(MakeSigned, make_signed);
GXF_TYPE_TRAIT(MakeUnsigned, make_unsigned);
GXF_VALUE_TRAIT(IsVoid, is_void);
GXF_VALUE_TRAIT(IsConst, is_const);
GXF_VALUE_TRAIT(IsReference, is_reference);
GXF_VALUE_TRAIT(IsLvalueReference, is_lvalue_reference);
GXF_VALUE_TRAIT(IsRvalueReference, is_rvalue_reference);
GXF_VALUE_TRAIT(IsPointer, is_pointer);
GXF_VALUE_TRAIT(IsIntegral, is_integral);
GXF_VALUE_TRAIT(IsFloatingPoint, is_floating_point);
GXF_VALUE_TRAIT(IsArithmetic, is_arithmetic);
GXF_VALUE_TRAIT(IsSigned, is_signed);
GXF_VALUE_TRAIT(IsUnsigned, is_unsigned);
GXF_VALUE_TRAIT(IsDefaultConstructible, is_default_constructible);
GXF_VALUE_TRAIT(IsNothrowDefaultConstructible, is_nothrow_default_constructible);
GXF_VALUE_TRAIT(IsCopyConstructible, is_copy_constructible);
GXF_VALUE_TRAIT(IsMoveConstructible, is_move_constructible);
GXF_VALUE_TRAIT(IsTriviallyCopyable, is_trivially_copyable);
GXF_VALUE_TRAIT_2(IsSame, is_same);
GXF_VALUE_TRAIT_2(IsConvertible, is_convertible);
GXF_VALUE_TRAIT_2(IsAssignable, is_assignable);
GXF_VALUE_TRAIT_2(IsBaseOf, is_base_of);
GXF_VALUE_TRAIT_N(IsConstructible, is_constructible);
GXF_VALUE_TRAIT_N(IsNothrowConstructible, is_nothrow_constructible);

#undef GXF_TYPE_TRAIT
#undef GXF_VALUE_TRAIT
#undef GXF_VALUE_TRAIT_2
#undef GXF_VALUE_TRAIT_N

template <typename T>
struct RemoveCVRef {
  using type = std::remove_cv_t<std::remove_reference_t<T>>;
};
template <typename T>
using RemoveCVRef_t = typename RemoveCVRef<T>::type;

template <typename From, typename To, typename = void>
struct IsNothrowConvertible : std::false_type {};
template <typename From, typename To>
struct IsNothrowConvertible<From, To, std::enable_if_t<std::is_convertible_v<From, To>>>
    : std::is_nothrow_constructible<To, From> {};
template <typename From, typename To>
constexpr bool IsNothrowConvertible_v = IsNothrowConvertible<From, To>::value;

}  // namespace nvidia

#endif  // NVIDIA_COMMON_TYPE_UTILS_HPP_
