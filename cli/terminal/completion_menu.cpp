#include "cli/terminal/completion_menu.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text_width.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

std::string_view shown_name(const Completion& completion) {
  return completion.display.empty() ? completion.replacement : completion.display;
}

}  // namespace

bool begins_as_typed(const Completion& completion, std::string_view typed) {
  if (completion.replacement.starts_with(typed)) {
    return true;
  }
  const std::size_t bare = typed.find_first_not_of("['\"");
  typed = bare == std::string_view::npos ? std::string_view() : typed.substr(bare);
  return fold_case(shown_name(completion)).starts_with(fold_case(typed));
}

std::string common_prefix(const CompletionList& list) {
  if (list.items.empty()) {
    return "";
  }
  const std::string_view first = list.items[0].replacement;
  std::size_t size = first.size();
  for (const Completion& item : list.items) {
    const std::size_t limit = std::min(size, item.replacement.size());
    size = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(limit),
                      item.replacement.begin())
            .first -
        first.begin());
  }
  return std::string(utf8_prefix(first, size));
}

void CompletionMenu::open(CompletionList list, std::string_view text, std::size_t cursor) {
  list_ = std::move(list);
  chosen_.reset();
  text_ = text;
  cursor_ = cursor;
}

void CompletionMenu::step(bool forward) {
  const std::size_t count = list_->items.size();
  if (!chosen_) {
    chosen_ = forward ? 0 : count - 1;
  } else {
    chosen_ = forward ? (*chosen_ + 1) % count : (*chosen_ + count - 1) % count;
  }
}

void CompletionMenu::jump(std::ptrdiff_t count) {
  const auto last = static_cast<std::ptrdiff_t>(list_->items.size()) - 1;
  const std::ptrdiff_t from = chosen_ ? static_cast<std::ptrdiff_t>(*chosen_) : 0;
  chosen_ = static_cast<std::size_t>(count < 0 ? from - std::min(from, -count)
                                               : from + std::min(last - from, count));
}

const Completion* CompletionMenu::chosen() const {
  return chosen_ ? &list_->items[*chosen_] : nullptr;
}

void CompletionMenu::append_rows(FrameBuilder& frame, std::size_t rows_max, bool color) const {
  const std::vector<Completion>& items = list_->items;
  const bool scrolls = items.size() > rows_max;
  const std::size_t rows = scrolls ? std::max<std::size_t>(rows_max, 2) - 1 : items.size();
  const std::size_t at = chosen_.value_or(0);
  const std::size_t first =
      scrolls ? std::min(at - std::min(at, rows / 2), items.size() - rows) : 0;
  std::size_t name_width = 0;
  for (std::size_t i = first; i < first + rows; ++i) {
    name_width = std::max(name_width, text_width(visible_text(shown_name(items[i]))));
  }
  for (std::size_t i = first; i < first + rows; ++i) {
    const bool selected = chosen_ == i;
    frame.break_line();
    const std::size_t room = frame.columns_left() - std::min<std::size_t>(frame.columns_left(), 3);
    name_width = std::min(name_width, room);
    std::string name = truncate_to_width(visible_text(shown_name(items[i])), name_width);
    name.append(name_width - std::min(name_width, text_width(name)), ' ');
    frame.append(selected ? "> " : "  ", TextStyle::kPlain);
    frame.append(name, selected && color ? TextStyle::kSelected : TextStyle::kPlain);
    if (!items[i].detail.empty() && room > name_width + 2) {
      const std::string detail = visible_text(items[i].detail, LineBreaks::kEscape, room);
      frame.append("  ", TextStyle::kPlain);
      frame.append(truncate_to_width(detail, room - name_width - 2), TextStyle::kDim);
    }
  }
  if (scrolls) {
    frame.break_line();
    const std::string count = std::to_string(items.size());
    const std::string place = chosen_ ? std::to_string(at + 1) + " of " + count : count + " in all";
    frame.append("  " + place, TextStyle::kDim);
  }
}

}  // namespace evq
