#include <cstring>
#include <string>

#include "millrace/result.h"

namespace millrace {

namespace {

std::string_view kind(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "not allowed";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kNotAuthentic:
      return "not authentic";
    case ErrorCode::kLimitExceeded:
      return "limit exceeded";
    case ErrorCode::kIo:
      return "failed";
  }
  return "failed";
}

}  // namespace

std::string describe(const Error& error) {
  std::string text(error.where);
  text += ": ";
  if (error.code == ErrorCode::kIo && error.detail != 0) {
    char buffer[128];
    text += strerror_r(error.detail, buffer, sizeof buffer);  // the GNU form, which returns the text
  } else {
    text += kind(error.code);
    if (error.code != ErrorCode::kIo && error.detail != 0) text += " (element " + std::to_string(error.detail) + ")";
  }
  if (error.offset != 0) text += " at offset " + std::to_string(error.offset);
  return text;
}

}  // namespace millrace
