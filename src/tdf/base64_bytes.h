// decode_base64: strict base64 into memory of its own.
#pragma once

#include <string_view>
#include <vector>

#include "millrace/base64.h"
#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace::tdf {

// As base64_decode (millrace/base64.h), with its errors.
inline Result<std::vector<std::byte>> decode_base64(std::string_view text, Base64Options options = {}) {
  std::vector<std::byte> bytes(base64_decoded_capacity(text.size()));
  MR_TRY(const std::size_t size, base64_decode(text, bytes, options));
  bytes.resize(size);
  return bytes;
}

}  // namespace millrace::tdf
