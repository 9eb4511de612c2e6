// Tink keysets and streams for tests: the golden streams, keysets made of given parameters, and Tink as a
// SegmentFormat.
#pragma once

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "millrace/tink.h"
#include "testing/segment_format.h"
#include "tink/key_choice.h"
#include "tink/stream_cipher.h"

namespace millrace::testing {

inline Bytes hex_bytes(const std::string& hex) {
  MR_CHECK(hex.size() % 2 == 0);
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

// A key as the tests write it down.
struct TestKey {
  std::uint32_t id = 1;
  tink::StreamingParams params;
  Bytes ikm;
};

inline tink::StreamingParams gcm_params(std::uint32_t derived, std::uint32_t segment) {
  return {tink::Construction::kAesGcmHkdf, derived, segment, tink::HashType::kSha256, tink::HashType::kSha256, 0};
}
inline tink::StreamingParams ctr_params(std::uint32_t derived, std::uint32_t segment, std::uint32_t tag = 32) {
  return {tink::Construction::kAesCtrHmac, derived, segment, tink::HashType::kSha256, tink::HashType::kSha256, tag};
}

// binary_keyset writes the protobuf message by hand: field numbers and types of the Tink messages.
class ProtoText {
 public:
  ProtoText& number(unsigned field, std::uint64_t value) {
    varint(field * 8);
    varint(value);
    return *this;
  }
  ProtoText& text(unsigned field, ByteView value) {
    varint(field * 8 + 2);
    varint(value.size());
    append(bytes_, value);
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
    bytes_.push_back(static_cast<std::byte>(value));
  }
  Bytes bytes_;
};

inline Bytes binary_keyset(const std::vector<TestKey>& keys, std::uint32_t primary) {
  ProtoText keyset;
  keyset.number(1, primary);
  for (const TestKey& key : keys) {
    const bool gcm = key.params.construction == tink::Construction::kAesGcmHkdf;
    ProtoText params;
    params.number(1, key.params.ciphertext_segment_size).number(2, key.params.derived_key_size);
    params.number(3, static_cast<std::uint64_t>(key.params.hkdf_hash));
    if (!gcm) {
      ProtoText hmac;
      hmac.number(1, static_cast<std::uint64_t>(key.params.hmac_hash)).number(2, key.params.hmac_tag_size);
      params.text(4, hmac.bytes());
    }
    ProtoText value;
    value.text(2, params.bytes()).text(3, key.ikm);
    ProtoText data;
    data.text(1, as_bytes(gcm ? "type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey"
                              : "type.googleapis.com/google.crypto.tink.AesCtrHmacStreamingKey"));
    data.text(2, value.bytes()).number(3, 1);
    ProtoText entry;
    entry.text(1, data.bytes()).number(2, 1).number(3, key.id).number(4, 3);
    keyset.text(2, entry.bytes());
  }
  return keyset.bytes();
}

inline tink::StreamingAead make_aead(const std::vector<TestKey>& keys, std::uint32_t primary,
                                     std::uint32_t first_segment_offset = 0) {
  const Result<tink::Keyset> keyset = tink::Keyset::parse_binary(binary_keyset(keys, primary));
  MR_CHECK(keyset.has_value());
  Result<tink::StreamingAead> aead = tink::StreamingAead::create(*keyset, {first_segment_offset});
  MR_CHECK(aead.has_value());
  return *std::move(aead);
}
inline tink::StreamingAead make_aead(const TestKey& key, std::uint32_t first_segment_offset = 0) {
  return make_aead({key}, key.id, first_segment_offset);
}

inline std::vector<tink::UsableKey> usable_keys(const std::vector<TestKey>& keys) {
  std::vector<tink::UsableKey> usable;
  for (const TestKey& key : keys) usable.push_back({key.id, key.params, SecretBytes::copy_of(key.ikm)});
  return usable;
}

// tink_format seals the one stream with the given header (salt and nonce prefix), and opens any stream of the key.
inline SegmentFormat tink_format(const TestKey& key, std::uint32_t offset, const Bytes& header,
                                 const Bytes& associated_data) {
  const auto keys = std::make_shared<const std::vector<tink::UsableKey>>(usable_keys({key}));
  return SegmentFormat{
      key.params.construction == tink::Construction::kAesGcmHkdf ? "AES-GCM-HKDF" : "AES-CTR-HMAC",
      *tink::layout_of(key.params, offset),
      header,
      [=]() -> std::unique_ptr<const SegmentCipher> {
        return *tink::TinkCipher::create(key.params, key.ikm, offset, header, associated_data);
      },
      [=] { return std::make_unique<tink::KeyChoice>(*keys, offset, associated_data); },
  };
}

// One entry of the stream files in tests/vectors/tink.
struct StreamVector {
  std::string id;
  TestKey key;
  std::uint32_t offset = 0;
  Bytes associated_data;
  bool valid = false;
  bool decrypt_only = false;
  std::uint64_t segments = 0;
  std::optional<Bytes> plaintext;
  std::optional<Bytes> ciphertext;
  Bytes header;                         // of valid ones
  std::uint64_t ciphertext_length = 0;  // when the ciphertext itself is not given
  std::string ciphertext_sha256_hex;
  std::string derived_aes_key_hex;
};

inline tink::HashType hash_named(const std::string& name) {
  if (name == "SHA1") return tink::HashType::kSha1;
  if (name == "SHA256") return tink::HashType::kSha256;
  MR_CHECK(name == "SHA512");
  return tink::HashType::kSha512;
}

inline std::vector<StreamVector> load_streams(const std::string& file) {
  std::ifstream in(MILLRACE_TEST_VECTORS "/tink/" + file);
  MR_CHECK(in.good());
  const auto generate = [](const nlohmann::json& generator) {
    MR_CHECK(generator.at("kind") == "counter");
    return counter_bytes(generator.at("length").get<std::size_t>());
  };
  std::vector<StreamVector> vectors;
  const nlohmann::json all = nlohmann::json::parse(in);
  for (const nlohmann::json& entry : all.at("vectors")) {
    StreamVector v;
    Bytes salt;
    Bytes prefix;
    for (const auto& [name, value] : entry.items()) {  // an attribute that is not known here fails the test
      if (name == "id") {
        v.id = file + " " + value.dump();
      } else if (name == "params") {
        const bool gcm = value.at("construction") == "AES-GCM-HKDF";
        MR_CHECK(gcm || value.at("construction") == "AES-CTR-HMAC");
        v.key.params.construction = gcm ? tink::Construction::kAesGcmHkdf : tink::Construction::kAesCtrHmac;
        v.key.params.derived_key_size = value.at("derived_key_size");
        v.key.params.ciphertext_segment_size = value.at("ciphertext_segment_size");
        v.key.params.hkdf_hash = hash_named(value.at("hkdf_hash"));
        if (!gcm) {
          v.key.params.hmac_hash = hash_named(value.at("hmac_hash"));
          v.key.params.hmac_tag_size = value.at("hmac_tag_size");
        }
      } else if (name == "ikm_hex") {
        v.key.ikm = hex_bytes(value);
      } else if (name == "aad_hex") {
        v.associated_data = hex_bytes(value);
      } else if (name == "aad_ascii") {
        v.associated_data = to_bytes(as_bytes(value.get<std::string>()));
      } else if (name == "aad_generator") {
        v.associated_data = generate(value);
      } else if (name == "plaintext_hex") {
        v.plaintext = hex_bytes(value);
      } else if (name == "plaintext_ascii") {
        v.plaintext = to_bytes(as_bytes(value.get<std::string>()));
      } else if (name == "plaintext_generator") {
        v.plaintext = generate(value);
      } else if (name == "ciphertext_hex") {
        v.ciphertext = hex_bytes(value);
      } else if (name == "salt_hex") {
        salt = hex_bytes(value);
      } else if (name == "nonce_prefix_hex") {
        prefix = hex_bytes(value);
      } else if (name == "ciphertext_length") {
        v.ciphertext_length = value;
      } else if (name == "ciphertext_sha256_hex") {
        v.ciphertext_sha256_hex = value;
      } else if (name == "derived_aes_key_hex") {
        v.derived_aes_key_hex = value;
      } else if (name == "first_segment_offset") {
        v.offset = value;
      } else if (name == "segments") {
        v.segments = value;
      } else if (name == "result") {
        v.valid = value == "valid";
        MR_CHECK(v.valid || value == "invalid");
      } else if (name == "decrypt_only") {
        v.decrypt_only = value;
      } else {
        MR_CHECK(name == "origin" || name == "comment" || name == "template" || name == "derived_hmac_key_hex");
      }
    }
    const std::size_t header_size = tink::header_size(v.key.params);
    if (v.ciphertext) {
      v.header = to_bytes(ByteView(*v.ciphertext).first(std::min(header_size, v.ciphertext->size())));
    } else {
      v.header.push_back(static_cast<std::byte>(header_size));
      append(v.header, salt);
      append(v.header, prefix);
    }
    vectors.push_back(std::move(v));
  }
  return vectors;
}

}  // namespace millrace::testing
