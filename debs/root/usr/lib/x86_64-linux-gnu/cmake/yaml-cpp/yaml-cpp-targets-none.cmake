#----------------------------------------------------------------
# Generated CMake target import file for configuration "None".
#----------------------------------------------------------------

# Commands may need to know the format version.
set(CMAKE_IMPORT_FILE_VERSION 1)

# Import target "yaml-cpp" for configuration "None"
set_property(TARGET yaml-cpp APPEND PROPERTY IMPORTED_CONFIGURATIONS NONE)
set_target_properties(yaml-cpp PROPERTIES
  IMPORTED_LOCATION_NONE "${_IMPORT_PREFIX}/lib/x86_64-linux-gnu/libyaml-cpp.so.0.7.0"
  IMPORTED_SONAME_NONE "libyaml-cpp.so.0.7"
  )

list(APPEND _cmake_import_check_targets yaml-cpp )
list(APPEND _cmake_import_check_files_for_yaml-cpp "${_IMPORT_PREFIX}/lib/x86_64-linux-gnu/libyaml-cpp.so.0.7.0" )

# Commands beyond this point should not need to know the version.
set(CMAKE_IMPORT_FILE_VERSION)
