// Tink streaming AEAD: encrypt and decrypt streams, files and ranges with a Tink keyset (docs/formats/tink.md).
//
// The primary key encrypts; every ENABLED key is tried for decryption, on the header and the first segment only. What
// comes out has been authenticated, segment by segment; a stream is known to be whole only when its end was reached
// without an error.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/stream.h"
#include "millrace/tink_keyset.h"

namespace millrace::tink {

struct StreamingOptions {
  // How many foreign bytes the caller puts in front of each stream inside the first segment: segment 0 is that much
  // shorter. They are not part of what is read or written here. Keysets of other libraries always mean 0.
  std::uint32_t first_segment_offset = 0;
};

// StreamInfo says which key a stream is under and how it is laid out.
struct StreamInfo {
  std::uint32_t key_id = 0;
  StreamingParams params;
  std::uint64_t segments = 0;
  std::uint64_t plain_size = 0;
};

// StreamSource is a Source that can say what it does.
class StreamSource : public Source {
 public:
  // info counts what has gone through so far. A decrypting source knows its key after the first pull.
  virtual StreamInfo info() const = 0;
};

// StreamingAead is the primitive of a keyset. It is const and safe to use from many threads; the objects it makes serve
// one thread each, borrow the Source or Sink they are given, copy nothing of the associated data after they are made,
// and must not outlive the StreamingAead. Associated data may have any size; empty and none are the same.
//
// Errors of all decrypting calls: kNotAuthentic for a wrong key, wrong associated data and altered, cut or extended
// input (offset: the segment in the stream; 0: no key opened the first one); kMalformed for input that cannot be a Tink
// stream; whatever the Source or Sink reports. Errors are sticky.
class StreamingAead {
 public:
  // create copies the ENABLED keys. Errors: kInvalidArgument for a key of another kind, or an offset that leaves no
  // room for plaintext in the first segment.
  static Result<StreamingAead> create(const Keyset& keyset, StreamingOptions options = {});
  StreamingAead(StreamingAead&&) noexcept;
  StreamingAead& operator=(StreamingAead&&) noexcept;
  ~StreamingAead();

  // Pull: a Source over a Source. threads > 1 reads ahead and works on that many segments at once. The encrypting one
  // knows its remaining() if `plaintext` does; then nothing is looked ahead for.
  Result<std::unique_ptr<StreamSource>> encrypt_source(Source& plaintext, ByteView associated_data,
                                                       unsigned threads = 1) const;
  Result<std::unique_ptr<StreamSource>> decrypt_source(Source& ciphertext, ByteView associated_data,
                                                       unsigned threads = 1) const;

  // Push: a Sink over a Sink. finish() makes, or demands, the last segment and leaves the sink below open.
  Result<std::unique_ptr<Sink>> encrypt_sink(Sink& ciphertext, ByteView associated_data) const;
  Result<std::unique_ptr<Sink>> decrypt_sink(Sink& plaintext, ByteView associated_data) const;

  // Positions: a whole stream on `threads` threads, from file to file without a copy. What decrypt_at writes is not to
  // be used before it returns without an error. verify_at authenticates everything and writes nothing.
  Result<StreamInfo> encrypt_at(const ReadAt& plaintext, const WriteAt& ciphertext, ByteView associated_data,
                                unsigned threads) const;
  Result<StreamInfo> decrypt_at(const ReadAt& ciphertext, const WriteAt& plaintext, ByteView associated_data,
                                unsigned threads) const;
  Result<StreamInfo> verify_at(const ReadAt& ciphertext, ByteView associated_data, unsigned threads) const;

  // Random access to the plaintext, safe from many threads. The last segment is opened first, so size() is proved.
  Result<std::unique_ptr<ReadAt>> decrypt_read_at(const ReadAt& ciphertext, ByteView associated_data) const;

  // inspect finds the key that opens a stream and proves its size by opening the last segment.
  Result<StreamInfo> inspect(const ReadAt& ciphertext, ByteView associated_data) const;

  // Records in memory. encrypt writes encrypted_size(plaintext.size()) bytes to `out`, which must have room for them
  // and not overlap; on failure `out` is zeroed.
  Result<std::uint64_t> encrypted_size(std::uint64_t plain_size) const;
  Result<std::size_t> encrypt(ByteView plaintext, ByteView associated_data, ByteSpan out) const;
  // decrypt returns the number of bytes written; out.size() >= max_decrypted_size(ciphertext.size()), which leaves room
  // for the shortest header and tag only. On failure `out` is zeroed.
  static std::size_t max_decrypted_size(std::size_t cipher_size);
  Result<std::size_t> decrypt(ByteView ciphertext, ByteView associated_data, ByteSpan out) const;

 private:
  struct State;
  explicit StreamingAead(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace millrace::tink
