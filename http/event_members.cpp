#include "http/event_members.h"

#include <vector>

#include "store/column/typed_json.h"

namespace evq {

std::string json_of(DynamicView value) {
  std::string text;
  append_typed_json(value, &text);
  return text;
}

Members members_of(DynamicView bag) {
  Members members;
  for (DynamicView::Iterator each(bag); each.next();) {
    members.insert_or_assign(std::string(each.key()), json_of(each.value()));
  }
  return members;
}

void add_members(const Members& more, Members* event) {
  std::vector<Members::const_iterator> clashing;
  for (auto each = more.begin(); each != more.end(); ++each) {
    if (!event->insert(*each).second) {
      clashing.push_back(each);
    }
  }
  for (const auto& each : clashing) {
    std::string name = each->first;
    bool added = false;
    while (!added && name.size() <= kFieldNameBytesMax) {
      name.insert(0, name.starts_with('_') ? "_user" : "_user_");
      added = event->try_emplace(name, each->second).second;
    }
  }
}

Status MemberRoom::take(std::size_t members) {
  if (members > members_) {
    EVQ_TRY(claim_.take_between((members - members_) * kMemberBytes));
    members_ = members;
  }
  return Status::success();
}

void write_members(const Members& members, JsonWriter* json) {
  for (const auto& [name, value] : members) {
    json->key(name);
    json->raw(value);
  }
}

}  // namespace evq
