// What a Keyset holds, for the files that implement it.
#pragma once

#include "tink/keyset_model.h"

namespace millrace::tink {

struct Keyset::State {
  KeysetModel model;
};

// info_of describes a key without its material.
KeyInfo info_of(const Key& key, std::uint32_t primary_id);

}  // namespace millrace::tink
