// What `inspect` shows of each format.
#pragma once

#include "options.h"
#include "tdf_options.h"
#include "transfer.h"

namespace millrace::cli {

// Without a keyset: what the size of the stream tells. Each prints text or a JSON object.
void inspect_tink(Transfer& transfer, const KeyOptions& keys, bool json);
// Without a private key: what the file says. With one: what it says once everything but the payload is authenticated.
void inspect_tdf(Transfer& transfer, const TdfKeyOptions& keys, bool json);

}  // namespace millrace::cli
