// ChunkSigner: the chain of signatures through a body (internal). Both directions use it: what one writes, the other
// computes again. No allocation after create().
//
// What is signed for a chunk, joined with line feeds:
//   AWS4-HMAC-SHA256-PAYLOAD | date and time | scope | previous signature | SHA-256 of nothing | SHA-256 of the payload
// and for the trailers, each as "name:value\n", sorted:
//   AWS4-HMAC-SHA256-TRAILER | date and time | scope | previous signature | SHA-256 of the trailers
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "millrace/aws_chunked.h"

namespace millrace::aws_chunked {

class ChunkSigner {
 public:
  // kInvalidArgument: a key of another size than SHA-256's, a scope or seed that is malformed.
  static Result<ChunkSigner> create(const ChunkSigning& signing);

  // update adds bytes of the chunk, or of the trailers.
  void update(ByteView bytes) { hash_.update(bytes); }
  // finish_chunk and finish_trailer sign what was added since the last signature and write 64 hex digits, on which the
  // next signature builds.
  Status finish_chunk(std::span<char> out) { return sign(chunk_text_, out); }
  Status finish_trailer(std::span<char> out) { return sign(trailer_text_, out); }
  // restart goes back to the seed.
  void restart();

 private:
  ChunkSigner(Hmac hmac, Hash hash) : hmac_(std::move(hmac)), hash_(std::move(hash)) {}
  Status sign(std::string& text, std::span<char> out);

  Hmac hmac_;
  Hash hash_;
  std::string seed_;
  // The strings to sign, complete but for two places: the previous signature, and the hash at the end.
  std::string chunk_text_;
  std::string trailer_text_;
  std::size_t previous_ = 0;  // where the previous signature stands, in both
};

}  // namespace millrace::aws_chunked
