// What all segment hashes of a file add up to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// encode_hash is how a hash stands in a manifest: base64 of the bytes (4.3.0) or of their lower-case hexadecimal text.
std::string encode_hash(ByteView hash, SpecVersion version);
// decode_hash undoes it, strictly; hash.size() is the size expected. False: the text is no such hash.
bool decode_hash(std::string_view text, SpecVersion version, ByteSpan hash);

// aggregate_hashes is the input of the root signature: the segment hashes decoded from base64 once, in order; raw bytes
// in 4.3.0, hexadecimal text before.
std::vector<std::byte> aggregate_hashes(const Manifest& manifest);
// root_signature is HMAC-SHA-256(key, aggregate), encoded as the version does.
Result<std::string> root_signature(ByteView file_key, ByteView aggregate, SpecVersion version);
// check_root_signature: kNotAuthentic ("tamper detected: root signature") unless it is HS256 and right.
Status check_root_signature(const Manifest& manifest, ByteView file_key, ByteView aggregate);

}  // namespace millrace::tdf
