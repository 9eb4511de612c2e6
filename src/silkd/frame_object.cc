// nlohmann's parser walks the text and calls one of two readers. A document of its own would let a frame of 8 MiB take
// half a GiB (an array in an array in an array ...), in members that nobody asked for; so nothing is built of those.
#include "silkd/frame_object.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "millrace/silkd_messages.h"

namespace millrace::silkd {

namespace {

using nlohmann::json;

Error malformed(std::string_view where, std::uint64_t offset = 0) {
  return Error{ErrorCode::kMalformed, where, offset};
}

// JsonHandler is what both readers have in common; false ends the parse.
struct JsonHandler : nlohmann::json_sax<json> {
  bool binary(binary_t&) override { return false; }  // not in JSON
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    error = malformed("silkd frame: JSON", position == 0 ? 0 : position - 1);
    return false;
  }
  std::optional<Error> error;
};

// walk is true when the whole frame was read.
bool walk(ByteView frame, JsonHandler& handler) {
  const std::string_view text = as_text(frame);
  // The parser takes a NUL byte for the end of the text and skips a byte order mark; JSON has neither.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    handler.error = malformed("silkd frame: NUL byte", nul);
    return false;
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    handler.error = malformed("silkd frame: JSON");
    return false;
  }
  return json::sax_parse(text.begin(), text.end(), &handler, json::input_format_t::json, /*strict=*/true,
                         /*ignore_comments=*/false);
}

class NameReader final : public JsonHandler {
 public:
  explicit NameReader(std::string_view tag) : tag_(tag) {}

  std::optional<std::string> name;

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_unsigned(number_unsigned_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool string(string_t& value) override {
    if (!here_) return depth_ > 0;
    name = std::move(value);
    return false;
  }
  bool start_object(std::size_t) override { return open(/*object=*/true); }
  bool start_array(std::size_t) override { return open(/*object=*/false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    here_ = depth_ == 1 && value == tag_;
    return true;
  }

 private:
  bool open(bool object) {
    if (here_ || (depth_ == 0 && !object)) return false;
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }
  bool other() const { return !here_ && depth_ > 0; }

  const std::string_view tag_;
  std::size_t depth_ = 0;
  bool here_ = false;  // the next value is the name
};

class ObjectReader final : public JsonHandler {
 public:
  explicit ObjectReader(std::span<const std::string_view> keep) : keep_(keep) {}

  json object;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return skipping() || add(std::move(value)); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (skipped_ > 0) return true;
    keeping_ = open_.size() > 1 || std::ranges::find(keep_, value) != keep_.end();
    if (!keeping_) return true;
    if (open_.back()->contains(value)) {
      error = malformed("silkd frame: a name twice");
      return false;
    }
    name_ = std::move(value);
    return true;
  }

 private:
  // The deepest thing a message has: an argument in argv of a process in procs.
  static constexpr std::size_t kMaxDepth = 4;

  bool skipping() const { return skipped_ > 0 || !keeping_; }

  bool open(json container) {
    if (open_.empty()) {
      if (!container.is_object()) return false;
      object = std::move(container);
      open_.push_back(&object);
      return true;
    }
    if (skipping() || open_.size() == kMaxDepth) {
      // In the place of what is too deep stands a null, which nothing that is made of elements can be.
      if (skipped_ == 0 && !add(nullptr)) return false;
      ++skipped_;
      return true;
    }
    json* const parent = open_.back();
    if (!add(std::move(container))) return false;
    open_.push_back(parent->is_object() ? &(*parent)[name_] : &parent->back());
    return true;
  }

  bool close() {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  bool add(json value) {
    if (open_.empty()) return false;  // the frame is no object
    if (skipping()) return true;
    if (++values_ > kMaxFrameValues) {
      error = Error{ErrorCode::kLimitExceeded, "silkd frame: values"};
      return false;
    }
    json& parent = *open_.back();
    if (parent.is_object()) {
      parent[name_] = std::move(value);
    } else {
      parent.push_back(std::move(value));
    }
    return true;
  }

  const std::span<const std::string_view> keep_;
  std::vector<json*> open_;  // the containers around this place
  std::size_t skipped_ = 0;  // containers around this place that are not kept
  bool keeping_ = true;      // what comes next: set by the last name in an object
  std::string name_;         // of what comes next
  std::size_t values_ = 0;
};

}  // namespace

Result<std::string> read_name(ByteView frame, std::string_view tag) {
  NameReader reader(tag);
  const bool to_the_end = walk(frame, reader);
  if (reader.name) return *std::move(reader.name);
  if (reader.error) return *reader.error;
  return malformed(to_the_end ? "silkd frame: no name" : "silkd frame: not an object with a name");
}

Result<json> read_object(ByteView frame, std::span<const std::string_view> keep) {
  ObjectReader reader(keep);
  if (walk(frame, reader)) return std::move(reader.object);
  return reader.error ? *reader.error : malformed("silkd frame: not an object");
}

}  // namespace millrace::silkd
