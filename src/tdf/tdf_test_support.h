// Test support: what the tests of this folder have in common.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "millrace/result.h"
#include "testing/bytes.h"
#include "testing/tdf_vectors.h"

namespace millrace::tdf {

using testing::Bytes;
using testing::read_vector;

// must unwraps a result that a test relies on.
template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << describe(result.error());
    std::abort();
  }
  return *std::move(result);
}

}  // namespace millrace::tdf
