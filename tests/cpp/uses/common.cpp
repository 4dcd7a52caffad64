// A program that uses the headers of `common/` the way extensions do, and checks what they do. It
// needs no runtime.
#include <complex>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/any.hpp"
#include "common/assert.hpp"
#include "common/backtrace.hpp"
#include "common/byte.hpp"
#include "common/endian.hpp"
#include "common/expected.hpp"
#include "common/fixed_map.hpp"
#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "common/iterator.hpp"
#include "common/logger.hpp"
#include "common/memory_utils.hpp"
#include "common/nvtx_helper.hpp"
#include "common/optional.hpp"
#include "common/singleton.hpp"
#include "common/span.hpp"
#include "common/strong_type.hpp"
#include "common/type_name.hpp"
#include "common/type_utils.hpp"
#include "common/unique_index_map.hpp"
#include "common/yaml_parser.hpp"
#include "gems/staging_queue/staging_queue.hpp"
#include "gems/utils/storage_size.hpp"
#include "gems/utils/time.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/expected_macro.hpp"
#include "gxf/logger/gxf_logger.hpp"
#include "gxf/logger/logger.hpp"
#include "gxf/std/gems/suballocators/first_fit_allocator.hpp"

using namespace nvidia::gxf;

#define NEEDED(...)                                              \
  if (!(__VA_ARGS__)) {                                          \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, #__VA_ARGS__); \
    return 1;                                                    \
  }

namespace {

enum class Trouble { kNone = 0, kBig = 1, kSmall = 2 };
template <typename T>
using Maybe = nvidia::Expected<T, Trouble>;

struct Point {
  int x;
  int y;
  int Sum() const { return x + y; }
  int Scaled(int factor) const { return factor * (x + y); }
};

struct MoveOnly {
  explicit MoveOnly(int value) : value(std::make_unique<int>(value)) {}
  std::unique_ptr<int> value;
};

Expected<int> Half(int number) {
  if (number % 2 != 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
  return number / 2;
}
Expected<void> Even(int number) {
  return number % 2 == 0 ? Success : Unexpected{GXF_ARGUMENT_INVALID};
}

int ExpectedBasics() {
  Expected<void> fine{};
  NEEDED(fine && fine.has_value());
  NEEDED(Success);
  Expected<int> four = 4;
  const Expected<int> none = Unexpected{GXF_FAILURE};
  NEEDED(four.value() == 4 && *four == 4 && none.error() == GXF_FAILURE);
  NEEDED(!none);
  four = 5;
  NEEDED(four.replace(6) == 6);
  four = Expected<int>{7};
  NEEDED(four.value_or(1) == 7 && none.value_or(1) == 1);
  // A number converts, an error converts, the value of an `Expected` converts.
  const Expected<double> wide = four;
  NEEDED(wide.value() == 7.0);
  const Expected<std::string> text = "text";
  NEEDED(text.value() == "text" && text->size() == 4);
  const Expected<std::string> rejected = ForwardError(none);
  NEEDED(rejected.error() == GXF_FAILURE);
  const auto forgotten = Expected<void>(four);
  NEEDED(forgotten);
  // An error may carry a text.
  const Expected<int> explained{Unexpected{GXF_FAILURE}, "because"};
  NEEDED(std::strcmp(explained.get_error_message(), "because") == 0);

  const bool yes = true;
  const Expected<void> chosen = yes ? Success : Unexpected{GXF_FAILURE};
  NEEDED(chosen);
  NEEDED(Even(2) && !Even(3));

  // The first error stays.
  Expected<void> all;
  all &= four;
  all &= Half(4);
  NEEDED(all);
  all &= Half(3);
  all &= none;
  NEEDED(all.error() == GXF_ARGUMENT_INVALID);
  Expected<void> any = Unexpected{GXF_FAILURE};
  any |= Half(3);
  NEEDED(any.error() == GXF_FAILURE);
  any |= Half(4);
  NEEDED(any);
  NEEDED((Half(4) & Half(2) & Even(2)) && !(Half(4) & Half(3)));
  NEEDED((Half(3) | Half(4)) && !(Half(3) | Half(5)));
  NEEDED(nvidia::AllOf(Half(2), Even(2)) && !nvidia::AllOf(Half(2), Even(1)));
  NEEDED(nvidia::Apply([](int a, int b) { return a * b; }, Half(4), Half(6)).value() == 6);
  NEEDED(nvidia::Apply([](int a, int b) { return a * b; }, Half(4), 10).value() == 20);
  NEEDED(nvidia::Apply(Half, Half(8)).value() == 2);
  NEEDED((Half(4) + Half(2)).value() == 3 && (Half(4) - 1).value() == 1 &&
         (2 * Half(4)).value() == 4 && (Half(8) / Half(4)).value() == 2 &&
         (Half(10) % 3).value() == 2 && !(Half(3) + 1));

  NEEDED(Half(4) == Half(4) && Half(4) != Half(2) && Half(4) == 2 && 2 == Half(4) &&
         Half(3) != 2 && Half(3) == Unexpected{GXF_ARGUMENT_INVALID});
  NEEDED(Unexpected{GXF_FAILURE} == Unexpected{GXF_FAILURE});
  NEEDED(!Expected<std::string>(Unexpected{}));

  NEEDED(ToResultCode(none) == GXF_FAILURE && ToResultCode(fine) == GXF_SUCCESS);
  NEEDED(ExpectedOrCode(GXF_SUCCESS) && !ExpectedOrCode(GXF_FAILURE));
  NEEDED(ExpectedOrCode(GXF_SUCCESS, 3).value() == 3);
  NEEDED(ExpectedOrError(none, 3).error() == GXF_FAILURE);
  NEEDED(AccumulateError(GXF_FAILURE, GXF_SUCCESS) == GXF_FAILURE);
  NEEDED(AccumulateError(Success, Even(3)).error() == GXF_ARGUMENT_INVALID);

  Expected<MoveOnly> owned = MoveOnly(3);
  MoveOnly taken = std::move(owned.value());
  NEEDED(*taken.value == 3);
  Expected<std::unique_ptr<int>> pointer = std::make_unique<int>(5);
  NEEDED(*pointer.value() == 5);
  std::unique_ptr<int> moved = std::move(pointer).value();
  NEEDED(*moved == 5);

  int number = 1;
  Expected<int&> reference = number;
  reference.value() = 2;
  NEEDED(number == 2 && *reference == 2);
  Expected<Point*> leads = new Point{1, 2};
  NEEDED(leads->x == 1);
  delete leads.value();
  return 0;
}

int ExpectedFunctions() {
  NEEDED(Half(4).map([](int number) { return number + 1; }).value() == 3);
  NEEDED(Half(8).map(Half).map(Half).value() == 1);
  NEEDED(Half(4).map([] { return std::string("no argument"); }).value() == "no argument");
  bool called = false;
  NEEDED(Half(4).map([&](int) { called = true; }) && called);
  const Expected<Point> point = Point{1, 2};
  NEEDED(point.map(&Point::x).value() == 1 && point.map(&Point::Sum).value() == 3 &&
         point.map(&Point::Scaled, 2).value() == 6);
  NEEDED(Half(3).map_error([](gxf_result_t) { return GXF_FAILURE; }).error() == GXF_FAILURE);
  NEEDED(Half(4).and_then([] { return Half(6); }).value() == 3);
  NEEDED(Even(2).and_then([] { return 1; }).value() == 1);
  NEEDED(Half(3).and_then([] { return Half(6); }).error() == GXF_ARGUMENT_INVALID);
  called = false;
  NEEDED(!Half(3).and_then_error([&] { called = true; }) && called);
  int assigned = 0;
  NEEDED(Half(4).assign_to(assigned) && assigned == 2);
  long widened = 0;
  NEEDED(Half(4).assign_to(widened) && widened == 2);
  NEEDED(Half(4).substitute(std::string("other")).value() == "other");
  NEEDED(Half(4).substitute(Half(8)).value() == 4);
  NEEDED(Half(3).substitute_error(Trouble::kBig).error() == Trouble::kBig);
  NEEDED(Half(3).substitute_error(GXF_FAILURE).error() == GXF_FAILURE);
  NEEDED(!Half(4).guard([](int number) { return number > 10; }, GXF_FAILURE));
  NEEDED(Half(4).guard([](const int& number) { return number < 10; }, GXF_FAILURE).value() == 2);
  NEEDED(Half(3).ignore_error());
  NEEDED(Half(3).ignore_error(9).value() == 9);
  NEEDED(!Half(3)
              .log_error("number %d, text %s", 3, "three")
              .log_warning("a warning")
              .log_info("a number: %zu", size_t{1})
              .log_debug("nothing"));
  const auto chained = Half(16)
                           .map([](int number) -> Expected<double> { return number * 0.5; })
                           .map([](double number) { return Point{static_cast<int>(number), 1}; })
                           .map(&Point::Sum);
  NEEDED(chained.value() == 5);
  Maybe<int> other = 1;
  NEEDED(other && Maybe<int>(nvidia::Unexpected<Trouble>{Trouble::kSmall}).error() ==
                      Trouble::kSmall);
  return 0;
}

// How the macros leave functions of several types.
gxf_result_t Code(int number) {
  RETURN_IF_ERROR(Half(number));
  RETURN_IF_ERROR(Even(number), "number %d", number);
  RETURN_IF_ERROR(GXF_SUCCESS, nvidia::Severity::WARNING);
  GXF_RETURN_IF_ERROR(Even(number), nvidia::Severity::WARNING, "number %d is odd", number);
  const int half = UNWRAP_OR_RETURN(Half(number));
  const auto quarter = GXF_UNWRAP_OR_RETURN(Half(half), "half is %d", half);
  RETURN_IF_FALSE(quarter > 0, "quarter is %d", quarter);
  return GXF_SUCCESS;
}
Expected<int> Value(int number) {
  RETURN_IF_ERROR(Code(number), "no code for %d", number);
  std::unique_ptr<int> owned = UNWRAP_OR_RETURN(
      Expected<std::unique_ptr<int>>(std::make_unique<int>(number)));
  return UNWRAP_OR_RETURN(Half(*owned), nvidia::Severity::DEBUG) * 1;
}
bool Plain(int number) {
  const std::optional<int> some = number;
  const int value = UNWRAP_OR_RETURN(some, "no value");
  RETURN_IF_ERROR(Half(value));
  RETURN_IF_FALSE(value > 0);
  return true;
}
std::optional<Point> Optional(int number) {
  RETURN_IF_ERROR(Half(number));
  return Point{number, number};
}
Expected<void> Nothing(int number) {
  if (number > 0) RETURN_IF_ERROR(Even(number));
  GXF_RETURN_IF_ERROR(Half(number).assign_to(number), "%s", "text");
  return Success;
}

int Macros() {
  NEEDED(Code(8) == GXF_SUCCESS && Code(3) == GXF_ARGUMENT_INVALID);
  NEEDED(Value(8).value() == 4 && Value(1).error() == GXF_ARGUMENT_INVALID);
  NEEDED(Plain(4) && !Plain(3) && !Plain(-2));
  NEEDED(Optional(4) && !Optional(3));
  NEEDED(Nothing(4) && !Nothing(5));
  GXF_ASSERT(1 + 1 == 2, "arithmetic of %d", 1);
  GXF_ASSERT_SUCCESS(GXF_SUCCESS);
  GXF_ASSERT_TRUE(true);
  GXF_ASSERT_FALSE(false);
  GXF_ASSERT_EQ(1, 1);
  GXF_ASSERT_NE(1, 2);
  GXF_ASSERT_GT(2, 1);
  GXF_ASSERT_GE(2, 2);
  GXF_ASSERT_LT(1.0, 2.0);
  GXF_ASSERT_LE(1u, 2u);
  GXF_ASSERT_STREQ("a", "a");
  GXF_ASSERT_NEAR(1.0, 1.05, 0.1);
  return 0;
}

int Vectors() {
  nvidia::FixedVector<int, 4> few;
  NEEDED(few.empty() && few.capacity() == 4);
  NEEDED(few.push_back(1) && few.emplace_back(2) && few.insert(0, 0));
  struct Entry {
    int place = 0;
    std::string name;
  };
  nvidia::FixedVector<Entry, 2> entries;
  NEEDED(entries.emplace_back(3, "third") && entries[0]->name == "third");
  NEEDED(few.size() == 3 && few[0].value() == 0 && few.at(2).value() == 2);
  NEEDED(few.front().value() == 0 && few.back().value() == 2);
  NEEDED(few.at(9).error() == nvidia::FixedVector<int, 4>::Error::kArgumentOutOfRange);
  few[1].value() = 5;
  int sum = 0;
  for (auto it = few.begin(); it != few.end(); ++it) { sum += (*it).value(); }
  for (const auto element : few) { sum += element.value(); }
  for (auto&& element : few) { sum += *element; }
  NEEDED(sum == 21);
  for (auto it = few.rbegin(); it != few.rend(); it++) { sum -= (*it).value(); }
  NEEDED(sum == 14);
  NEEDED(few.push_back(3) && few.full());
  NEEDED(few.push_back(4).error() == decltype(few)::Error::kContainerFull);
  const auto copy = few;
  NEEDED(copy == few && copy.cbegin() != copy.cend());
  NEEDED(few.erase(0) && few.pop_back() && few != copy);
  NEEDED(few.resize(3) && few.resize(4, 7) && !few.resize(5));
  few.clear();
  const std::vector<int> source{1, 2, 3};
  NEEDED(few.insert(few.begin(), source.begin(), source.end()) && few.size() == 3);
  nvidia::FixedVector<std::string> heap;
  NEEDED(!heap.push_back("no room") && heap.reserve(2) && heap.push_back("room"));
  nvidia::FixedVector<std::string> second;
  NEEDED(second.copy_from(heap) && second.shrink_to_fit() && second.capacity() == 1);
  nvidia::FixedVector<std::string> third = std::move(second);
  nvidia::FixedVectorBase<std::string>& base = third;
  NEEDED(base.size() == 1 && base[0].value() == "room" && base.data()[0] == "room");
  NEEDED(few.at(9).substitute_error(GXF_FAILURE).error() == GXF_FAILURE);
  nvidia::FixedVector<std::unique_ptr<int>, 2> owners;
  NEEDED(owners.push_back(std::make_unique<int>(1)) && owners.emplace_back(new int(2)));
  NEEDED(**owners.at(1) == 2);

  int numbers[] = {1, 2, 3, 4};
  nvidia::Span<int> span(numbers);
  const nvidia::Span<const int> constant = span;
  nvidia::Span<int> pair(numbers, 2);
  std::vector<int> vector{1, 2, 3, 4};
  nvidia::Span<int> of_vector(vector);
  nvidia::Span<const int> of_constant(source);
  NEEDED(span == of_vector && span != pair && constant.size_bytes() == 16 &&
         of_constant.size() == 3);
  NEEDED(span[1].value() == 2 && span.front().value() == 1 && span.back().value() == 4);
  NEEDED(span.subspan(1, 2)->size() == 2 && span.first(2).value() == pair && span.last(1) &&
         span.subspan(3) && !span.subspan(5));
  sum = 0;
  for (auto element : span) { sum += element.value(); }
  NEEDED(sum == 10 && !nvidia::Span<int>().at(0));
  return 0;
}

int Texts() {
  nvidia::FixedString<8> text = "four";
  NEEDED(text.size() == 4 && text == "four" && text < "g" && text != "five");
  NEEDED(text.append("teen") && text.full() && !text.append('!'));
  NEEDED(text.copy("new") && std::string(text.c_str()) == "new" && text.compare("new") == 0);
  NEEDED(text.append("123456", 2) && text.size() == 5 && text.copy("four", 2));
  const nvidia::FixedString<16> longer = text;
  NEEDED(longer == text && longer.max_size() == 16 && *longer.begin() == 'f');
  text.clear();
  NEEDED(text.empty());
  NEEDED(nvidia::FixedString<8>::Hash{}(text) == nvidia::FixedString<8>::Hash{}(text));
  return 0;
}

int Names() {
  const auto is = [](const char* name, const char* expected) {
    return std::strcmp(name, expected) == 0;
  };
  NEEDED(is(nvidia::TypenameAsString<int64_t>(), "long int"));
  NEEDED(is(nvidia::TypenameAsString<uint8_t>(), "unsigned char"));
  NEEDED(is(nvidia::TypenameAsString<uint64_t>(), "long unsigned int"));
  NEEDED(is(nvidia::TypenameAsString<float>(), "float"));
  NEEDED(is(nvidia::TypenameAsString<std::string>(), "std::__cxx11::basic_string<char>"));
  NEEDED(is(nvidia::TypenameAsString<std::vector<float>>(), "std::vector<float>"));
  NEEDED(is(nvidia::TypenameAsString<std::complex<double>>(), "std::complex<double>"));
  NEEDED(is(nvidia::TypenameAsString<std::vector<uint16_t>>(),
            "std::vector<short unsigned int>"));
  return 0;
}

/// With a constructor for lists, as types for JSON have it.
struct List {
  List(int number) : numbers{number} {}
  List(std::initializer_list<List> lists) {
    numbers.push_back(-1);
    for (const List& list : lists) {
      numbers.insert(numbers.end(), list.numbers.begin(), list.numbers.end());
    }
  }
  std::vector<int> numbers;
};

/// Values are made in braces, as in GXF.
int Braces() {
  const List seven(7);
  const Expected<List> element = seven;
  NEEDED((element->numbers == std::vector<int>{-1, 7}));
  const Expected<List> same = element;
  NEEDED((same->numbers == std::vector<int>{-1, 7}));
  // What braces cannot make is made without.
  const Expected<std::vector<int>> copy = std::vector<int>(3, 1);
  NEEDED(copy->size() == 3);
  const Expected<int> narrowed = size_t{5};
  NEEDED(narrowed.value() == 5);
  const Expected<std::string> text = "text";
  NEEDED(*text == "text");
  return 0;
}

int Marks() {
  nvtxEventAttributes_t mark = CreateBlueEvent("mark", 3);
  NEEDED(mark.version == NVTX_VERSION && mark.size == NVTX_EVENT_ATTRIB_STRUCT_SIZE);
  NEEDED(mark.colorType == NVTX_COLOR_ARGB && mark.messageType == NVTX_MESSAGE_TYPE_ASCII);
  mark.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  mark.payload.llValue = 1;
  nvtxRangePushEx(&mark);
  nvtxRangePop();
  nvtxRangeEnd(nvtxRangeStartEx(&mark));
  nvtxMarkEx(&mark);
  return 0;
}

/// Parts of an array.
int Parts() {
  nvidia::gxf::FirstFitAllocator<int64_t> array;
  NEEDED(!array.acquire(1) && !array.allocate(0) && !array.allocate(8, 0));
  NEEDED(array.allocate(10, 2) && !array.allocate(10));
  const auto one = array.acquire(3);
  const auto two = array.acquire(4);
  NEEDED(one && two && one->second == 4 && two->first == one->first + 4);
  NEEDED(array.acquire(3).error() == GXF_OUT_OF_MEMORY && array.acquire(2));
  NEEDED(!array.release(one->first + 1) && !array.release(one->first + 2));
  NEEDED(array.release(one->first) && !array.release(one->first));
  NEEDED(array.acquire(2)->first == one->first && array.release(one->first));
  NEEDED(array.release(two->first) && array.acquire(8)->first == one->first);
  return 0;
}

int Rest() {
  using Meters = nvidia::StrongType<struct Meters_t, double>;
  const Meters length{1.5};
  NEEDED(length.value() == 1.5 && static_cast<double>(length) == 1.5 && length == Meters{1.5} &&
         length < Meters{2.0});
  nvidia::byte raw[sizeof(uint32_t)];
  ::byte* same = raw;
  nvidia::InplaceConstruct<uint32_t>(same, 7u);
  NEEDED(*nvidia::ValuePointer<uint32_t>(same) == 7 &&
         nvidia::BytePointer(nvidia::ValuePointer<uint32_t>(same)) == raw);
  nvidia::Destruct<uint32_t>(same);
  NEEDED(*nvidia::MakeUniqueNoThrow<int>(3) == 3 && *nvidia::MakeSharedNoThrow<int>(4) == 4);
  NEEDED(nvidia::IsLittleEndian() != nvidia::IsBigEndian());
  NEEDED(nvidia::DecodeBigEndian<uint16_t>(nvidia::EncodeBigEndian<uint16_t>(0x1234)) == 0x1234);
  NEEDED(nvidia::EncodeLittleEndian<uint32_t>(1) == 1u || nvidia::IsBigEndian());

  static_assert(nvidia::IsSame_v<nvidia::RemoveCVRef_t<const int&>, int>, "");
  static_assert(nvidia::Conjunction_v<nvidia::TrueType, nvidia::IsIntegral<int>>, "");
  static_assert(nvidia::IsConvertible_v<int, double> && !nvidia::IsVoid_v<int>, "");
  static_assert(nvidia::IsSame_v<nvidia::Conditional_t<true, int, char>, int>, "");

  ::gxf::staging_queue::StagingQueue<int> queue(
      2, ::gxf::staging_queue::OverflowBehavior::kReject, -1);
  NEEDED(queue.push(1) && queue.push(2) && !queue.push(3) && queue.back_size() == 2);
  NEEDED(queue.sync() && queue.size() == 2 && queue.peek(1) == 2 && queue.latest() == 2);
  NEEDED(queue.pop() == 1 && queue.capacity() == 2 && queue.peek_backstage(0) == -1);
  queue.popAll();
  NEEDED(queue.empty() && queue.pop() == -1);
  NEEDED(queue.overflow_behavior() == ::gxf::staging_queue::OverflowBehavior::kReject);

  NEEDED(ParseRecessPeriodString("10 ms", 1).value() == 10000000);
  NEEDED(ParseRecessPeriodString("100Hz", 1).value() == 10000000);
  NEEDED(TimestampToTime(1500000000) == 1.5 && TimeToTimestamp(1.5) == 1500000000);
  NEEDED(getCurrentTimeUs() > 0);
  NEEDED(StorageSize::toBytesFromMB(2) == 2u << 20);

  nvidia::logger::GlobalGxfLogger::instance().log(__FILE__, __LINE__, "INFO", 3, "a line");
  nvidia::SetSeverity(nvidia::Severity::DEBUG);
  NEEDED(nvidia::GetSeverity() == nvidia::Severity::DEBUG);
  static int lines = 0;
  nvidia::LoggingFunction = [](const char*, int, nvidia::Severity, const char*, void*) { lines++; };
  GXF_LOG_DEBUG("a line of %s", "this program");
  GXF_LOG_VERBOSE("too much");
  nvidia::LoggingFunction = nvidia::DefaultConsoleLogging;
  NEEDED(lines == 1);
  if (lines == 2)
    GXF_LOG_WARNING("no braces");
  else
    GXF_LOG_INFO("done");
  return 0;
}

// The return macros in functions of every kind.
namespace returns {

using nvidia::gxf::Expected;
using nvidia::gxf::Success;
using nvidia::gxf::Unexpected;

Expected<int> Fails() { return Unexpected{GXF_OUT_OF_MEMORY}; }
std::optional<int> Number() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return 1; }
std::optional<bool> Flag() { RETURN_IF_FALSE(false, nvidia::Severity::DEBUG, "no %d", 1); return true; }
std::optional<gxf_result_t> Code() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return GXF_SUCCESS; }
std::optional<std::string> Text() {
  auto number = UNWRAP_OR_RETURN(Number(), nvidia::Severity::DEBUG);
  return std::to_string(number);
}
gxf_result_t Result() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return GXF_SUCCESS; }
int Integer() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return 0; }
bool Yes() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return true; }
Expected<std::optional<int>> Nested() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return std::optional<int>(3); }
Expected<void> Nothing() { RETURN_IF_ERROR(Number(), nvidia::Severity::DEBUG); return Success; }
Unexpected Error() { RETURN_IF_ERROR(Fails(), nvidia::Severity::DEBUG); return Unexpected{GXF_FAILURE}; }

int All() {
  NEEDED(!Number() && !Flag() && !Code() && !Text() && !Nested());
  NEEDED(Result() == GXF_OUT_OF_MEMORY && Integer() != 0 && !Yes());
  NEEDED(Nothing().error() == GXF_FAILURE && Error().value() == GXF_OUT_OF_MEMORY);
  return 0;
}

}  // namespace returns

}  // namespace

int main() {
  const bool done = ExpectedBasics() == 0 && ExpectedFunctions() == 0 && Macros() == 0 && returns::All() == 0 &&
                    Vectors() == 0 && Texts() == 0 && Names() == 0 && Braces() == 0 &&
                    Marks() == 0 && Parts() == 0 && Rest() == 0;
  if (done) { std::puts("all of it holds"); }
  return done ? 0 : 1;
}
