# The headers serve sources written for any GXF from 2.4 to 5.x; the version is the one their
# kGxfCoreVersion states.
set(PACKAGE_VERSION "4.1.0")
if(PACKAGE_FIND_VERSION VERSION_LESS 6.0 AND PACKAGE_FIND_VERSION VERSION_GREATER_EQUAL 2.0)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
