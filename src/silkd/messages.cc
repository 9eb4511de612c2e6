// Messages to frames and back: what the values of fields look like, and which message a name belongs to. The tables are
// in message_schema.h.
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "millrace/base64.h"
#include "millrace/silkd_messages.h"
#include "silkd/frame_object.h"
#include "silkd/message_schema.h"

namespace millrace::silkd {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint32_t kMaxMode = 07777;

// Messages, and the objects that are parts of them.
template <class T>
concept HasSchema = requires {
  kSchema<T>.fields;
};

template <class Message>
void write_fields(const Message& message, ordered_json& object);
template <class Message>
Status read_fields(const json& object, Message& message);

Error malformed(std::string_view field) { return Error{ErrorCode::kMalformed, field}; }

// --- Values to JSON, and whether an optional one is left out.

template <class T>
ordered_json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return kEnumNames<T>[static_cast<std::size_t>(value)];
  } else if constexpr (HasSchema<T>) {
    ordered_json object = ordered_json::object();
    write_fields(value, object);
    return object;
  } else {
    return value;  // bool, a number, a text
  }
}
template <class T>
ordered_json to_json(const std::vector<T>& list) {
  ordered_json array = ordered_json::array();
  for (const T& element : list) array.push_back(to_json(element));
  return array;
}
ordered_json to_json(const std::vector<std::byte>& bytes) { return base64_encode(bytes); }
template <class T>
ordered_json to_json(const std::optional<T>& value) {
  return *value;
}
ordered_json to_json(const Environment& environment) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : environment) object[name] = value;
  return object;
}

template <class T>
bool is_absent(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return !value;
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return false;
  }
}

template <class Message>
void write_fields(const Message& message, ordered_json& object) {
  const auto write = [&](const auto& field) {
    const auto& value = message.*field.member;
    if (field.presence == Presence::kOptional && is_absent(value)) return;
    object[std::string(field.name)] = to_json(value);
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, kSchema<Message>.fields);
}

// --- JSON to values; false is a value that the field cannot have.

bool from_json(const json& from, bool& value) {
  if (!from.is_boolean()) return false;
  value = from.get<bool>();
  return true;
}
bool from_json(const json& from, std::string& value) {
  if (!from.is_string()) return false;
  value = from.get_ref<const std::string&>();
  return true;
}
// Numbers are whole and in range: 1.0 and -0 are none of ours.
template <class T>
requires std::is_unsigned_v<T>
bool from_json(const json& from, T& value) {
  if (!from.is_number_unsigned() || from.get<std::uint64_t>() > std::numeric_limits<T>::max()) return false;
  value = from.get<T>();
  return true;
}
bool from_json(const json& from, std::int32_t& value) {
  const bool fits = from.is_number_unsigned()
                        ? from.get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max()
                        : from.is_number_integer() && from.get<std::int64_t>() < 0 &&
                              from.get<std::int64_t>() >= std::numeric_limits<std::int32_t>::min();
  if (fits) value = from.get<std::int32_t>();
  return fits;
}
template <class T>
requires std::is_enum_v<T>
bool from_json(const json& from, T& value) {
  if (!from.is_string()) return false;
  for (std::size_t i = 0; i < kEnumNames<T>.size(); ++i) {
    if (from.get_ref<const std::string&>() != kEnumNames<T>[i]) continue;
    value = static_cast<T>(i);
    return true;
  }
  return false;
}
bool from_json(const json& from, std::vector<std::byte>& bytes) {
  if (!from.is_string()) return false;
  const std::string& text = from.get_ref<const std::string&>();
  bytes.resize(base64_decoded_capacity(text.size()));
  const Result<std::size_t> size = base64_decode(text, bytes);
  if (size) bytes.resize(*size);
  return size.has_value();
}
bool from_json(const json& from, Environment& environment) {
  if (!from.is_object()) return false;
  for (const auto& [name, value] : from.items()) {
    if (!from_json(value, environment[name])) return false;
  }
  return true;
}
template <class T>
bool from_json(const json& from, std::optional<T>& value) {
  return from_json(from, value.emplace());
}
template <class T>
requires requires { kSchema<T>.fields; }
bool from_json(const json& from, T& part) { return from.is_object() && read_fields(from, part).has_value(); }
template <class T>
bool from_json(const json& from, std::vector<T>& list) {
  if (!from.is_array()) return false;
  list.reserve(from.size());
  for (const json& element : from) {
    if (!from_json(element, list.emplace_back())) return false;
  }
  return true;
}

// null stands for an optional text or number, and for nothing else.
template <class T>
constexpr bool kNullable = std::is_same_v<T, std::string> || requires(T value) {
  value.has_value();
};

template <class Message>
Status read_fields(const json& object, Message& message) {
  std::string_view bad;
  const auto read = [&](const auto& field) {
    auto& value = message.*field.member;
    const auto found = object.find(field.name);
    if (found == object.end()) return field.presence != Presence::kRequired;
    constexpr bool nullable = kNullable<std::remove_reference_t<decltype(value)>>;
    if (nullable && found->is_null() && field.presence == Presence::kOptional) return true;
    return from_json(*found, value);
  };
  const auto read_or_name = [&](const auto& field) { return read(field) || (bad = field.name, false); };
  std::apply([&](const auto&... field) { (void)(read_or_name(field) && ...); }, kSchema<Message>.fields);
  return bad.empty() ? Status(Ok{}) : malformed(bad);
}

// --- Frames.

template <class Message>
Result<Message> read_message(ByteView frame, std::string_view tag) {
  // The tag is kept so that it cannot stand there twice.
  const auto names = std::apply(
      [&](const auto&... field) {
        return std::array<std::string_view, 1 + sizeof...(field)>{tag, field.name...};
      },
      kSchema<Message>.fields);
  MR_TRY(const json object, read_object(frame, names));
  Message message;
  MR_TRY(read_fields(object, message));
  return message;
}

// read_one_of reads the alternative of the variant that is called `name`.
template <class Variant>
Result<Variant> read_one_of(ByteView frame, std::string_view tag, std::string_view unknown_where,
                            std::string* unknown) {
  if (frame.size() > kMaxFrame) return Error{ErrorCode::kLimitExceeded, "silkd frame"};
  MR_TRY(const std::string name, read_name(frame, tag));
  std::optional<Result<Variant>> result;
  const auto read_if = [&]<class Message>(std::type_identity<Message>) {
    if (name != kSchema<Message>.name) return false;
    Result<Message> message = read_message<Message>(frame, tag);
    result.emplace(message ? Result<Variant>(Variant(*std::move(message))) : Result<Variant>(message.error()));
    return true;
  };
  [&]<class... Messages>(std::type_identity<std::variant<Messages...>>) {
    (void)(read_if(std::type_identity<Messages>()) || ...);
  }(std::type_identity<Variant>());
  if (result) return *std::move(result);
  if (unknown != nullptr) *unknown = name.substr(0, 64);
  return malformed(unknown_where);
}

Result<std::string> dump(const ordered_json& object, std::size_t limit) {
  std::string frame;
  try {
    frame = object.dump();
  } catch (const ordered_json::exception&) {
    return Error{ErrorCode::kInvalidArgument, "silkd frame: a text that is not UTF-8"};
  }
  if (frame.size() > limit) return Error{ErrorCode::kLimitExceeded, "silkd frame", frame.size()};
  return frame;
}

template <class Variant>
void write_message(const Variant& message, ordered_json& object) {
  std::visit([&](const auto& alternative) { write_fields(alternative, object); }, message);
}

template <class Variant>
std::string_view schema_name(const Variant& message) {
  return std::visit([]<class M>(const M&) { return kSchema<M>.name; }, message);
}

}  // namespace

std::string_view name_of(const Request& message) { return schema_name(message); }
std::string_view name_of(const Response& message) { return schema_name(message); }

bool is_input(const Request& message) {
  return std::holds_alternative<request::Stdin>(message) || std::holds_alternative<request::StdinClose>(message) ||
         std::holds_alternative<request::Data>(message) || std::holds_alternative<request::DataEnd>(message);
}

Result<std::string> encode(const Request& message) {
  if (const auto* write = std::get_if<request::FsWrite>(&message); write != nullptr && write->mode > kMaxMode) {
    return Error{ErrorCode::kInvalidArgument, "mode"};
  }
  ordered_json object = {{"v", 1}, {"op", name_of(message)}};
  write_message(message, object);
  return dump(object, kMaxFrame);
}

Result<std::string> encode(const Response& message) {
  ordered_json object = {{"type", name_of(message)}};
  write_message(message, object);
  return dump(object, kMaxResponseFrame);
}

Result<Request> decode_request(ByteView frame, std::string* unknown) {
  return read_one_of<Request>(frame, "op", "silkd frame: unknown op", unknown);
}
Result<Response> decode_response(ByteView frame, std::string* unknown) {
  return read_one_of<Response>(frame, "type", "silkd frame: unknown type", unknown);
}

}  // namespace millrace::silkd
