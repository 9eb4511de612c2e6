// InputKeys: what an encrypted input is opened with, whatever its format turns out to be.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sealing.h"
#include "tdf_format.h"
#include "tink_format.h"

namespace millrace::cli {

enum class InputFormat { kTink, kTdf };
// input_format tells by the first bytes. Fails for what millrace knows and does not read: NanoTDF, TDF in HTML.
InputFormat input_format(Transfer& transfer);

struct InputKeyOptions {
  KeyOptions tink;
  TdfKeyOptions tdf;

  void add_to(CLI::App& verb);
  std::vector<std::string> files() const;
  // refuse_others fails when the keys that are given are all for the other format.
  void refuse_others(InputFormat format, Transfer& transfer) const;
  bool any() const { return !tink.keyset.empty() || !tdf.private_keys.empty(); }
};

class InputKeys {
 public:
  // Reads the keys. Fails (usage) when there are none. Borrows the options.
  explicit InputKeys(const InputKeyOptions& options);
  // open finds out what the input is. Fails when the keys are for another format. Borrows both.
  std::unique_ptr<Opening> open(Transfer& transfer) const;

 private:
  const InputKeyOptions& options_;
  std::optional<TinkKeys> tink_;
  std::optional<TdfKeys> tdf_;
};

}  // namespace millrace::cli
