// MXNet's own part of the library, and what the library is asked when it is loaded.

#include "lib_api.cc"  // of MXNet, as it comes with it

mxnet::ext::MXReturnValue initialize(int version) {
  if (version >= 10700) return mxnet::ext::MX_SUCCESS;
  MX_ERROR_MSG << "MXNet 1.7 or newer is needed, this is " << version;
  return mxnet::ext::MX_FAIL;
}

/** The compiler that made the library. */
extern "C" const char* fused_compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}
