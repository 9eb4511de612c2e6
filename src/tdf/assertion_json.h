// Assertions as JSON (docs/formats/tdf.md, "Assertions").
#pragma once

#include <string>

#include "encoding/json_reader.h"
#include "millrace/result.h"
#include "millrace/tdf_manifest.h"

namespace millrace::tdf {

// read_assertion reads one object, `canonical` included. A missing or null member is empty.
Result<Assertion> read_assertion(JsonReader& in);

// canonical_assertion is what is signed of an assertion made of these fields, binding aside: what read_assertion finds
// as `canonical` in the text of append_assertion. Errors: kInvalidArgument for text that is not UTF-8.
Result<std::string> canonical_assertion(const Assertion& assertion);

// append_assertion adds the JSON text, binding included, with an object value as the text it became. Empty optional
// members (appliesToState, schema, format) are left out, as the Go SDK does. kInvalidArgument as above.
Status append_assertion(std::string& out, const Assertion& assertion);

}  // namespace millrace::tdf
