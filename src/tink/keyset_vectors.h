// Test support: the golden keysets of tests/vectors/tink and small helpers around them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base64.h"
#include "millrace/tink_keyset.h"

namespace millrace::tink {

inline nlohmann::json load_vectors(const std::string& file) {
  std::ifstream in(MILLRACE_TEST_VECTORS "/tink/" + file);
  EXPECT_TRUE(in.good()) << file;
  return nlohmann::json::parse(in).at("vectors");
}

inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  EXPECT_EQ(hex.size() % 2, 0u);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

inline std::string to_string(const SecretBytes& bytes) { return std::string(as_text(bytes.reveal())); }
inline std::string to_string(ByteView bytes) { return std::string(as_text(bytes)); }

// must unwraps a result that a test relies on.
template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << describe(result.error()) << " code " << static_cast<int>(result.error().code);
    std::abort();
  }
  return *std::move(result);
}

inline Keyset must_parse(std::string_view input) { return must(Keyset::parse(as_bytes(input))); }

// expect_refused checks that reading fails in this way and returns the error.
template <class T>
Error expect_refused(const Result<T>& result, ErrorCode code, std::string_view where) {
  if (result) {
    ADD_FAILURE() << "accepted; expected " << where;
    return {};
  }
  EXPECT_EQ(result.error().code, code) << describe(result.error());
  EXPECT_EQ(result.error().where, where) << describe(result.error());
  return result.error();
}

// A 16-byte AES128_GCM_HKDF_4KB key, serialized; its key bytes are 5f4ced...6f (public test data).
inline constexpr std::string_view kKeyBase64 = "EgcIgCAQEBgDGhBfTO2eCQ+ErBls5HyW8oFv";
inline constexpr std::string_view kKeyHex = "5f4ced9e090f84ac196ce47c96f2816f";
inline constexpr std::string_view kGcmUrl = "type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey";

// key_json is one entry of "key"; keyset_json puts entries together.
inline std::string key_json(std::uint32_t id, std::string_view status = "ENABLED", std::string_view prefix = "RAW",
                            std::string_view url = kGcmUrl, std::string_view value = kKeyBase64) {
  std::string json = "{\"keyData\":{\"typeUrl\":\"";
  json.append(url).append("\",\"value\":\"").append(value);
  json.append("\",\"keyMaterialType\":\"SYMMETRIC\"},\"status\":\"").append(status);
  json.append("\",\"keyId\":").append(std::to_string(id)).append(",\"outputPrefixType\":\"");
  return json.append(prefix).append("\"}");
}
inline std::string keyset_json(std::uint32_t primary, const std::vector<std::string>& keys) {
  std::string json = "{\"primaryKeyId\":" + std::to_string(primary) + ",\"key\":[";
  for (std::size_t i = 0; i < keys.size(); ++i) json.append(i == 0 ? "" : ",").append(keys[i]);
  return json + "]}\n";
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace millrace::tink
