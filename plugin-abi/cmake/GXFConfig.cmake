# find_package(GXF): the headers extensions in C++ and C are written with, and the C API.
#
# Targets: GXF::core, GXF::std, GXF::cuda and so on, one for each folder of headers and each
# component of GXF's own package, are all headers. A program that links one of them also gets
# libgxf_core.so; an extension links no library, since its host has the functions. GXF::gxf_core is libgxf_core.so itself, for libraries
# that embed the runtime, and GXF::stm is libgxf_stm_runtime.so, for clients of `gxe stm master`.
# GXF::gxe is the program gxe, and GXF_EXECUTABLE its path. Each installed extension is a target, too, such as
# GXF::stream_playback. create_gxe_application(), at the end of this file, makes a program of an app.
#
# It works where `make install` put it, and in gxe's sources: -DGXF_ROOT=/path/to/gxe/plugin-abi.

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../include/gxf/plugin_abi.h")
  get_filename_component(GXF_PREFIX "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
  set(GXF_LIBRARY_DIR "${GXF_PREFIX}/../target/release")
  set(GXF_EXECUTABLE "${GXF_LIBRARY_DIR}/gxe")
  set(GXF_INCLUDE_DIRS "${GXF_PREFIX}/include")
else()
  get_filename_component(GXF_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set(GXF_LIBRARY_DIR "${GXF_PREFIX}/lib")
  set(GXF_EXECUTABLE "${GXF_PREFIX}/bin/gxe")
  set(GXF_INCLUDE_DIRS "${GXF_PREFIX}/include/gxe")
endif()

if(NOT TARGET GXF::core)
  add_library(GXF::core INTERFACE IMPORTED)
  set_target_properties(GXF::core PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${GXF_INCLUDE_DIRS}"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
  # Parameters of types of your own are read with yaml-cpp where the headers find it.
  find_package(yaml-cpp QUIET)
  if(yaml-cpp_FOUND)
    set_property(TARGET GXF::core APPEND PROPERTY INTERFACE_LINK_LIBRARIES yaml-cpp)
  endif()

  file(GLOB parts RELATIVE "${GXF_INCLUDE_DIRS}/gxf" "${GXF_INCLUDE_DIRS}/gxf/*")
  list(FILTER parts EXCLUDE REGEX "\\.|^core$|^stm$")
  # These have no folder of their own.
  list(APPEND parts common gems grpc http npp python_codelet stream test)
  list(REMOVE_DUPLICATES parts)
  foreach(part ${parts})
    add_library(GXF::${part} INTERFACE IMPORTED)
    set_target_properties(GXF::${part} PROPERTIES INTERFACE_LINK_LIBRARIES GXF::core)
  endforeach()

  if(EXISTS "${GXF_LIBRARY_DIR}/libgxf_core.so")
    add_library(GXF::gxf_core SHARED IMPORTED)
    set_target_properties(GXF::gxf_core PROPERTIES
      IMPORTED_LOCATION "${GXF_LIBRARY_DIR}/libgxf_core.so"
      IMPORTED_SONAME libgxf_core.so
      INTERFACE_INCLUDE_DIRECTORIES "${GXF_INCLUDE_DIRS}"
      INTERFACE_COMPILE_FEATURES cxx_std_17)
    set_property(TARGET GXF::core APPEND PROPERTY INTERFACE_LINK_LIBRARIES
      "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:GXF::gxf_core>")
  endif()
endif()

if(NOT TARGET GXF::gxe)
  add_executable(GXF::gxe IMPORTED)
  set_target_properties(GXF::gxe PROPERTIES IMPORTED_LOCATION "${GXF_EXECUTABLE}")
endif()

if(NOT TARGET GXF::stm AND EXISTS "${GXF_LIBRARY_DIR}/libgxf_stm_runtime.so")
  add_library(GXF::stm SHARED IMPORTED)
  set_target_properties(GXF::stm PROPERTIES
    IMPORTED_LOCATION "${GXF_LIBRARY_DIR}/libgxf_stm_runtime.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${GXF_INCLUDE_DIRS}")
endif()

# Extensions have no headers of their own here: the targets are for create_gxe_application().
file(GLOB installed "${GXF_LIBRARY_DIR}/libgxf_*.so")
foreach(library ${installed})
  get_filename_component(part "${library}" NAME_WE)
  string(REGEX REPLACE "^libgxf_" "" part "${part}")
  if(NOT TARGET GXF::${part} AND NOT part STREQUAL "stm_runtime")
    add_library(GXF::${part} INTERFACE IMPORTED)
    set_target_properties(GXF::${part} PROPERTIES INTERFACE_LINK_LIBRARIES GXF::core)
  endif()
endforeach()

foreach(part ${GXF_FIND_COMPONENTS})
  if(TARGET GXF::${part})
    set(GXF_${part}_FOUND TRUE)
  elseif(GXF_FIND_REQUIRED_${part})
    set(GXF_FOUND FALSE)
    set(GXF_NOT_FOUND_MESSAGE "this GXF has no component `${part}`")
  endif()
endforeach()

# create_gxe_application(NAME name YAML app.yaml EXTENSIONS extension...) puts the program `name` into
# the build folder. It runs the app with a manifest of these extensions: targets of libraries that
# this project builds, GXF:: targets, or the names of installed extensions. Other flags are passed on.
function(create_gxe_application)
  cmake_parse_arguments(APP "" "NAME;YAML" "EXTENSIONS" ${ARGN})
  if(NOT APP_NAME OR NOT APP_YAML OR APP_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "write create_gxe_application(NAME name YAML app.yaml EXTENSIONS extension...)")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}")
  configure_file("${APP_YAML}" "${folder}/${APP_NAME}.yaml" COPYONLY)
  set(manifest "extensions:\n")
  foreach(extension ${APP_EXTENSIONS})
    set(kind "")
    if(TARGET ${extension})
      get_target_property(kind ${extension} TYPE)
    endif()
    if(kind MATCHES "^(SHARED|MODULE)_LIBRARY$")
      string(APPEND manifest "- $<TARGET_FILE:${extension}>\n")
    else()
      string(REGEX REPLACE "^GXF::" "" extension "${extension}")
      if(NOT extension MATCHES "^gxe_")
        set(extension "gxf/${extension}/libgxf_${extension}")
      else()
        set(extension "lib${extension}")
      endif()
      string(APPEND manifest "- ${extension}.so\n")
    endif()
  endforeach()
  file(GENERATE OUTPUT "${folder}/${APP_NAME}_manifest.yaml" CONTENT "${manifest}")
  set(launcher "#!/bin/sh
# Made by create_gxe_application(). GXE is the program to use.
folder=$(dirname \"$0\")
exec \"\${GXE:-${GXF_EXECUTABLE}}\" --app \"$folder/${APP_NAME}.yaml\" \\
  --manifest \"$folder/${APP_NAME}_manifest.yaml\" \"$@\"
")
  file(WRITE "${folder}/CMakeFiles/${APP_NAME}" "${launcher}")
  file(COPY "${folder}/CMakeFiles/${APP_NAME}" DESTINATION "${folder}"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
endfunction()
