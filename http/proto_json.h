#pragma once
// The JSON form of Protocol Buffers messages, held against the tables of protobuf.h: what has
// another shape than its message would be passed over by whoever reads it as one. Pure; any thread.

#include <optional>
#include <string>

#include "http/protobuf.h"
#include "store/base/result.h"
#include "store/column/dynamic.h"

namespace evq {

struct ProtoJsonShape {
  // Members have the names of the table's messages themselves, string_value for stringValue, which
  // readers of the form take as well.
  bool has_other_names = false;
};

// kData with the place of what is wrong, as "resourceLogs[0].scopeLogs: a list is expected".
// Members that are not in the table are passed over, as the format wants. Fixed64 numbers and the
// texts and numbers of a oneof may be anything: whoever reads them says what cannot be read.
Result<ProtoJsonShape> check_proto_json(DynamicView json, const ProtoMessage& message);

// The bytes of the same message with the names of the table everywhere. Of a member that is there
// under both names the last counts.
std::string with_table_names(DynamicView json, const ProtoMessage& message);

}  // namespace evq
