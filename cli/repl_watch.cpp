// .watch: a query whose answer is shown again and again, drawn in the place of the last one.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/missed_events.h"
#include "cli/output.h"
#include "cli/repl.h"
#include "cli/repl_arguments.h"
#include "cli/terminal/live_frame.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/time.h"

namespace evq {
namespace {

// "2024-05-01T12:00:00Z  every 2 s  web | count"
std::string heading_of(const std::string& apl, double seconds, const DisplayZone& zone) {
  constexpr std::int64_t kFractionNs = kSecondNs / 10;
  const std::int64_t now = wall_clock_now_ns();
  std::string text;
  zone.append_instant(&text, floor_to(now, seconds < 1 ? kFractionNs : kSecondNs).value_or(now));
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "  every %g s  ", seconds);
  std::string line = apl;
  std::ranges::replace(line, '\n', ' ');
  return text + number.data() + visible_text(line);
}

}  // namespace

Status Repl::watch_once(QueryRequest request, double seconds, LiveFrame& frame) {
  InterruptScope interrupt(Interrupted::kInput,
                           static_cast<std::int64_t>(settings_.timeout_s * 1000));
  request.control = &interrupt.control();
  const std::string heading = heading_of(request.apl, seconds, settings_.zone);
  EVQ_TRY(answer(request, interrupt.control()));
  const bool screen = is_terminal(STDOUT_FILENO);
  const bool color = use_color(global_.color, environment_, screen);
  if (!screen || answers_go_to_file()) {
    tell(heading);
    EVQ_TRY(show(*last_answer_, settings_.form));
    return interrupt.control().check();
  }
  const TerminalSize size = device_->size();
  TableOutputOptions options = output_options(settings_.form);
  fit_to_standard_output(&options, global_.color);
  const std::vector<std::string> remarks =
      global_.quiet ? std::vector<std::string>() : remarks_on(request);
  // A picture leaves room for the heading and the remarks.
  options.rows = std::max<std::size_t>(options.rows, remarks.size() + 2) - remarks.size() - 1;
  std::string above;
  append_styled(above, truncate_to_width(heading, size.columns), TextStyle::kBold, color);
  frame.begin(size);
  const ByteSink out = frame_sink(frame);
  bool broken = true;  // the line
  EVQ_TRY(out(above + "\n"));
  EVQ_TRY(lay_out(*last_answer_, options, [&](std::string_view bytes) {
    broken = bytes.empty() ? broken : bytes.ends_with('\n');
    return out(bytes);
  }));
  std::string below = broken ? "" : "\n";
  for (const std::string& remark : remarks) {
    below += remark + "\n";
  }
  EVQ_TRY(out(below + footer(color)));
  EVQ_TRY(finish_frame(frame));
  return interrupt.control().check();
}

bool Repl::wait_for_next(double seconds) {
  constexpr int kStepMs = 20;
  constexpr std::string_view kLeaving = "qQ\x04";  // and Ctrl-D
  const std::int64_t until = monotonic_now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  do {
    if (!interrupt_control().check().ok()) {
      return false;
    }
    if (!device_->is_interactive()) {
      pause_ms(kStepMs);
      continue;
    }
    std::array<char, 64> keys{};
    const ReadOutcome read = device_->read(keys, kStepMs);
    if (read.state == ReadState::kEnd ||
        std::string_view(keys.data(), read.size).find_first_of(kLeaving) !=
            std::string_view::npos) {
      return false;
    }
  } while (monotonic_now_ns() < until);
  return true;
}

Status Repl::watch(const std::string& apl, double seconds) {
  EVQ_TRY(check_typed(".watch goes on until a key ends it, and there are none",
                      "a shell repeats a query: while sleep 2; do evq query …; done"));
  if (apl.empty() && last_query_.empty()) {
    return make_error(ErrorCode::kUsage, "there is no query yet",
                      "write .watch and the query, or run it first");
  }
  if (!find_store()) {
    return Status::success();
  }
  if (!apl.empty()) {
    last_query_ = whole_query(apl);
    saved_query_.reset();
  }
  const std::string query = last_query_;
  LiveFrame frame(STDOUT_FILENO, device_->is_interactive(), is_interrupted);
  device_->hide_keys();
  Status done = Status::success();
  do {
    done = watch_once(last_request(), seconds, frame);
  } while (done.ok() && wait_for_next(seconds));
  device_->leave_raw_mode();
  if (!device_->is_interactive()) {
    device_->write("\n");  // behind the ^C
  }
  if (!done.ok() && done.error().code != ErrorCode::kCancelled) {
    fail(done.error(), query);
  }
  return Status::success();
}

}  // namespace evq
