#include "crypto/aes_gcm.h"
#include "crypto/testing.h"

namespace millrace {
namespace {

using testing::Bytes;
using testing::from_hex;

TEST(AesGcmWycheproof, EveryKernelAgrees) {
  const nlohmann::json file = testing::wycheproof("aes_gcm_test.json");
  for (const std::string_view kernel : aes_gcm_kernel_names()) {
    std::size_t valid = 0;
    std::size_t invalid = 0;
    std::size_t refused_keys = 0;
    std::size_t other_nonces = 0;  // not a parameter of AesGcm: the nonce has 12 bytes, checked by MR_CHECK
    for (const auto& group : file["testGroups"]) {
      ASSERT_EQ(group["tagSize"], 128);
      for (const auto& test : group["tests"]) {
        SCOPED_TRACE(test["tcId"].dump() + " with " + std::string(kernel));
        const auto part = [&](const char* name) { return from_hex(test[name].get<std::string>()); };
        const Result<AesGcm> gcm = AesGcm::create_with(kernel, part("key"));
        if (group["keySize"] == 192) {
          ASSERT_FALSE(gcm);
          ++refused_keys;
          continue;
        }
        ASSERT_TRUE(gcm);
        if (group["ivSize"] != 96) {
          ++other_nonces;
          continue;
        }
        const Bytes message = part("msg");
        Bytes sealed = part("ct");
        const Bytes tag = part("tag");
        sealed.insert(sealed.end(), tag.begin(), tag.end());
        Bytes opened(message.size(), std::byte{0x55});
        const Status status = gcm->open(part("iv"), part("aad"), sealed, opened);
        if (test["result"] == "valid") {
          ++valid;
          ASSERT_TRUE(status);
          EXPECT_EQ(opened, message);
          Bytes out(message.size() + kGcmTagSize);
          ASSERT_TRUE(gcm->seal(part("iv"), part("aad"), message, out));
          EXPECT_EQ(out, sealed);
        } else {
          ++invalid;
          ASSERT_EQ(test["result"], "invalid");
          ASSERT_FALSE(status);
          EXPECT_EQ(status.error().code, ErrorCode::kNotAuthentic);
          EXPECT_TRUE(testing::all_zero(opened));
        }
      }
    }
    EXPECT_EQ(valid, 79u);
    EXPECT_EQ(invalid, 54u);
    EXPECT_EQ(refused_keys + other_nonces, 316u - 79 - 54);
  }
}

}  // namespace
}  // namespace millrace
