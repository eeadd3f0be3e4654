#include "store/base/foreign_layout.h"

#include <algorithm>
#include <array>
#include <span>

#include "store/base/ascii.h"

namespace evq {
namespace {

struct ForeignPart {
  std::string_view foreign;
  std::string_view go;
};

constexpr std::array<ForeignPart, 28> kStrftime = {{
    {"%-m", "1"},         {"%-d", "2"},       {"%-H", "15"},   {"%-I", "3"},      {"%-M", "4"},
    {"%-S", "5"},         {"%Y", "2006"},     {"%y", "06"},    {"%m", "01"},      {"%d", "02"},
    {"%e", "_2"},         {"%j", "002"},      {"%b", "Jan"},   {"%B", "January"}, {"%a", "Mon"},
    {"%A", "Monday"},     {"%H", "15"},       {"%I", "03"},    {"%M", "04"},      {"%S", "05"},
    {"%f", "000000"},     {"%L", "000"},      {"%p", "PM"},    {"%z", "-0700"},   {"%Z", "MST"},
    {"%F", "2006-01-02"}, {"%T", "15:04:05"}, {"%R", "15:04"},
}};

// Longer ones before those that they begin with. Those of SQL and of JavaScript's libraries are
// among them: there YYYY and DD are the year and the day of the month.
constexpr std::array<ForeignPart, 33> kJava = {{
    {"YYYY", "2006"},  {"YY", "06"},       {"DD", "02"},   {"MI", "04"},         {"AM", "PM"},
    {"yyyy", "2006"},  {"uuuu", "2006"},   {"yy", "06"},   {"MMMM", "January"},  {"MMM", "Jan"},
    {"MM", "01"},      {"EEEE", "Monday"}, {"EEE", "Mon"}, {"dd", "02"},         {"HH", "15"},
    {"hh", "03"},      {"mm", "04"},       {"ss", "05"},   {"SSSSSS", "000000"}, {"SSS", "000"},
    {"XXX", "Z07:00"}, {"Z", "-0700"},     {"a", "PM"},    {"'T'", "T"},         {"'Z'", "Z"},
    {"M", "1"},        {"d", "2"},         {"H", "15"},    {"h", "3"},           {"T", "T"},
    {"SS", "05"},      {"D", "2"},         {"A", "PM"},
}};

// Empty where a byte that only a part may begin with begins none.
template <class BeginsPart>
std::string translate(std::string_view layout, std::span<const ForeignPart> parts,
                      const BeginsPart& begins_part) {
  std::string out;
  while (!layout.empty()) {
    const auto part = std::ranges::find_if(
        parts, [&](const ForeignPart& row) { return layout.starts_with(row.foreign); });
    if (part == parts.end() && begins_part(layout[0])) {
      return {};
    }
    out.append(part == parts.end() ? layout.substr(0, 1) : part->go);
    layout.remove_prefix(part == parts.end() ? 1 : part->foreign.size());
  }
  return out;
}

}  // namespace

std::string go_layout_from_foreign(std::string_view layout) {
  if (layout.find('%') != std::string_view::npos) {
    return translate(layout, kStrftime, [](char c) { return c == '%'; });
  }
  const auto has = [layout](std::string_view part) {
    return layout.find(part) != std::string_view::npos;
  };
  if (!has("yy") && !has("YY") && !has("HH")) {
    return {};
  }
  if (!has("H") && !has("h") && !has("M") && has("mm")) {
    // A month that was written as minutes are.
    std::string of_months(layout);
    of_months.replace(layout.find("mm"), 2, "MM");
    return translate(of_months, kJava, is_letter);
  }
  return translate(layout, kJava, is_letter);
}

}  // namespace evq
