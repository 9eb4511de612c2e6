// Whole TDF files made by the rules, with OpenSSL and JSON, past everything in src/tdf and src/zip: what readers are
// tried on. Every part can be changed before the file is put together.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/endian.h"
#include "encoding/hex.h"
#include "millrace/base64.h"
#include "millrace/checksum.h"
#include "millrace/tdf_keys.h"
#include "testing/bytes.h"

namespace millrace::testing {

inline Bytes text_bytes(std::string_view text) { return to_bytes(as_bytes(text)); }

inline Bytes oracle_hmac(ByteView key, ByteView message) {
  Bytes mac(32);
  unsigned size = 0;
  MR_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                reinterpret_cast<unsigned char*>(mac.data()), &size) != nullptr);
  return mac;
}

// oracle_segment is nonce | ciphertext | tag.
inline Bytes oracle_segment(ByteView key, ByteView nonce, ByteView plain) {
  Bytes out = to_bytes(nonce);
  out.resize(12 + plain.size() + 16);
  const auto raw = [](auto* p) { return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(p)); };
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  int n = 0;
  bool good = EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), nullptr, raw(key.data()), raw(nonce.data())) == 1;
  if (!plain.empty()) {
    good = good && EVP_EncryptUpdate(ctx, raw(&out[12]), &n, raw(plain.data()), static_cast<int>(plain.size())) == 1;
  }
  good = good && EVP_EncryptFinal_ex(ctx, raw(out.data()), &n) == 1 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, &out[12 + plain.size()]) == 1;
  EVP_CIPHER_CTX_free(ctx);
  MR_CHECK(good);
  return out;
}

// One entry of an archive, with what a test may want to be wrong about it.
struct ZipPart {
  std::string name;
  Bytes contents;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::int64_t size_error = 0;    // added to both sizes in the directory and the local header
  std::int64_t offset_error = 0;  // added to the offset in the directory
  std::uint32_t crc_error = 0;    // xor
};

// zip_archive writes the records of APPNOTE 4.3.7, 4.3.12 and 4.3.16, 32-bit, sizes in the local headers.
inline Bytes zip_archive(const std::vector<ZipPart>& parts) {
  Bytes archive;
  Bytes directory;
  const auto put = [](Bytes& to, std::uint64_t value, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  for (const ZipPart& part : parts) {
    const std::uint64_t offset = archive.size() + static_cast<std::uint64_t>(part.offset_error);
    const std::uint64_t size = part.contents.size() + static_cast<std::uint64_t>(part.size_error);
    const auto common = [&](Bytes& to) {
      put(to, 20, 2);
      put(to, part.flags, 2);
      put(to, part.method, 2);
      put(to, 0x00210000, 4);
      put(to, Crc32::of(part.contents).value() ^ part.crc_error, 4);
      put(to, size, 4);
      put(to, size, 4);
      put(to, part.name.size(), 2);
      put(to, 0, 2);
    };
    put(archive, 0x04034b50, 4);
    common(archive);
    append(archive, as_bytes(part.name));
    append(archive, part.contents);
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 6);
    put(directory, 0, 4);
    put(directory, offset, 4);
    append(directory, as_bytes(part.name));
  }
  const std::uint64_t start = archive.size();
  append(archive, directory);
  put(archive, 0x06054b50, 4);
  put(archive, 0, 4);
  put(archive, parts.size(), 2);
  put(archive, parts.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, start, 4);
  put(archive, 0, 2);
  return archive;
}

// How hashes stand in the manifest.
struct OracleStyle {
  bool legacy = false;
  bool hs256 = false;
  std::string text() const { return std::string(legacy ? "4.2.2 " : "4.3.0 ") + (hs256 ? "HS256" : "GMAC"); }
};

class OracleFile {
 public:
  Bytes key = noise_bytes(32, 4711);
  OracleStyle style;
  std::vector<Bytes> segments;  // sealed
  nlohmann::json manifest;

  // The plaintext of each segment; they may be of any sizes.
  OracleFile(const std::vector<Bytes>& plain, OracleStyle how, std::size_t default_size = 100) : style(how) {
    const std::string policy = base64_encode(
        as_bytes(R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[],"dissem":[]}})"));
    manifest = {{"encryptionInformation",
                 {{"type", "split"},
                  {"policy", policy},
                  {"keyAccess", {key_access("", key, policy)}},
                  {"method", {{"algorithm", "AES-256-GCM"}, {"iv", ""}, {"isStreamable", true}}},
                  {"integrityInformation",
                   {{"rootSignature", {{"alg", "HS256"}, {"sig", ""}}},
                    {"segmentHashAlg", style.hs256 ? "HS256" : "GMAC"},
                    {"segmentSizeDefault", default_size},
                    {"encryptedSegmentSizeDefault", default_size + 28},
                    {"segments", nlohmann::json::array()}}}}},
                {"payload",
                 {{"type", "reference"},
                  {"url", "0.payload"},
                  {"protocol", "zip"},
                  {"mimeType", "text/plain"},
                  {"isEncrypted", true}}}};
    if (!style.legacy) manifest["schemaVersion"] = "4.3.0";
    for (std::size_t i = 0; i < plain.size(); ++i) {
      segments.push_back(oracle_segment(key, noise_bytes(12, i + 1), plain[i]));
      table().push_back({{"hash", encoded(hash_of(segments.back()))},
                         {"segmentSize", plain[i].size()},
                         {"encryptedSegmentSize", plain[i].size() + 28}});
    }
    sign();
  }

  nlohmann::json& integrity() { return manifest["encryptionInformation"]["integrityInformation"]; }
  nlohmann::json& table() { return integrity()["segments"]; }
  nlohmann::json& access() { return manifest["encryptionInformation"]["keyAccess"]; }

  // sign makes the root signature right for the hashes that stand in the table.
  void sign() {
    Bytes aggregate;
    for (const nlohmann::json& segment : table()) {
      const std::string text = segment.at("hash");
      Bytes hash(base64_decoded_capacity(text.size()));
      const auto size = base64_decode(text, hash);
      if (size) append(aggregate, ByteView(hash).first(*size));
    }
    integrity()["rootSignature"]["sig"] = encoded(oracle_hmac(key, aggregate));
  }

  Bytes hash_of(ByteView segment) const { return style.hs256 ? oracle_hmac(key, segment) : to_bytes(segment.last(16)); }
  std::string encoded(ByteView hash) const {
    return style.legacy ? base64_encode(as_bytes(hex_encode(hash))) : base64_encode(hash);
  }
  // key_access is an object for `share`; its wrappedKey is the share itself (ShareAccess).
  static nlohmann::json key_access(const std::string& sid, ByteView share, const std::string& policy) {
    return {{"type", "wrapped"},
            {"url", "https://kas.example.com"},
            {"protocol", "kas"},
            {"wrappedKey", base64_encode(share)},
            {"kid", "k1"},
            {"sid", sid},
            {"policyBinding",
             {{"alg", "HS256"}, {"hash", base64_encode(as_bytes(hex_encode(oracle_hmac(share, as_bytes(policy)))))}}},
            {"schemaVersion", "1.0"}};
  }

  Bytes payload() const {
    Bytes all;
    for (const Bytes& segment : segments) append(all, segment);
    return all;
  }
  ZipPart payload_part() const { return {"0.payload", payload()}; }
  ZipPart manifest_part() const { return {"0.manifest.json", text_bytes(manifest.dump())}; }
  Bytes file() const { return zip_archive({payload_part(), manifest_part()}); }
};

// ShareAccess takes the wrapped key for the share: no public-key work in tests that are not about it.
class ShareAccess final : public tdf::KeyAccess {
 public:
  std::vector<Share> unwrap(std::string_view, std::span<const tdf::KeyAccessObject> objects) const override {
    std::vector<Share> shares;
    for (const tdf::KeyAccessObject& object : objects) {
      Bytes bytes(base64_decoded_capacity(object.wrapped_key.size()));
      const auto size = base64_decode(object.wrapped_key, bytes);
      Share share;
      if (size && *size == 32) {
        share.bytes = SecretBytes::copy_of(ByteView(bytes).first(32));
      } else {
        share.error = Error{ErrorCode::kNotAuthentic, "wrapped key"};
        share.explanation = "not a share";
      }
      shares.push_back(std::move(share));
    }
    return shares;
  }
};

}  // namespace millrace::testing
