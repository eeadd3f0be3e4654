#pragma once
// The members of an event that is put together from several places, such as the labels of a stream
// and the event itself: none is lost where two have one name. For the endpoints that write events
// anew as NDJSON, one thread a request.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "http/rewriting_claim.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq {

// Values as JSON by their names. Of a name that is sent twice the last counts.
using Members = std::map<std::string, std::string, std::less<>>;

std::string json_of(DynamicView value);
Members members_of(DynamicView bag);
// Adds `more` to an event. A member whose name is taken gets another one, made as for a reserved
// name (_user_NAME). Names that are too long are left so: ingest refuses the event.
void add_members(const Members& more, Members* event);
void write_members(const Members& members, JsonWriter* json);

// Memory of one member in up to three of them at once, where its name and its value are short: long
// ones are part of what a body takes.
inline constexpr std::size_t kMemberBytes = 3 * (sizeof(Members::value_type) + 6 * sizeof(void*));

// The memory for the members of a request's events, of which one after the other has some. Those of
// events that may be stored take so little that they have it for nothing.
class MemberRoom {
 public:
  // The claim must outlive it.
  explicit MemberRoom(RewritingClaim& claim) : claim_(claim) {}
  // Makes room for an event of so many members before they are made; as RewritingClaim takes it.
  Status take(std::size_t members);

 private:
  RewritingClaim& claim_;
  std::size_t members_ = kEventFieldsMax;
};

}  // namespace evq
