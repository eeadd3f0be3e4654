// Functions over conversations with language models: arrays of messages, each a bag with a role, or
// JSON text of such an array, which is how spans carry them. What a message says is its content, a
// text or an array of parts with a text each, or its parts as OpenTelemetry has them, where calls
// of tools and their results are parts as well.

#include <array>
#include <optional>
#include <string>

#include "apl/functions/genai_prices.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

std::string_view text_of(DynamicView message, std::string_view key) {
  const std::optional<DynamicView> found = message.find(key);
  return found.has_value() && found->is_string() ? found->as_string() : std::string_view();
}

// The elements of a list that is the value of a key; none where there is no such list.
DynamicView::Iterator elements_of(DynamicView bag, std::string_view key) {
  const std::optional<DynamicView> list = bag.find(key);
  return DynamicView::Iterator(list.has_value() && list->is_array() ? *list : DynamicView());
}

// What an argument says, read anew for each row where it is JSON text.
class Conversation {
 public:
  Conversation(JsonReader& reader, DynamicView given) : messages_(given) {
    if (given.is_string() && reader.read(given.as_string(), &parsed_)) {
      messages_ = DynamicView(parsed_.bytes());
    }
  }
  bool is_one() const { return messages_.is_array(); }
  // No messages where it is none.
  DynamicView::Iterator messages() const {
    return DynamicView::Iterator(is_one() ? messages_ : DynamicView());
  }
  // Null when there is none: nothing is counted from the end.
  DynamicView message_at(std::int64_t index) const {
    return index < 0 || !is_one() ? DynamicView() : messages_.at(index);
  }

 private:
  DynamicBuilder parsed_;
  DynamicView messages_;
};

void append_part(DynamicView part, std::string* out) {
  if (part.is_string()) {
    out->append(part.as_string());
  } else if (part.find("text").has_value()) {
    out->append(text_of(part, "text"));
  } else if (text_of(part, "type") == "text") {
    out->append(text_of(part, "content"));
  }
}

std::string content_of(DynamicView message) {
  std::string out;
  const DynamicView content = message.find("content").value_or(DynamicView());
  if (!content.is_null() && !content.is_array()) {
    append_part(content, &out);
    return out;
  }
  DynamicView::Iterator each = elements_of(message, content.is_null() ? "parts" : "content");
  while (each.next()) {
    append_part(each.value(), &out);
  }
  return out;
}

bool has_role(DynamicView message, std::string_view role) {
  return text_of(message, "role") == role;
}

MaybeText concat_contents(JsonReader& reader, DynamicView messages,
                          std::optional<std::string_view> separator) {
  const Conversation conversation(reader, messages);
  if (!conversation.is_one()) {
    return std::nullopt;
  }
  std::string out;
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    const std::string content = content_of(each.value());
    if (content.empty()) {
      continue;
    }
    out.append(out.empty() ? "" : separator.value_or(" ")).append(content);
    if (out.size() > kStringValueBytesMax) {
      return std::nullopt;
    }
  }
  return out;
}

// A turn is a user's message that an assistant answered.
std::optional<std::int64_t> conversation_turns(JsonReader& reader, DynamicView messages) {
  const Conversation conversation(reader, messages);
  if (!conversation.is_one()) {
    return std::nullopt;
  }
  std::int64_t turns = 0;
  bool asked = false;
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    if (has_role(each.value(), "user")) {
      asked = true;
    } else if (asked && has_role(each.value(), "assistant")) {
      asked = false;
      ++turns;
    }
  }
  return turns;
}

// The content of the first or last message with a role; empty when there is none.
MaybeText content_by_role(JsonReader& reader, DynamicView messages, std::string_view role,
                          bool last) {
  const Conversation conversation(reader, messages);
  if (!conversation.is_one()) {
    return std::nullopt;
  }
  std::string found;
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    if (has_role(each.value(), role)) {
      found = content_of(each.value());
      if (!last) {
        break;
      }
    }
  }
  return found;
}
MaybeText assistant_response(JsonReader& reader, DynamicView messages) {
  return content_by_role(reader, messages, "assistant", true);
}
MaybeText user_prompt(JsonReader& reader, DynamicView messages) {
  return content_by_role(reader, messages, "user", true);
}
MaybeText system_prompt(JsonReader& reader, DynamicView messages) {
  return content_by_role(reader, messages, "system", false);
}
MaybeText get_content_by_role(JsonReader& reader, DynamicView messages, std::string_view role) {
  return content_by_role(reader, messages, role, false);
}

// Calls found(call) for each tool or function that a message asks for, until it returns true.
template <class Found>
bool any_call(DynamicView message, const Found& found) {
  DynamicView::Iterator call = elements_of(message, "tool_calls");
  while (call.next()) {
    if (found(call.value())) {
      return true;
    }
  }
  const std::optional<DynamicView> single = message.find("function_call");
  if (single.has_value() && !single->is_null() && found(*single)) {
    return true;
  }
  DynamicView::Iterator part = elements_of(message, "parts");
  while (part.next()) {
    if (text_of(part.value(), "type") == "tool_call" && found(part.value())) {
      return true;
    }
  }
  return false;
}

// A call that has its name beside it, as a part and a function_call do, becomes one as tool_calls
// has it, so that all are read alike.
void add_call(DynamicView call, DynamicBuilder* out) {
  const std::optional<DynamicView> name = call.find("name");
  if (!name.has_value() || call.find("function").has_value()) {
    out->add_encoded(call);
    return;
  }
  const auto add = [&](std::string_view key) {
    if (const std::optional<DynamicView> value = call.find(key); value.has_value()) {
      out->key(key);
      out->add_encoded(*value);
    }
  };
  out->begin_bag();
  add("id");
  out->key("type");
  out->add_string("function");
  out->key("function");
  out->begin_bag();
  add("name");
  add("arguments");
  out->end_bag();
  out->end_bag();
}

MaybeDynamic extract_tool_calls(JsonReader& reader, DynamicView messages) {
  const Conversation conversation(reader, messages);
  DynamicBuilder out;
  out.begin_array();
  bool any = false;
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    any_call(each.value(), [&](DynamicView call) {
      add_call(call, &out);
      any = true;
      return false;
    });
  }
  out.end_array();
  return any ? MaybeDynamic(DynamicBytes{out.take()}) : std::nullopt;
}

// The contents of messages from tools and functions, and the responses among the parts of any.
MaybeDynamic extract_function_results(JsonReader& reader, DynamicView messages) {
  const Conversation conversation(reader, messages);
  DynamicBuilder out;
  out.begin_array();
  bool any = false;
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    const std::optional<DynamicView> content = each.value().find("content");
    const bool from_tool = has_role(each.value(), "tool") || has_role(each.value(), "function");
    DynamicView::Iterator part = elements_of(each.value(), "parts");
    bool responds = false;
    while (part.next()) {
      if (text_of(part.value(), "type") == "tool_call_response") {
        out.add_encoded(part.value().find("response").value_or(DynamicView()));
        responds = true;
      }
    }
    if (from_tool && !responds) {
      out.add_encoded(content.value_or(DynamicView()));
    }
    any = any || from_tool || responds;
  }
  out.end_array();
  return any ? MaybeDynamic(DynamicBytes{out.take()}) : std::nullopt;
}

MaybeText get_content_by_index(JsonReader& reader, DynamicView messages, std::int64_t index) {
  const Conversation conversation(reader, messages);
  return conversation.is_one() ? MaybeText(content_of(conversation.message_at(index)))
                               : std::nullopt;
}
MaybeText get_role(JsonReader& reader, DynamicView messages, std::int64_t index) {
  const Conversation conversation(reader, messages);
  return conversation.is_one() ? MaybeText(text_of(conversation.message_at(index), "role"))
                               : std::nullopt;
}

std::optional<bool> has_tool_calls(JsonReader& reader, DynamicView messages) {
  const Conversation conversation(reader, messages);
  if (!conversation.is_one()) {
    return std::nullopt;
  }
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    if (any_call(each.value(), [](DynamicView /*call*/) { return true; })) {
      return true;
    }
  }
  return false;
}

bool is_truncation(DynamicView reason) {
  return reason.is_string() &&
         (reason.as_string() == "length" || reason.as_string() == "max_tokens");
}
// A reason, or an array of them, one of each response, or JSON text of such an array.
bool is_truncated(JsonReader& reader, std::optional<DynamicView> /*messages*/,
                  DynamicView finish_reasons) {
  DynamicBuilder parsed;
  if (finish_reasons.is_string() && finish_reasons.as_string().starts_with('[') &&
      reader.read(finish_reasons.as_string(), &parsed)) {
    finish_reasons = DynamicView(parsed.bytes());
  }
  DynamicView::Iterator each(finish_reasons.is_array() ? finish_reasons : DynamicView());
  while (each.next()) {
    if (is_truncation(each.value())) {
      return true;
    }
  }
  return is_truncation(finish_reasons);
}

MaybeDynamic message_roles(JsonReader& reader, DynamicView messages) {
  const Conversation conversation(reader, messages);
  if (!conversation.is_one()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  DynamicView::Iterator each = conversation.messages();
  while (each.next()) {
    out.add_string(text_of(each.value(), "role"));
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

// About four characters a token, for English.
std::int64_t estimate_tokens(std::string_view text) {
  constexpr std::size_t kCharactersPerToken = 4;
  return static_cast<std::int64_t>((count_code_points(text) + kCharactersPerToken - 1) /
                                   kCharactersPerToken);
}

// ---- prices

MaybeDynamic get_pricing(std::string_view model) {
  const std::optional<ModelPrice> price = price_of_model(model);
  if (!price.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_bag();
  out.key("input_price_per_million");
  out.add_real(price->input);
  out.key("output_price_per_million");
  out.add_real(price->output);
  out.end_bag();
  return DynamicBytes{out.take()};
}

constexpr double kTokensPriced = 1e6;
MaybeReal cost(std::string_view model, std::int64_t input, std::int64_t output) {
  const std::optional<ModelPrice> price = price_of_model(model);
  if (!price.has_value() || input < 0 || output < 0) {
    return std::nullopt;
  }
  return (static_cast<double>(input) * price->input + static_cast<double>(output) * price->output) /
         kTokensPriced;
}
MaybeReal input_cost(std::string_view model, std::int64_t tokens) {
  return cost(model, tokens, 0);
}
MaybeReal output_cost(std::string_view model, std::int64_t tokens) {
  return cost(model, 0, tokens);
}

constexpr ParameterDoc kMessages{
    "messages",
    "An array of bags with a role and a content or parts, or JSON text of such an array."};

constexpr std::array<ScalarFunction, 18> kGenaiFunctions = {{
    {.name = "genai_concat_contents",
     .category = "genai",
     .summary = "The contents of all messages, joined.",
     .params = {{kMessages, {"[separator]", "What to put between two, a blank when left out."}}},
     .returns = "A string; null when the argument is no array.",
     .examples = {{{"print genai_concat_contents(dynamic([{'role': 'system', 'content': 'Be "
                    "brief'}, {'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': "
                    "'Hello'}]), ' / ')",
                    "Be brief / Hi / Hello"}}},
     .overloads = {lift<concat_contents>()}},
    {.name = "genai_conversation_turns",
     .category = "genai",
     .summary = "How many messages of the user an assistant answered.",
     .params = {{kMessages}},
     .returns = "A long; null when the argument is no array.",
     .examples =
         {{{"print genai_conversation_turns(dynamic([{'role': 'system', 'content': 'Be brief'}, "
            "{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]))",
            "1"}}},
     .overloads = {lift<conversation_turns>()}},
    {.name = "genai_cost",
     .category = "genai",
     .summary = "The cost of a call to a model, in US dollars.",
     .params = {{{"model", "The model's name; one with a date counts as the model."},
                 {"input_tokens", "Tokens of the prompt."},
                 {"output_tokens", "Tokens of the response."}}},
     .returns = "A real; null for an unknown model and negative numbers.",
     .examples = {{{"print genai_cost('gpt-4', 1000, 500)", "0.06"}}},
     .overloads = {lift<cost>()}},
    {.name = "genai_estimate_tokens",
     .category = "genai",
     .summary = "About how many tokens a text has: one for four characters.",
     .params = {{{"text", "The text."}}},
     .returns = "A long.",
     .examples = {{{"print genai_estimate_tokens('Hello, world')", "3"}}},
     .overloads = {lift<estimate_tokens>()}},
    {.name = "genai_extract_assistant_response",
     .category = "genai",
     .summary = "The content of the last message of the assistant.",
     .params = {{kMessages}},
     .returns = "A string, empty when there is none; null when the argument is no array.",
     .examples = {{{"print genai_extract_assistant_response(dynamic([{'role': 'system', 'content': "
                    "'Be brief'}, {'role': 'user', 'content': 'Hi'}, {'role': 'assistant', "
                    "'content': 'Hello'}]))",
                    "Hello"}}},
     .overloads = {lift<assistant_response>()}},
    {.name = "genai_extract_function_results",
     .category = "genai",
     .summary = "The contents of the messages that tools and functions gave.",
     .params = {{kMessages}},
     .returns = "An array; null when there are none.",
     .examples = {{{"print genai_extract_function_results(dynamic([{'role': 'assistant', "
                    "'tool_calls': [{'id': 1}]}, {'role': 'tool', 'content': 'sunny'}]))",
                    "[\"sunny\"]"}}},
     .overloads = {lift<extract_function_results>()}},
    {.name = "genai_extract_system_prompt",
     .category = "genai",
     .summary = "The content of the first message of the system.",
     .params = {{kMessages}},
     .returns = "A string, empty when there is none; null when the argument is no array.",
     .examples =
         {{{"print genai_extract_system_prompt(dynamic([{'role': 'system', 'content': 'Be brief'}, "
            "{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]))",
            "Be brief"}}},
     .overloads = {lift<system_prompt>()}},
    {.name = "genai_extract_tool_calls",
     .category = "genai",
     .summary = "All tool calls of a conversation.",
     .params = {{kMessages}},
     .returns =
         "An array of calls as tool_calls has them, name and arguments in function, wherever "
         "they stood; null when there are none.",
     .examples = {{{"print genai_extract_tool_calls(dynamic([{'role': 'assistant', 'tool_calls': "
                    "[{'id': 1}]}, {'role': 'tool', 'content': 'sunny'}]))",
                    "[{\"id\":1}]"}}},
     .overloads = {lift<extract_tool_calls>()}},
    {.name = "genai_extract_user_prompt",
     .category = "genai",
     .summary = "The content of the last message of the user.",
     .params = {{kMessages}},
     .returns = "A string, empty when there is none; null when the argument is no array.",
     .examples =
         {{{"print genai_extract_user_prompt(dynamic([{'role': 'system', 'content': 'Be brief'}, "
            "{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]))",
            "Hi"}}},
     .overloads = {lift<user_prompt>()}},
    {.name = "genai_get_content_by_index",
     .category = "genai",
     .summary = "The content of one message.",
     .params = {{kMessages, {"index", "Its place, counted from 0."}}},
     .returns =
         "A string, empty when there is no such message; null when the argument is no array.",
     .examples =
         {{{"print genai_get_content_by_index(dynamic([{'role': 'system', 'content': 'Be brief'}, "
            "{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]), 1)",
            "Hi"}}},
     .overloads = {lift<get_content_by_index>()}},
    {.name = "genai_get_content_by_role",
     .category = "genai",
     .summary = "The content of the first message with a role.",
     .params = {{kMessages, {"role", "The role: user, assistant, system, tool, …"}}},
     .returns = "A string, empty when there is none; null when the argument is no array.",
     .examples = {{{"print genai_get_content_by_role(dynamic([{'role': 'system', 'content': 'Be "
                    "brief'}, {'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': "
                    "'Hello'}]), 'user')",
                    "Hi"}}},
     .overloads = {lift<get_content_by_role>()}},
    {.name = "genai_get_pricing",
     .category = "genai",
     .summary = "The prices of a model, in US dollars for a million tokens.",
     .params = {{{"model", "The model's name; one with a date counts as the model."}}},
     .returns = "A bag of input_price_per_million and output_price_per_million; null for an "
                "unknown model.",
     .examples = {{{"print genai_get_pricing('gpt-4-0613')",
                    "{\"input_price_per_million\":30,\"output_price_per_million\":60}"}}},
     .overloads = {lift<get_pricing>()}},
    {.name = "genai_get_role",
     .category = "genai",
     .summary = "The role of one message.",
     .params = {{kMessages, {"index", "Its place, counted from 0."}}},
     .returns =
         "A string, empty when there is no such message; null when the argument is no array.",
     .examples =
         {{{"print genai_get_role(dynamic([{'role': 'system', 'content': 'Be brief'}, {'role': "
            "'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]), 2)",
            "assistant"}}},
     .overloads = {lift<get_role>()}},
    {.name = "genai_has_tool_calls",
     .category = "genai",
     .summary = "Whether any message calls a tool.",
     .params = {{kMessages}},
     .returns = "A bool; null when the argument is no array.",
     .examples = {{{"print genai_has_tool_calls(dynamic([{'role': 'assistant', 'tool_calls': "
                    "[{'id': 1}]}, {'role': 'tool', 'content': 'sunny'}]))",
                    "true"}}},
     .overloads = {lift<has_tool_calls>()}},
    {.name = "genai_input_cost",
     .category = "genai",
     .summary = "The cost of a prompt, in US dollars.",
     .params = {{{"model", "The model's name; one with a date counts as the model."},
                 {"tokens", "Tokens of the prompt."}}},
     .returns = "A real; null for an unknown model.",
     .examples = {{{"print genai_input_cost('gpt-4', 1000)", "0.03"}}},
     .overloads = {lift<input_cost>()}},
    {.name = "genai_is_truncated",
     .category = "genai",
     .summary = "Whether a response stopped because it reached the limit of tokens.",
     .params = {{kMessages,
                 {"finish_reason",
                  "The reason the response ended, or an array of reasons, also as JSON text."}}},
     .returns = "A bool, true for length and max_tokens, of an array when any is one of them; null "
                "when the reason is.",
     .examples = {{{"print genai_is_truncated(dynamic([]), 'length')", "true"},
                   {"print genai_is_truncated(dynamic([]), dynamic(['stop', 'length']))", "true"}}},
     .overloads = {lift<is_truncated>()}},
    {.name = "genai_message_roles",
     .category = "genai",
     .summary = "The roles of all messages.",
     .params = {{kMessages}},
     .returns = "An array of texts; null when the argument is no array.",
     .examples =
         {{{"print genai_message_roles(dynamic([{'role': 'system', 'content': 'Be brief'}, "
            "{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello'}]))",
            "[\"system\",\"user\",\"assistant\"]"}}},
     .overloads = {lift<message_roles>()}},
    {.name = "genai_output_cost",
     .category = "genai",
     .summary = "The cost of a response, in US dollars.",
     .params = {{{"model", "The model's name; one with a date counts as the model."},
                 {"tokens", "Tokens of the response."}}},
     .returns = "A real; null for an unknown model.",
     .examples = {{{"print genai_output_cost('gpt-4', 1000)", "0.06"}}},
     .overloads = {lift<output_cost>()}},
}};

}  // namespace

std::span<const ScalarFunction> genai_functions() {
  return kGenaiFunctions;
}

}  // namespace evq
