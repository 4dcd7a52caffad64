# The API is that of Holoscan's documentation from 2.8 on, as far as it is here; programs ask for various
# versions of it.
set(PACKAGE_VERSION 3.10)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
