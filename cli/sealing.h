// Sealing and Opening: what the verbs know of a format. Each format is one implementation of both, chosen by an option
// when writing and by the contents of the input when reading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "millrace/result.h"
#include "millrace/stream.h"
#include "options.h"
#include "transfer.h"

namespace millrace::cli {

// Sealing makes one encrypted file. Its options have been read and checked before it exists.
class Sealing {
 public:
  virtual ~Sealing() = default;
  // begin is called first, when input and output are open. It may look at the input's first bytes.
  virtual void begin(Transfer& transfer) = 0;
  // sealed_size is the size of the file for a plaintext of this size.
  virtual Result<std::uint64_t> sealed_size(std::uint64_t plain_size) const = 0;
  // By position, on all threads: the whole file.
  virtual Status seal_at(const ReadAt& plaintext, const WriteAt& sealed, unsigned threads) = 0;
  // As a stream, which the Sealing owns and which borrows `plaintext`.
  virtual Result<Source*> seal(Source& plaintext, unsigned threads) = 0;
  // report tells plain size, segments and key, when all is done.
  virtual Report report() const = 0;
  // note is a line for people about a choice that was made for them; empty if there was none.
  virtual std::string note() const { return {}; }
};

// Opening is one encrypted input and the keys that open it.
class Opening {
 public:
  virtual ~Opening() = default;
  // Whether the input can be read by position; if not, open() is all there is.
  virtual bool positional() const = 0;
  // plain_size is proved: a file that was cut shows here.
  virtual Result<std::uint64_t> plain_size() = 0;
  // The whole plaintext to its place, and nowhere at all.
  virtual Status open_at(const WriteAt& plaintext, unsigned threads) = 0;
  virtual Status verify(unsigned threads) = 0;
  // The plaintext by position, owned by the Opening.
  virtual Result<const ReadAt*> read_at() = 0;
  // The plaintext as a stream, owned by the Opening; once.
  virtual Result<Source*> open(unsigned threads) = 0;
  // report tells plain size, segments and key, as far as they are known by then.
  virtual Report report() const = 0;
};

}  // namespace millrace::cli
