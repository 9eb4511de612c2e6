// Writing: every driver, read back by the Reader and taken apart by the rules with OpenSSL.
//
// Of the traps, T10 is with the keys (key_split_test.cc), and T13 is the command's: what happens to a file that was
// begun.
#include <gtest/gtest.h>

#include <set>

#include "base/copy.h"
#include "base/endian.h"
#include "stream/slab.h"
#include "tdf/key_split.h"
#include "testing/tdf_files.h"
#include "testing/tdf_readers.h"
#include "zip/zip_reader.h"

namespace millrace::tdf {
namespace {

using namespace millrace::testing;

const std::string kPolicy =
    R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[],"dissem":[]}})";

KasTarget target(const std::string& key = "keys/sample-ec-secp256r1-01-public.pem", std::string kid = "e1") {
  return {std::string("https://kas.example.com/") + kid, kid, *KasPublicKey::parse(vector_bytes(key))};
}
const LocalKeyAccess& access() {
  static const LocalKeyAccess keys = [] {
    LocalKeyAccess made = access_with("keys/sample-ec-secp256r1-01-private.der");
    MR_CHECK(made.add(vector_bytes("keys/sample-rsa-2048-01-private.der"), "r1").has_value());
    return made;
  }();
  return keys;
}

struct Form {
  SpecVersion version = SpecVersion::k430;
  SegmentHash hash = SegmentHash::kGmac;
  std::string text() const { return std::string(to_text(version)) + " " + std::string(to_text(hash)); }
};
constexpr Form kForms[] = {{SpecVersion::k430, SegmentHash::kGmac},
                           {SpecVersion::k430, SegmentHash::kHs256},
                           {SpecVersion::k422, SegmentHash::kGmac}};

WriterOptions options_for(const Form& form, std::uint64_t segment_size) {
  WriterOptions options;
  options.targets.push_back(target());
  options.version = form.version;
  options.segment_hash = form.hash;
  options.segment_size = segment_size;
  options.portable = segment_size >= kMinSegmentSize && segment_size <= kMaxPortableSegmentSize;
  return options;
}

Assertion an_assertion(std::string id) {
  Assertion assertion;
  assertion.id = std::move(id);
  assertion.type = "handling";
  assertion.scope = "tdo";
  assertion.applies_to_state = "unencrypted";
  assertion.statement = {"json+structured", "urn:example:schema:1", R"({"level":"secret"})", false};
  return assertion;
}

// TdfWritten is what one way to write a file made.
struct TdfWritten {
  std::string way;
  Bytes file;
  Info info;
};

// write_every_way seals `plain` with every driver. Lengths are known where they can be; `unknown` says that they are
// not.
std::vector<TdfWritten> write_every_way(const Writer& writer, ByteView plain, bool unknown) {
  std::vector<TdfWritten> all;
  const std::optional<std::uint64_t> announced = unknown ? std::nullopt : std::optional<std::uint64_t>(plain.size());
  for (const unsigned threads : {1u, 3u}) {
    for (const std::size_t step : {std::size_t{13}, kUnlimited}) {
      TestSource in(plain, {step == kUnlimited, step == 13 ? std::size_t{29} : kUnlimited, !unknown, {}});
      const auto source = *writer.source(in, threads);
      EXPECT_EQ(source->remaining().has_value(), !unknown);
      const Outcome outcome = drain(*source, step);
      EXPECT_FALSE(outcome.error) << describe(outcome.error.value_or(Error{}));
      EXPECT_TRUE(outcome.sticky);
      all.push_back({std::string("source, threads ") + std::to_string(threads) + ", step " + std::to_string(step),
                     outcome.bytes, source->info()});
    }
  }
  for (const bool by_scratch : {false, true}) {
    for (const std::size_t step : {std::size_t{11}, kUnlimited}) {
      TestSink out;
      const auto sink = *writer.sink(out, announced);
      const Outcome outcome = push(*sink, plain, step, by_scratch);
      EXPECT_FALSE(outcome.error) << describe(outcome.error.value_or(Error{}));
      EXPECT_EQ(out.finishes(), 0u);  // it stays open
      all.push_back({std::string("sink, ") + (by_scratch ? "scratch" : "write") + ", step " + std::to_string(step),
                     out.bytes(), sink->info()});
    }
  }
  if (unknown) return all;
  for (const unsigned threads : {1u, 3u}) {
    const MemoryReadAt in(plain);
    const TestWriteAt out(static_cast<std::size_t>(*writer.file_size(plain.size())));
    const Result<Info> info = writer.write_at(in, out, threads);
    EXPECT_TRUE(info);
    EXPECT_EQ(out.written(), out.bytes().size());
    all.push_back({std::string("write_at, threads ") + std::to_string(threads), out.bytes(), *info});
  }
  return all;
}

// expect_follows_the_rules takes a file apart with OpenSSL and JSON alone; only the key comes from the library.
void expect_follows_the_rules(const Bytes& file, const Form& form, std::size_t segment_size, const Bytes& plain,
                              const std::string& what) {
  const MemoryReadAt in(file);
  const auto archive = zip::ZipReader::open(in);
  ASSERT_TRUE(archive) << what;
  ASSERT_EQ(archive->entries().size(), 2u);
  const zip::ZipEntry& payload = archive->entries()[0];
  const zip::ZipEntry& entry = archive->entries()[1];
  ASSERT_EQ(payload.name, "0.payload");
  ASSERT_EQ(entry.name, "0.manifest.json");
  const Bytes sealed = to_bytes(slice(file, payload.data_offset, payload.stored_size));
  const ByteView json_bytes = slice(file, entry.data_offset, entry.stored_size);
  ASSERT_EQ(payload.crc, Crc32::of(sealed).value()) << what;
  ASSERT_EQ(entry.crc, Crc32::of(json_bytes).value()) << what;

  nlohmann::json manifest = nlohmann::json::parse(as_text(json_bytes));
  const bool legacy = form.version == SpecVersion::k422;
  ASSERT_EQ(manifest.value("schemaVersion", ""), legacy ? "" : "4.3.0");
  const auto parsed = parse_manifest(json_bytes);
  ASSERT_TRUE(parsed) << what;
  const RecoveredKey key = *recover_key(*parsed, access(), nullptr);
  const nlohmann::json& integrity = manifest.at("encryptionInformation").at("integrityInformation");
  ASSERT_EQ(integrity.at("segmentHashAlg").get<std::string>(), to_text(form.hash));
  ASSERT_EQ(integrity.at("segmentSizeDefault").get<std::size_t>(), segment_size);
  ASSERT_EQ(integrity.at("encryptedSegmentSizeDefault").get<std::size_t>(), segment_size + 28);
  const nlohmann::json& table = integrity.at("segments");
  ASSERT_EQ(table.size(), plain.empty() ? 1 : (plain.size() + segment_size - 1) / segment_size) << what;
  const auto encoded = [&](ByteView hash) {
    return legacy ? base64_encode(as_bytes(hex_encode(hash))) : base64_encode(hash);
  };
  Bytes aggregate;
  std::size_t at = 0;
  std::size_t sealed_at = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t size = std::min(segment_size, plain.size() - at);
    const ByteView segment = slice(sealed, sealed_at, size + 28);
    ASSERT_TRUE(equal(segment, oracle_segment(key.key.reveal(), segment.first(12), slice(plain, at, size)))) << what;
    const Bytes hash =
        form.hash == SegmentHash::kHs256 ? oracle_hmac(key.key.reveal(), segment) : to_bytes(segment.last(16));
    ASSERT_EQ(table[i].at("hash").get<std::string>(), encoded(hash));
    ASSERT_EQ(table[i].at("segmentSize").get<std::size_t>(), size);
    ASSERT_EQ(table[i].at("encryptedSegmentSize").get<std::size_t>(), size + 28);
    append(aggregate, legacy ? as_bytes(hex_encode(hash)) : ByteView(hash));
    at += size;
    sealed_at += size + 28;
  }
  ASSERT_EQ(at, plain.size());
  ASSERT_EQ(sealed_at, sealed.size());
  ASSERT_EQ(integrity.at("rootSignature").at("alg"), "HS256");
  ASSERT_EQ(integrity.at("rootSignature").at("sig").get<std::string>(),
            encoded(oracle_hmac(key.key.reveal(), aggregate)))
      << what;
}

TEST(TdfWriter, EveryDriverWritesWhatTheRulesSayAndTheReaderReads) {
  for (const Form& form : kForms) {
    // Many segments in a batch, and segments that are sealed by pieces.
    for (const std::size_t segment_size : {std::size_t{40}, std::size_t{300000}}) {
      const Writer writer = *Writer::create(options_for(form, segment_size));
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, segment_size - 1, segment_size, segment_size + 1,
                                     3 * segment_size, 3 * segment_size + 7}) {
        if (segment_size > 40 && size % segment_size > 1) continue;
        const Bytes plain = noise_bytes(size, 3);
        for (const bool unknown : {false, true}) {
          if (unknown && size == segment_size - 1) continue;
          for (const TdfWritten& written : write_every_way(writer, plain, unknown)) {
            const std::string what = form.text() + ", " + std::to_string(size) + " in " + std::to_string(segment_size) +
                                     ", " + written.way + (unknown ? ", unknown" : "");
            ASSERT_NO_FATAL_FAILURE(expect_follows_the_rules(written.file, form, segment_size, plain, what));
            EXPECT_EQ(written.info.plain_size, size) << what;
            EXPECT_EQ(written.info.file_size, written.file.size()) << what;
            EXPECT_EQ(written.info.segment_size, segment_size) << what;
            EXPECT_EQ(written.info.segments, size == 0 ? 1 : (size + segment_size - 1) / segment_size) << what;
            const MemoryReadAt in(written.file);
            const Inspection found = *inspect(in);
            EXPECT_EQ(written.info.manifest_size, found.manifest_json.size()) << what;
            EXPECT_EQ(found.zip64, unknown) << what;
            if (!unknown) {
              EXPECT_EQ(*writer.file_size(size), written.file.size()) << what;
            }
          }
          const TdfWritten one = write_every_way(writer, plain, unknown).front();
          ASSERT_NO_FATAL_FAILURE(expect_reads(one.file, access(), plain, form.text()));
        }
      }
    }
  }
}

TEST(TdfWriter, FileSizeIsExactWhateverIsInTheManifest) {
  for (const Form& form : kForms) {
    WriterOptions options = options_for(form, 10);
    options.targets.push_back(target("keys/sample-rsa-2048-01-public.pem", "r1"));
    options.metadata = "some metadata";
    options.mime_type = "text/plain; charset=\"utf-8\"";
    options.policy.attributes.push_back({"https://example.com/attr/level/value/secret", "Level", false, "", ""});
    options.assertions.push_back({an_assertion("by the file's key"), {}});
    options.assertions.push_back({an_assertion("by a secret"), *AssertionKey::hs256(as_bytes("a secret"))});
    options.assertions.push_back(
        {an_assertion("by RSA"), *AssertionKey::rs256_private(vector_bytes("keys/sample-rsa-2048-01-private.der"))});
    const Writer writer = *Writer::create(std::move(options));
    for (const std::size_t size : {0u, 1u, 9u, 10u, 11u, 19u, 20u, 21u, 31u, 41u, 51u, 61u, 99u, 100u, 101u, 999u}) {
      const Bytes plain = noise_bytes(size);
      MemorySource in(plain);
      const auto source = *writer.source(in);
      EXPECT_EQ(source->remaining(), *writer.file_size(size));
      MemorySink out;
      ASSERT_EQ(*pump(*source, out), *writer.file_size(size));
      EXPECT_EQ(source->remaining(), 0u);
      AssertionKeys keys;
      keys.by_id.emplace("by a secret", *AssertionKey::hs256(as_bytes("a secret")));
      keys.by_id.emplace("by RSA", *AssertionKey::rs256_public(vector_bytes("keys/sample-rsa-2048-01-public.pem")));
      ReaderOptions reading;
      reading.assertion_keys = &keys;
      const MemoryReadAt file(out.bytes());
      const Result<Reader> reader = Reader::open(file, access(), reading);
      ASSERT_TRUE(reader) << size << " " << describe(reader.error());
      EXPECT_EQ(reader->metadata(), "some metadata");
      EXPECT_EQ(policy_of(reader->manifest())->attributes.at(0).fqn, "https://example.com/attr/level/value/secret");
      EXPECT_EQ(reader->manifest().mime_type, "text/plain; charset=\"utf-8\"");
      EXPECT_TRUE(reader->verify(1));
      EXPECT_FALSE(Reader::open(file, access()));  // those two keys are needed
      reading.verify_assertions = false;
      EXPECT_TRUE(Reader::open(file, access(), reading));
    }
  }
}

TEST(TdfWriter, AlteredAssertionIsTampering) {
  WriterOptions options = options_for({}, 40);
  options.assertions.push_back({an_assertion("one"), {}});
  const Writer writer = *Writer::create(std::move(options));
  MemorySource in(as_bytes("hello"));
  MemorySink out;
  ASSERT_TRUE(pump(**writer.source(in), out));
  const MemoryReadAt file(out.bytes());
  const Inspection found = *inspect(file);
  ZipPart payload{"0.payload", to_bytes(out.bytes().subspan(found.payload_offset, found.payload_size))};
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string json = found.manifest_json;
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos);
    json.replace(at, from.size(), to);
    return zip_archive({payload, {"0.manifest.json", text_bytes(json)}});
  };
  const Bytes plain = text_bytes("hello");
  expect_reads(with("secret", "secret"), access(), plain, "unchanged");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"secret", "public"},
                                                        {"\"handling\"", "\"other\""},
                                                        {"\"tdo\"", "\"payload\""},
                                                        {"\"signature\":\"eyJ", "\"signature\":\"eyK"}}) {
    const Bytes changed = with(from, to);
    const Error error = expect_refused(changed, access(), ErrorCode::kNotAuthentic, plain, to);
    EXPECT_NE(error.where.find("assertion"), std::string_view::npos);
    ReaderOptions trusting;
    trusting.verify_assertions = false;
    expect_reads(changed, access(), plain, to, trusting);
  }
}

TEST(TdfWriter, EachFileHasItsOwnKeyAndPolicyId) {
  const Writer writer = *Writer::create(options_for({}, 40));
  std::set<std::string> policies;
  std::set<std::string> payloads;
  for (int i = 0; i < 8; ++i) {
    MemorySource in(as_bytes("the same plaintext"));
    MemorySink out;
    ASSERT_TRUE(pump(**writer.source(in), out));
    const MemoryReadAt file(out.bytes());
    const Inspection found = *inspect(file);
    policies.insert(found.manifest.policy);
    payloads.insert(std::string(as_text(out.bytes().subspan(found.payload_offset + 12, 18))));
  }
  EXPECT_EQ(policies.size(), 8u);
  EXPECT_EQ(payloads.size(), 8u);
}

TEST(TdfWriter, SplitsAndAlternatives) {
  const Bytes plain = noise_bytes(100);
  for (const Split split : {Split::kAll, Split::kAny}) {
    WriterOptions options = options_for({}, 40);
    options.targets.push_back(target("keys/sample-rsa-2048-01-public.pem", "r1"));
    options.split = split;
    const Writer writer = *Writer::create(std::move(options));
    MemorySource in(plain);
    MemorySink out;
    ASSERT_TRUE(pump(**writer.source(in), out));
    expect_reads(out.bytes(), access(), plain, "both keys");
    const LocalKeyAccess one = access_with("keys/sample-ec-secp256r1-01-private.der");
    const MemoryReadAt file(out.bytes());
    EXPECT_EQ(Reader::open(file, one).has_value(), split == Split::kAny);
  }
}

TEST(TdfWriter, t02_SegmentsGrowSoThatTheManifestStaysReadable) {
  WriterOptions options = options_for({}, kMinSegmentSize);
  options.max_manifest_size = 12000;  // about 110 segments
  const Writer writer = *Writer::create(std::move(options));
  std::uint64_t before = 0;
  for (const std::uint64_t mib : {1u, 2u, 4u, 16u, 100u, 300u, 400u}) {
    const std::uint64_t size = mib << 20;
    ASSERT_TRUE(writer.file_size(size)) << mib;
    EXPECT_GT(*writer.file_size(size), size + before);
  }
  // Exactly at the limit, the real thing.
  for (const std::uint64_t size : {std::uint64_t{1} << 20, std::uint64_t{5} << 20}) {
    const Bytes plain = noise_bytes(static_cast<std::size_t>(size));
    const MemoryReadAt in(plain);
    const TestWriteAt out(static_cast<std::size_t>(*writer.file_size(size)));
    const Info info = *writer.write_at(in, out, 2);
    EXPECT_LE(info.manifest_size, 12000u);
    EXPECT_EQ(info.segment_size, size == std::uint64_t{1} << 20 ? kMinSegmentSize : 4 * kMinSegmentSize);
    EXPECT_EQ(info.file_size, out.bytes().size());
    const MemoryReadAt file(out.bytes());
    EXPECT_TRUE(Reader::open(file, access())->verify(2));
  }
  // 110 segments of 4 MiB are not enough; the error names what would be.
  const Result<std::uint64_t> too_large = writer.file_size(std::uint64_t{600} << 20);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(too_large.error().detail, 8190);
}

TEST(TdfWriter, t02_UnknownLengthStopsBeforeAnUnreadableFileIsMade) {
  WriterOptions options = options_for({}, 100);
  options.max_manifest_size = 5000;
  const Writer writer = *Writer::create(std::move(options));
  // How many fit is known from the known lengths, which would otherwise take larger segments.
  std::size_t fit = 0;
  while (true) {
    TestSink out;
    const auto sink = *writer.sink(out);
    if (!sink->write(noise_bytes(100 * (fit + 1))) || !sink->finish()) break;
    ++fit;
    EXPECT_LE(sink->info().manifest_size, 5000u);
  }
  EXPECT_GT(fit, 20u);
  EXPECT_GT(5000u / fit, 80u);
  const Bytes plain = noise_bytes(100 * (fit + 1));
  for (const unsigned threads : {1u, 3u}) {
    TestSource in(plain, {});
    const Outcome outcome = drain(**writer.source(in, threads), 1000);
    ASSERT_TRUE(outcome.error);
    EXPECT_TRUE(outcome.sticky);
    EXPECT_EQ(outcome.error->code, ErrorCode::kLimitExceeded);
    EXPECT_NE(outcome.error->where.find("manifest size"), std::string_view::npos);
    EXPECT_EQ(outcome.error->detail, 2);  // KiB, which would have done
    EXPECT_LE(outcome.bytes.size(), 100 + fit * 128);
  }
  TestSink out;
  const auto sink = *writer.sink(out);
  const Outcome outcome = push(*sink, plain, 100, false);
  ASSERT_TRUE(outcome.error);
  EXPECT_TRUE(outcome.sticky);
  EXPECT_EQ(outcome.error->code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(sink->info().file_size, 0u);
}

TEST(TdfWriter, t02_UnknownLengthStopsWhenSealedByPiecesToo) {
  WriterOptions options = options_for({}, 300000);
  options.max_manifest_size = 5000;
  const Writer writer = *Writer::create(std::move(options));
  const Bytes plain = noise_bytes(20000000);
  TestSource in(plain, {});
  const Outcome pulled = drain(**writer.source(in), std::size_t{1} << 20);
  TestSink out;
  const auto sink = *writer.sink(out);
  const Outcome pushed = push(*sink, plain, 1000000, false);
  for (const Outcome& outcome : {pulled, pushed}) {
    ASSERT_TRUE(outcome.error);
    EXPECT_TRUE(outcome.sticky);
    EXPECT_EQ(outcome.error->code, ErrorCode::kLimitExceeded);
    EXPECT_EQ(outcome.error->detail, 586);  // twice 293 KiB, the first that holds 300000 bytes
  }
  // Neither gave out a byte of the segment that has no place.
  EXPECT_EQ((pulled.bytes.size() - 59) % 300028, 0u);
  EXPECT_EQ((out.bytes().size() - 59) % 300028, 0u);
}

TEST(TdfWriter, t03_FilesAbove64GiB) {
  const Writer writer = *Writer::create(options_for({}, kMaxPortableSegmentSize));
  const std::uint64_t size = std::uint64_t{300} << 30;
  EXPECT_GT(*writer.file_size(size), size);
  // 10 MiB of manifest end below half a TiB with segments that all SDKs read; with a larger limit it goes on.
  EXPECT_EQ(writer.file_size(std::uint64_t{1} << 40).error().code, ErrorCode::kLimitExceeded);
  WriterOptions options = options_for({}, kMaxPortableSegmentSize);
  options.max_manifest_size = std::uint64_t{1} << 30;
  EXPECT_GT(*Writer::create(std::move(options))->file_size(std::uint64_t{1} << 40), std::uint64_t{1} << 40);
}

// Readers with signed 32-bit numbers: ZIP64 from a payload of 2^31 - 1 bytes on, and for every unknown length.
TEST(TdfWriter, z01_LengthDecidesBetweenZipAndZip64) {
  const Writer writer = *Writer::create(options_for({}, kDefaultSegmentSize));
  const auto local_size = [&](std::optional<std::uint64_t> plain_size) {
    TestSink out;
    const auto sink = *writer.sink(out, plain_size);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(sink->write(noise_bytes(1 << 20)));
    return load_le<std::uint32_t>(slice(out.bytes(), 18, 4));
  };
  EXPECT_EQ(local_size(2147454974), 0u);
  EXPECT_EQ(local_size(2147454975), 0xffffffffu);  // 0x7fffffff bytes of segments
  EXPECT_EQ(local_size(std::nullopt), 0xffffffffu);
  // A byte of plaintext, 20 bytes in the local header, 8 in the descriptor, 28 in the directory. That is in ZIP64 in
  // both files, as the manifest lies behind 2^31 - 1 bytes.
  EXPECT_EQ(*writer.file_size(2147454975) - *writer.file_size(2147454974), 1u + 20 + 8 + 28);
}

TEST(TdfWriter, AnnouncedLengthMustBeKept) {
  const Writer writer = *Writer::create(options_for({}, 40));
  for (const std::size_t written : {0u, 99u, 101u, 200u}) {
    TestSink out;
    const auto sink = *writer.sink(out, 100);
    const Outcome outcome = push(*sink, noise_bytes(written), 10, false);
    ASSERT_TRUE(outcome.error) << written;
    EXPECT_TRUE(outcome.sticky) << written;
    EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(sink->info().file_size, 0u);
  }
}

TEST(TdfWriter, g4_ErrorsOfBothEndsAreTheLastWord) {
  const Writer writer = *Writer::create(options_for({}, 40));
  const Bytes plain = noise_bytes(300);
  for (const std::size_t fail_at : {0u, 1u, 39u, 40u, 41u, 200u, 299u}) {
    for (const unsigned threads : {1u, 3u}) {
      for (const bool knows : {false, true}) {
        TestSource in(plain, {false, kUnlimited, knows, fail_at});
        const auto source = *writer.source(in, threads);
        const Outcome outcome = drain(*source, 64);
        ASSERT_TRUE(outcome.error);
        EXPECT_EQ(outcome.error->code, ErrorCode::kIo);
        EXPECT_TRUE(outcome.sticky);
        EXPECT_EQ(source->info().file_size, 0u);
      }
    }
    const TestReadAt in(plain, fail_at);
    const TestWriteAt out(static_cast<std::size_t>(*writer.file_size(plain.size())));
    EXPECT_EQ(writer.write_at(in, out, 2).error().code, ErrorCode::kIo);
  }
  std::size_t writes = 0;
  for (bool whole = false; !whole; ++writes) {
    TestSink out({4096, writes});
    const auto sink = *writer.sink(out);
    const Outcome outcome = push(*sink, plain, 100, false);
    whole = !outcome.error;
    EXPECT_TRUE(outcome.sticky) << writes;
    EXPECT_EQ(out.written_after_error(), false) << writes;
    EXPECT_EQ(sink->info().file_size != 0, whole) << writes;
    ASSERT_LT(writes, 100u);
  }
  EXPECT_GT(writes, 3u);
  const std::uint64_t size = *writer.file_size(plain.size());
  for (const std::uint64_t fail_at : {std::uint64_t{0}, std::uint64_t{60}, size - 500, size - 1}) {
    const MemoryReadAt in(plain);
    const TestWriteAt out(static_cast<std::size_t>(size), fail_at);
    EXPECT_EQ(writer.write_at(in, out, 2).error().detail, ENOSPC) << fail_at;
  }
}

TEST(TdfWriter, OptionsThatCannotBe) {
  const auto refused = [](auto change) {
    WriterOptions options = options_for({}, kDefaultSegmentSize);
    change(options);
    const Result<Writer> writer = Writer::create(std::move(options));
    EXPECT_FALSE(writer);
    return writer ? Error{} : writer.error();
  };
  using O = WriterOptions;
  EXPECT_TRUE(Writer::create(options_for({}, kDefaultSegmentSize)));
  std::vector<Error> errors;
  errors.push_back(refused([](O& o) { o.targets.clear(); }));
  errors.push_back(refused([](O& o) { o.targets[0].url = "kas.example.com"; }));
  errors.push_back(refused([](O& o) {
    o.segment_hash = SegmentHash::kHs256;
    o.version = SpecVersion::k422;
  }));
  for (const std::uint64_t size :
       {std::uint64_t{0}, kMinSegmentSize - 1, kMaxPortableSegmentSize + 1, ~std::uint64_t{0}})
    errors.push_back(refused([&](O& o) { o.segment_size = size; }));
  for (const std::uint64_t size : {std::uint64_t{0}, (std::uint64_t{1} << 30) + 1, ~std::uint64_t{0}}) {
    errors.push_back(refused([&](O& o) {
      o.portable = false;
      o.segment_size = size;
    }));
  }
  errors.push_back(refused([](O& o) { o.policy.attributes.push_back({"secret", "", false, "", ""}); }));
  errors.push_back(refused([](O& o) { o.policy.uuid = "not one"; }));
  for (const std::string& json :
       {std::string("{"), std::string("[]"), kPolicy + "x", std::string(R"({"uuid":"no","body":{}})"),
        std::string(R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dissem":["\xc3\xa9"]}})"),
        std::string(
            R"({"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[{"attribute":"x"}]}})")})
    errors.push_back(refused([&](O& o) { o.policy_json = json; }));
  for (const std::string& type :
       {std::string(), std::string("text/plain\n"), std::string("text/\xc3\xa9"), std::string(256, 'x')})
    errors.push_back(refused([&](O& o) { o.mime_type = type; }));
  errors.push_back(refused([](O& o) {
    o.assertions.push_back({an_assertion("one"), {}});
    o.assertions.push_back({an_assertion("one"), {}});
  }));
  errors.push_back(refused([](O& o) { o.assertions.push_back({an_assertion(""), {}}); }));
  for (const Error& error : errors) EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << describe(error);
  EXPECT_EQ(refused([](O& o) { o.max_manifest_size = 100; }).code, ErrorCode::kLimitExceeded);
}

TEST(TdfWriter, PolicyTextIsUsedAsItIs) {
  WriterOptions options = options_for({}, 40);
  options.policy_json = kPolicy;
  const Writer writer = *Writer::create(std::move(options));
  MemorySource in(as_bytes("x"));
  MemorySink out;
  ASSERT_TRUE(pump(**writer.source(in), out));
  const MemoryReadAt file(out.bytes());
  EXPECT_EQ(inspect(file)->manifest.policy, base64_encode(as_bytes(kPolicy)));
}

TEST(TdfCopies, MemoryToMemoryAndByPositionCopyNothing) {
  const Bytes plain = noise_bytes(3000000);
  for (const std::uint64_t segment_size : {std::uint64_t{65536}, std::uint64_t{1} << 20}) {
    const Writer writer = *Writer::create(options_for({}, segment_size));
    const TestReadAt in(plain);
    const std::size_t size = static_cast<std::size_t>(*writer.file_size(plain.size()));
    const TestWriteAt out(size);
    const TestWriteAt back(plain.size());
    std::uint64_t before = copied_bytes;
    ASSERT_TRUE(writer.write_at(in, out, 2));
    EXPECT_LT(copied_bytes - before, 2000u);  // keys, not payload
    const TestReadAt file(out.bytes());
    const Reader reader = *Reader::open(file, access());
    before = copied_bytes;
    ASSERT_TRUE(reader.decrypt_at(back, 2));
    EXPECT_EQ(copied_bytes - before, 0u);
    EXPECT_EQ(back.bytes(), plain);

    MemorySink sink(size);
    before = copied_bytes;
    MemorySource source(plain);
    ASSERT_TRUE(pump(**writer.source(source), sink));
    EXPECT_LT(copied_bytes - before, 20000u);  // the header and the tail
    EXPECT_EQ(sink.bytes().size(), size);

    // From a file that is read into what the sink lends to a file that is written from there.
    TestSource from(plain, {});
    TestSink to({std::size_t{2} << 20, {}});
    const auto sealing = *writer.sink(to);
    before = copied_bytes;
    ASSERT_TRUE(pump(from, *sealing));
    ASSERT_TRUE(sealing->finish());
    // In batches, the buffer of the first segment grows by copies; by pieces there is none.
    const std::uint64_t growth = segment_size > kStreamBuffer ? 0 : 2 * segment_size;
    EXPECT_LT(copied_bytes - before, growth + 20000u);
  }
}

}  // namespace
}  // namespace millrace::tdf
