#pragma once
// What values options take, checked when the command line is read, so that a mistake is one usage
// error that names the option. A message may have a second line: the hint. Only the options*.cpp
// files, which see CLI11, include this.

#include <string>
#include <vector>

namespace CLI {
class Validator;
}  // namespace CLI

namespace evq {

// Takes one of these words; the message names the nearest, or says `file_hint` of what looks like a
// file's name; with `lists_all` it names them all. Completion reads the words off the type.
CLI::Validator one_of(std::vector<std::string> words, std::string file_hint = {},
                      bool lists_all = false);
// Takes "1h", "7d": that long ago; or a time.
CLI::Validator duration_or_time();
// Takes RFC 3339, now-6h, -7d, Unix times.
CLI::Validator point_in_time();
// Takes what parse_seconds() reads; the option gets the number.
CLI::Validator some_seconds();
// Takes 0, 1, 2, … up to what 64 bits hold.
CLI::Validator whole_number();
// Takes "512M", "2G".
CLI::Validator size_of_memory();

}  // namespace evq
