#include "apl/syntax/expectations.h"

#include <algorithm>

namespace evq::syntax {

namespace {

template <class Item>
void add_once(std::vector<Item>* items, Item item) {
  if (std::find(items->begin(), items->end(), item) == items->end()) {
    items->push_back(item);
  }
}

}  // namespace

bool Expectations::expects(Expected kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// The parser backs out of nested pipelines once the end is reached and keeps asking on its way;
// what lay around the end was complete at the first question.
void ExpectationRecorder::reach_end() {
  if (!reached_) {
    reached_ = true;
    found_.scopes = live_;
    found_.aggregates = aggregates_;
    found_.statement_begin = statement_begin_;
  }
}

void ExpectationRecorder::note(Expected kind) {
  reach_end();
  add_once(&found_.kinds, kind);
}

void ExpectationRecorder::note_word(std::string_view word) {
  reach_end();
  add_once(&found_.words, word);
}

void ExpectationRecorder::note_infix(std::string_view word) {
  reach_end();
  add_once(&found_.infix, word);
}

void ExpectationRecorder::note_option(std::string_view name) {
  reach_end();
  add_once(&found_.options, name);
}

void ExpectationRecorder::note_call(std::string_view function, std::size_t argument) {
  reach_end();
  if (found_.function.empty()) {
    found_.function = function;
    found_.argument = argument;
  }
}

void ExpectationRecorder::note_compared(std::string field) {
  reach_end();
  if (found_.compared_field.empty()) {
    found_.compared_field = std::move(field);
  }
}

void ExpectationRecorder::begin_statement(std::size_t begin) {
  statement_begin_ = begin;
  live_.clear();
}

void ExpectationRecorder::enter_pipeline(std::size_t begin) {
  live_.push_back({.is_block = false, .begin = begin, .operators = {}});
}

void ExpectationRecorder::enter_block(std::size_t begin) {
  live_.push_back({.is_block = true, .begin = begin, .operators = {}});
}

void ExpectationRecorder::begin_operator(std::size_t begin) {
  aggregates_ = false;
  if (!live_.empty()) {
    live_.back().operators.push_back(begin);
  }
}

}  // namespace evq::syntax
