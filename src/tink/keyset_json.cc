// Reading: nlohmann's parser walks the text (masked, see keyset_masked_text.h) and calls a JsonReader, which knows for
// each place of the document which members may stand there. Members it does not know are skipped with all they hold.
// Nothing is kept of the document besides the fields of the model. Writing: tink-java's member order, no blanks, one
// newline at the end.
#include "tink/keyset_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tink/keyset_masked_text.h"

namespace millrace::tink {

namespace {

// Place is a container of the document, Field what a member of it is.
enum class Place : std::uint8_t {
  kKeyset,     // the whole document, read as a cleartext keyset
  kEncrypted,  // the whole document, read for encryptedKeyset
  kInfoOnly,   // the whole document, read for keysetInfo
  kKeyList,
  kKey,
  kKeyData,
  kInfo,
  kInfoList,
  kInfoKey,
  kIgnored,  // inside a member that is not known
};
enum class Field : std::uint8_t {
  kDocument,
  kElement,  // of kKeyList or kInfoList
  kUnknown,
  kPrimaryId,
  kKeys,
  kKeyData,
  kStatus,
  kKeyId,
  kPrefix,
  kTypeUrl,
  kValue,
  kMaterial,
  kEncrypted,
  kForbidden,  // a member that makes the document another thing
  kInfo,
  kInfoKeys,
};

struct Member {
  Place place;
  Field field;
  std::string_view camel, snake;  // protobuf readers take both; writers use the first
  std::string_view where;
};

constexpr Member kMembers[] = {
    {Place::kKeyset, Field::kPrimaryId, "primaryKeyId", "primary_key_id", "keyset: primaryKeyId"},
    {Place::kKeyset, Field::kKeys, "key", "key", "keyset: key"},
    {Place::kKeyset, Field::kForbidden, "encryptedKeyset", "encrypted_keyset",
     "keyset: encryptedKeyset: needs its key-encryption key"},
    {Place::kKey, Field::kKeyData, "keyData", "key_data", "keyset: key.keyData"},
    {Place::kKey, Field::kStatus, "status", "status", "keyset: key.status"},
    {Place::kKey, Field::kKeyId, "keyId", "key_id", "keyset: key.keyId"},
    {Place::kKey, Field::kPrefix, "outputPrefixType", "output_prefix_type", "keyset: key.outputPrefixType"},
    {Place::kKeyData, Field::kTypeUrl, "typeUrl", "type_url", "keyset: key.keyData.typeUrl"},
    {Place::kKeyData, Field::kValue, "value", "value", "keyset: key.keyData.value: base64"},
    {Place::kKeyData, Field::kMaterial, "keyMaterialType", "key_material_type", "keyset: key.keyData.keyMaterialType"},
    {Place::kEncrypted, Field::kEncrypted, "encryptedKeyset", "encrypted_keyset",
     "encrypted keyset: encryptedKeyset: base64"},
    {Place::kEncrypted, Field::kForbidden, "key", "key", "encrypted keyset: key: not sealed"},
    {Place::kInfoOnly, Field::kInfo, "keysetInfo", "keyset_info", "encrypted keyset: keysetInfo"},
    {Place::kInfo, Field::kPrimaryId, "primaryKeyId", "primary_key_id", "keysetInfo: primaryKeyId"},
    {Place::kInfo, Field::kInfoKeys, "keyInfo", "key_info", "keysetInfo: keyInfo"},
    {Place::kInfoKey, Field::kTypeUrl, "typeUrl", "type_url", "keysetInfo: keyInfo.typeUrl"},
    {Place::kInfoKey, Field::kStatus, "status", "status", "keysetInfo: keyInfo.status"},
    {Place::kInfoKey, Field::kKeyId, "keyId", "key_id", "keysetInfo: keyInfo.keyId"},
    {Place::kInfoKey, Field::kPrefix, "outputPrefixType", "output_prefix_type", "keysetInfo: keyInfo.outputPrefixType"},
};

// parse_id reads the decimal text of a uint32: digits only, no leading zero.
std::optional<std::uint32_t> parse_id(std::string_view text) {
  if (text.empty() || text.size() > 10 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// decode_base64 takes either alphabet, but one per text, with or without padding; the decoder checks the rest.
Result<SecretBytes> decode_base64(std::string_view text) {
  Base64Options options{Base64Alphabet::kStandard, Base64Padding::kForbidden};
  if (text.find_first_of("-_") != std::string_view::npos) options.alphabet = Base64Alphabet::kUrlSafe;
  if (text.ends_with('=')) {
    if (text.size() % 4 != 0) return Error{ErrorCode::kMalformed, "base64", text.size()};
    text.remove_suffix(text.ends_with("==") ? 2 : 1);
  }
  SecretBytes bytes(base64_decoded_capacity(text.size()));
  MR_TRY(const std::size_t size, base64_decode(text, bytes.fill(), options));
  MR_CHECK(size == bytes.size());  // exact without padding
  return bytes;
}

class JsonReader {
 public:
  JsonReader(std::string_view text, Place document) : masked_(text), document_(document) {}

  Status run() {
    const bool good =
        nlohmann::json::sax_parse(MaskedText::Iterator(masked_), MaskedText::Iterator(), this,
                                  nlohmann::json::input_format_t::json, /*strict=*/true, /*ignore_comments=*/false);
    if (error_) return *error_;
    MR_CHECK(good);
    return Ok{};
  }

  KeysetModel model;  // of kKeyset or kInfo
  bool has_info = false;
  std::optional<SecretBytes> encrypted;

  // The calls of nlohmann's SAX interface; false ends the parse. The strings are masked and therefore not looked at.
  bool null() { return unfit(); }
  bool boolean(bool) { return unfit(); }
  bool number_integer(std::int64_t) { return unfit(); }  // negative, "-0" too
  bool number_unsigned(std::uint64_t number);
  bool number_float(double, const std::string&) { return unfit(); }
  bool string(std::string&);
  bool binary(std::vector<std::uint8_t>&) { return unfit(); }
  bool start_object(std::size_t);
  bool start_array(std::size_t);
  bool key(std::string&);
  bool end_object() { return pop(); }
  bool end_array() { return pop(); }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception&) {
    return fail("keyset: JSON", position == 0 ? 0 : position - 1);
  }

 private:
  struct Frame {
    Place place;
    std::set<std::string, std::less<>> names;  // of the members so far
  };

  Field slot() const;
  bool push(Place place) {
    stack_.push_back({place, {}});
    return true;
  }
  bool pop() {
    stack_.pop_back();
    return true;
  }
  bool push_key(Place place);
  bool take_string(std::string_view text);
  template <std::size_t n>
  bool take_enum(const std::string_view (&names)[n], std::string_view text, std::uint32_t& number);
  bool take_base64(std::string_view text, SecretBytes& bytes);

  // unfit refuses a value that cannot stand where it stands; inside and for an unknown member everything may.
  bool unfit(std::size_t position) { return slot() == Field::kUnknown || fail(where(), position); }
  bool unfit() { return unfit(masked_.position()); }
  bool fail(std::string_view where, std::size_t position, ErrorCode code = ErrorCode::kMalformed);
  std::string_view where() const;

  MaskedText masked_;
  Place document_;
  std::vector<Frame> stack_;
  const Member* member_ = nullptr;  // the one whose value comes next; null for an unknown one
  std::optional<Error> error_;
};

bool JsonReader::fail(std::string_view where, std::size_t position, ErrorCode code) {
  const bool in_key = std::any_of(stack_.begin(), stack_.end(), [](const Frame& frame) {
    return frame.place == Place::kKey || frame.place == Place::kInfoKey;
  });
  error_ = Error{code, where, position, in_key ? static_cast<int>(model.keys.size()) : 0};
  return false;
}

Field JsonReader::slot() const {
  if (stack_.empty()) return Field::kDocument;
  const Place place = stack_.back().place;
  if (place == Place::kKeyList || place == Place::kInfoList) return Field::kElement;
  if (place == Place::kIgnored || member_ == nullptr) return Field::kUnknown;
  return member_->field;
}

std::string_view JsonReader::where() const {
  switch (slot()) {
    case Field::kDocument:
      return "keyset: JSON object";
    case Field::kElement:
      return stack_.back().place == Place::kKeyList ? "keyset: key" : "keysetInfo: keyInfo";
    default:
      return member_->where;  // unknown members are not complained about
  }
}

bool JsonReader::key(std::string&) {
  Frame& frame = stack_.back();
  SecretBytes storage;
  std::string_view name = unescape(masked_.last_string(), storage);
  member_ = nullptr;
  for (const Member& m : kMembers)
    if (m.place == frame.place && (m.camel == name || m.snake == name)) member_ = &m;
  if (member_ != nullptr) name = member_->camel;
  if (!frame.names.emplace(name).second)
    return fail(member_ != nullptr ? member_->where : "keyset: JSON: member twice", masked_.last_string_position());
  if (member_ != nullptr && member_->field == Field::kForbidden)
    return fail(member_->where, masked_.last_string_position());
  return true;
}

bool JsonReader::push_key(Place place) {
  if (model.keys.size() == kMaxKeys)
    return fail("keyset: number of keys", masked_.position(), ErrorCode::kLimitExceeded);
  model.keys.emplace_back();
  return push(place);
}

bool JsonReader::start_object(std::size_t) {
  if (stack_.size() == kMaxJsonDepth)
    return fail("keyset: JSON nesting", masked_.position(), ErrorCode::kLimitExceeded);
  switch (slot()) {
    case Field::kDocument:
      return push(document_);
    case Field::kElement:
      return push_key(stack_.back().place == Place::kKeyList ? Place::kKey : Place::kInfoKey);
    case Field::kKeyData:
      model.keys.back().has_key_data = true;
      return push(Place::kKeyData);
    case Field::kInfo:
      has_info = true;
      return push(Place::kInfo);
    case Field::kUnknown:
      return push(Place::kIgnored);
    default:
      return unfit();
  }
}

bool JsonReader::start_array(std::size_t) {
  if (stack_.size() == kMaxJsonDepth)
    return fail("keyset: JSON nesting", masked_.position(), ErrorCode::kLimitExceeded);
  switch (slot()) {
    case Field::kKeys:
      return push(Place::kKeyList);
    case Field::kInfoKeys:
      return push(Place::kInfoList);
    case Field::kUnknown:
      return push(Place::kIgnored);
    default:
      return unfit();
  }
}

bool JsonReader::number_unsigned(std::uint64_t number) {
  const Field field = slot();
  if (number > std::numeric_limits<std::uint32_t>::max()) return unfit();
  const auto value = static_cast<std::uint32_t>(number);
  switch (field) {
    case Field::kPrimaryId:
      model.primary_id = value;
      return true;
    case Field::kKeyId:
      model.keys.back().id = value;
      return true;
    case Field::kStatus:
      model.keys.back().status = value;
      return value < std::size(kStatusNames) || unfit();
    case Field::kPrefix:
      model.keys.back().prefix = value;
      return value < std::size(kPrefixNames) || unfit();
    case Field::kMaterial:
      model.keys.back().material = value;
      return value < std::size(kMaterialNames) || unfit();
    default:
      return unfit();
  }
}

bool JsonReader::string(std::string&) {
  if (slot() == Field::kUnknown) return true;
  SecretBytes storage;
  return take_string(unescape(masked_.last_string(), storage));
}

bool JsonReader::take_string(std::string_view text) {
  switch (slot()) {
    case Field::kPrimaryId:
    case Field::kKeyId: {
      const std::optional<std::uint32_t> id = parse_id(text);
      if (!id) return unfit(masked_.last_string_position());
      (slot() == Field::kPrimaryId ? model.primary_id : model.keys.back().id) = *id;
      return true;
    }
    case Field::kStatus:
      return take_enum(kStatusNames, text, model.keys.back().status);
    case Field::kPrefix:
      return take_enum(kPrefixNames, text, model.keys.back().prefix);
    case Field::kMaterial:
      return take_enum(kMaterialNames, text, model.keys.back().material);
    case Field::kTypeUrl:
      model.keys.back().type_url = text;
      return true;
    case Field::kValue:
      model.keys.back().data_offset = masked_.last_string_position();
      return take_base64(text, model.keys.back().value);
    case Field::kEncrypted:
      return take_base64(text, encrypted.emplace());
    default:
      return unfit(masked_.last_string_position());
  }
}

template <std::size_t n>
bool JsonReader::take_enum(const std::string_view (&names)[n], std::string_view text, std::uint32_t& number) {
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) return unfit(masked_.last_string_position());
  number = static_cast<std::uint32_t>(found - std::begin(names));
  return true;
}

bool JsonReader::take_base64(std::string_view text, SecretBytes& bytes) {
  Result<SecretBytes> decoded = decode_base64(text);
  // The place is exact unless there are escapes in front of it.
  if (!decoded) return unfit(masked_.last_string_position() + static_cast<std::size_t>(decoded.error().offset));
  bytes = *std::move(decoded);
  return true;
}

Status start(ByteView input) {
  if (input.size() > kMaxKeysetSize) return Error{ErrorCode::kLimitExceeded, "keyset: size of the input"};
  // Also refuses a byte order mark, which the parser would let pass.
  if (!is_json(input)) return Error{ErrorCode::kMalformed, "keyset: JSON object"};
  // The parser takes a zero byte for the end of the text and would not look at what follows.
  if (const std::size_t zero = as_text(input).find('\0'); zero != std::string_view::npos)
    return Error{ErrorCode::kMalformed, "keyset: JSON", zero};
  return Ok{};
}

// The members that Key and KeyInfo have in common.
void write_tail(FormWriter& out, const Key& key) {
  out.text("\"status\":\"");
  out.text(kStatusNames[key.status]);
  out.text("\",\"keyId\":");
  out.decimal(key.id);
  out.text(",\"outputPrefixType\":\"");
  out.text(kPrefixNames[key.prefix]);
  out.text("\"}");
}

// Nothing needs an escape: names are ours, numbers and base64 plain, and check() refuses other type URLs.
void write_key(FormWriter& out, const Key& key) {
  out.text("{");
  if (key.has_key_data) {
    out.text("\"keyData\":{\"typeUrl\":\"");
    out.text(key.type_url);
    out.text("\",\"value\":\"");
    out.base64(key.value.reveal());
    out.text("\",\"keyMaterialType\":\"");
    out.text(kMaterialNames[key.material]);
    out.text("\"},");
  }
  write_tail(out, key);
}

void write_key_info(FormWriter& out, const Key& key) {
  out.text("{\"typeUrl\":\"");
  out.text(key.type_url);
  out.text("\",");
  write_tail(out, key);
}

}  // namespace

bool is_json(ByteView input) {
  const std::string_view text = as_text(input);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<KeysetModel> read_json(ByteView input) {
  MR_TRY(start(input));
  JsonReader reader(as_text(input), Place::kKeyset);
  MR_TRY(reader.run());
  return std::move(reader.model);
}

void write_json(FormWriter& out, const KeysetModel& model) {
  out.text("{\"primaryKeyId\":");
  out.decimal(model.primary_id);
  out.text(",\"key\":[");
  for (const Key& key : model.keys) {
    if (&key != model.keys.data()) out.text(",");
    write_key(out, key);
  }
  out.text("]}\n");
}

Result<SecretBytes> read_encrypted_json(ByteView input) {
  MR_TRY(start(input));
  JsonReader reader(as_text(input), Place::kEncrypted);
  MR_TRY(reader.run());
  if (!reader.encrypted) return Error{ErrorCode::kMalformed, "encrypted keyset: encryptedKeyset: missing"};
  return *std::move(reader.encrypted);
}

void write_encrypted_json(FormWriter& out, ByteView encrypted_keyset, const KeysetModel& info) {
  out.text("{\"encryptedKeyset\":\"");
  out.base64(encrypted_keyset);
  out.text("\",\"keysetInfo\":{\"primaryKeyId\":");
  out.decimal(info.primary_id);
  out.text(",\"keyInfo\":[");
  for (const Key& key : info.keys) {
    if (&key != info.keys.data()) out.text(",");
    write_key_info(out, key);
  }
  out.text("]}}\n");
}

Result<std::optional<KeysetModel>> read_info_json(ByteView input) {
  MR_TRY(start(input));
  JsonReader reader(as_text(input), Place::kInfoOnly);
  MR_TRY(reader.run());
  if (!reader.has_info) return std::optional<KeysetModel>();
  return std::optional<KeysetModel>(std::move(reader.model));
}

}  // namespace millrace::tink
