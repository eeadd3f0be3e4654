#include "http/proto_json.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "store/base/ascii.h"
#include "store/base/base64.h"

namespace evq {
namespace {

// stringValue of string_value.
std::string table_name(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool joins = name[i] == '_' && i + 1 < name.size();
    text.push_back(joins ? to_upper(name[++i]) : name[i]);
  }
  return text;
}

// Names are told apart by their lengths for the most part: this is asked for every member of a
// body.
const ProtoField* find_field(const ProtoMessage& message, std::string_view name) {
  for (const ProtoField& field : message.fields) {
    if (field.name.size() == name.size() &&
        std::memcmp(field.name.data(), name.data(), name.size()) == 0) {
      return &field;
    }
  }
  return nullptr;
}

// The field that a member is; `other_name` when it has the name of the message itself.
const ProtoField* find_member(const ProtoMessage& message, std::string_view name,
                              bool* other_name) {
  const ProtoField* field = find_field(message, name);
  if (field == nullptr && name.find('_') != std::string_view::npos) {
    field = find_field(message, table_name(name));
    *other_name = *other_name || field != nullptr;
  }
  return field;
}

class Check {
 public:
  bool has_other_names() const { return has_other_names_; }
  Error fault() const {
    return make_error(ErrorCode::kData, (place_.empty() ? "" : place_ + ": ") + expected_);
  }

  // False with a fault. Depth is bounded by that of JSON.
  bool message(DynamicView json, const ProtoMessage& message) {
    if (!json.is_bag()) {
      return expect("an object is expected");
    }
    bool any = false;
    for (DynamicView::Iterator member(json); member.next();) {
      const ProtoField* field = find_member(message, member.key(), &has_other_names_);
      if (field == nullptr || member.value().is_null()) {
        continue;
      }
      if (message.one_of && any) {
        return expect("it has several values");
      }
      any = true;
      if (!value(member.value(), *field, message.one_of)) {
        return inside(std::string(member.key()));
      }
    }
    return true;
  }

 private:
  bool value(DynamicView json, const ProtoField& field, bool one_of) {
    if (!field.repeated) {
      return single(json, field, one_of);
    }
    if (!json.is_array()) {
      return expect("a list is expected");
    }
    std::size_t index = 0;
    for (DynamicView::Iterator each(json); each.next(); ++index) {
      const bool is_nothing = each.value().is_null() && field.message->one_of;
      if (!is_nothing && !single(each.value(), field, false)) {
        return inside("[" + std::to_string(index) + "]");
      }
    }
    return true;
  }

  bool single(DynamicView json, const ProtoField& field, bool one_of) {
    if (field.kind == ProtoKind::kMessage) {
      return message(json, *field.message);
    }
    if (one_of) {
      return true;
    }
    switch (field.kind) {
      case ProtoKind::kText:
      case ProtoKind::kBytes:
        return json.is_string() || expect("a text is expected");
      case ProtoKind::kHex:
        return json.is_string() ? hex(json.as_string(), field.hex_bytes)
                                : expect("a text is expected");
      case ProtoKind::kInteger:
      case ProtoKind::kReal:
        return json.is_number() || json.is_string() || expect("a number is expected");
      case ProtoKind::kBool:
        return json.is_bool() || expect("true or false is expected");
      case ProtoKind::kFixed64:
      case ProtoKind::kMessage:
        break;
    }
    return true;
  }

  // Bytes of the JSON form are base64 elsewhere, and so were these in its first days.
  bool hex(std::string_view text, std::size_t bytes) {
    if (text.empty() || (text.size() == 2 * bytes &&
                         std::ranges::all_of(text, [](char c) { return hex_digit(c) >= 0; }))) {
      return true;
    }
    const std::optional<std::string> decoded = base64_decode(text);
    const bool is_base64 = decoded.has_value() && decoded->size() == bytes;
    return expect(std::to_string(2 * bytes) + " hexadecimal digits are expected, or none" +
                  (is_base64 ? ": this seems to be base64, which OTLP has for other bytes" : ""));
  }

  bool expect(std::string what) {
    expected_ = std::move(what);
    return false;
  }
  // Puts what the fault lies in before its place.
  bool inside(std::string part) {
    const bool joined = place_.empty() || place_.starts_with('[');
    place_ = std::move(part) + (joined ? "" : ".") + place_;
    return false;
  }

  bool has_other_names_ = false;
  std::string place_;
  std::string expected_;
};

void add_renamed(DynamicView json, const ProtoMessage& message, DynamicBuilder* out) {
  if (!json.is_bag()) {
    out->add_encoded(json);
    return;
  }
  out->begin_bag();
  for (DynamicView::Iterator member(json); member.next();) {
    bool other_name = false;
    const ProtoField* field = find_member(message, member.key(), &other_name);
    out->key(field == nullptr ? member.key() : field->name);
    if (field == nullptr || field->kind != ProtoKind::kMessage) {
      out->add_encoded(member.value());
    } else if (!field->repeated) {
      add_renamed(member.value(), *field->message, out);
    } else {
      out->begin_array();
      for (DynamicView::Iterator each(member.value()); each.next();) {
        add_renamed(each.value(), *field->message, out);
      }
      out->end_array();
    }
  }
  out->end_bag();
}

}  // namespace

Result<ProtoJsonShape> check_proto_json(DynamicView json, const ProtoMessage& message) {
  Check check;
  if (!check.message(json, message)) {
    return check.fault();
  }
  return ProtoJsonShape{check.has_other_names()};
}

std::string with_table_names(DynamicView json, const ProtoMessage& message) {
  DynamicBuilder builder;
  add_renamed(json, message, &builder);
  return builder.take();
}

}  // namespace evq
