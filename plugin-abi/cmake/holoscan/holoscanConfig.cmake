# find_package(holoscan): Holoscan's API of operators for C++, on gxe's engine.
#
# Targets: holoscan::core, and one for each operator in the headers, such as holoscan::ops::ping_tx. A program that links one of them also gets libgxf_core.so.

include(CMakeFindDependencyMacro)
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../GXFConfig.cmake")
  # In gxe's sources.
  find_dependency(GXF CONFIG PATHS "${CMAKE_CURRENT_LIST_DIR}/.." NO_DEFAULT_PATH)
else()
  find_dependency(GXF CONFIG PATHS "${CMAKE_CURRENT_LIST_DIR}/../GXF" NO_DEFAULT_PATH)
endif()
find_package(Threads REQUIRED)

foreach(part core ops::ping_tx ops::ping_rx ops::async_ping_tx ops::async_ping_rx ops::ping_tensor_tx
    ops::ping_tensor_rx)
  if(NOT TARGET holoscan::${part})
    add_library(holoscan::${part} INTERFACE IMPORTED)
    set_target_properties(holoscan::${part} PROPERTIES
      INTERFACE_LINK_LIBRARIES "GXF::core;Threads::Threads")
  endif()
endforeach()
