#pragma once
// What the command line knows of exports before one runs: the forms they can be written in. Pure;
// any thread.

#include <string>
#include <vector>

namespace evq {

// Lists the forms, that of standard output first; each is also the suffix of a file: events.csv.
std::vector<std::string> export_form_names();

}  // namespace evq
