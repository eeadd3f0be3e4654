#pragma once
// What the command line knows of exports before one runs: the forms they can be written in. Pure;
// any thread.

#include <string>
#include <vector>

namespace evq {

// The first one is that of standard output; each is also how a file of it is called: events.csv.
std::vector<std::string> export_form_names();

}  // namespace evq
