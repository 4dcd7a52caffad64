/// What the headers need of the compiler, said in one line instead of many.
#ifndef GXF_SDK_REQUIREMENTS_HPP_
#define GXF_SDK_REQUIREMENTS_HPP_

#if __cplusplus < 201703L
#error "the headers of GXF need C++17 or later: compile with -std=c++17"
#endif
#ifndef __cpp_exceptions
#error "the headers of GXF catch what extensions throw: compile without -fno-exceptions"
#endif
#ifndef __cpp_rtti
#error "the headers of GXF compare types of parameters: compile without -fno-rtti"
#endif

#endif  // GXF_SDK_REQUIREMENTS_HPP_
