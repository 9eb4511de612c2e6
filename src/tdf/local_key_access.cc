#include <algorithm>
#include <set>

#include "millrace/tdf_keys.h"
#include "tdf/key_split.h"
#include "tdf/key_wrap.h"

namespace millrace::tdf {

struct LocalKeyAccess::State {
  struct Entry {
    PrivateKey key;
    std::string kid;
  };
  std::vector<Entry> keys;
};

namespace {

std::string explain(const KeyAccessObject& object, const Error& error) {
  if (object.type == "remote" || object.type == "remoteWrapped")
    return "the key is not in the file (a type from before TDF 3), which is not supported";
  if (object.type == "hybrid-wrapped" || object.type == "mlkem-wrapped")
    return "the key is wrapped with a post-quantum algorithm, which is not supported";
  if (object.type != kTypeRsa && object.type != kTypeEc) return "the type is not known";
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return object.type == kTypeEc ? "there is no EC private key of its curve" : "there is no RSA private key";
    case ErrorCode::kMalformed:
      return "the wrapped key has not the form or the size that goes with the private keys";
    default:
      return "no private key opens it: it is for another key (see kid), or it was altered";
  }
}

// An attempt that failed says the more about an object the further it came.
int progress(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return 0;
    case ErrorCode::kMalformed:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

LocalKeyAccess::LocalKeyAccess() : state_(std::make_unique<State>()) {}
LocalKeyAccess::LocalKeyAccess(LocalKeyAccess&&) noexcept = default;
LocalKeyAccess& LocalKeyAccess::operator=(LocalKeyAccess&&) noexcept = default;
LocalKeyAccess::~LocalKeyAccess() = default;

Status LocalKeyAccess::add(ByteView private_key, std::string kid) {
  MR_TRY(PrivateKey key, PrivateKey::parse(private_key));
  state_->keys.push_back({std::move(key), std::move(kid)});
  return Ok{};
}

std::vector<KeyAccess::Share> LocalKeyAccess::unwrap(std::string_view policy,
                                                     std::span<const KeyAccessObject> objects) const {
  std::vector<Share> shares(objects.size());
  std::set<std::string_view> done;  // sids whose share is known
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const KeyAccessObject& object = objects[i];
    Share& share = shares[i];
    if (done.contains(object.sid)) {
      share.error = {ErrorCode::kInvalidArgument, kNotNeeded};
      continue;
    }
    share.error = {ErrorCode::kInvalidArgument, "no private key"};
    // First the keys that have the object's kid, then all others.
    for (const bool with_kid : {true, false}) {
      for (const State::Entry& entry : state_->keys) {
        if (share.bytes || with_kid != (!entry.kid.empty() && entry.kid == object.kid)) continue;
        Result<SecretBytes> bytes = unwrap_share(entry.key, object);
        if (bytes) {
          share.bytes = *std::move(bytes);
        } else if (progress(bytes.error()) >= progress(share.error)) {
          share.error = bytes.error();
        }
      }
    }
    if (!share.bytes) {
      share.explanation = explain(object, share.error);
    } else if (check_policy_binding(object, share.bytes->reveal(), policy)) {
      done.insert(object.sid);
    }
  }
  return shares;
}

}  // namespace millrace::tdf
