#include "cli/completion.h"

#include <algorithm>
#include <utility>

#include "apl/service/reference.h"
#include "apl/service/service.h"
#include "apl/syntax/words.h"
#include "cli/commands.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/terminal/text_width.h"
#include "http/wire_answer.h"

namespace evq {
namespace {

constexpr std::string_view kBash = R"SCRIPT(# bash completion for evq: source <(evq completion bash)
_evq() {
  local line= word= typed= before= files=0 i
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do  # bash takes --option=value apart
    word=${COMP_WORDS[i]}
    if [[ $typed == --* && ( $word == = || $typed == *= ) ]]; then
      typed+=$word
      words[${#words[@]} - 1]=$typed
    else
      typed=$word
      words+=("$word")
    fi
  done
  [[ $typed != "$word" ]] && before=${typed%%=*}=
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then files=1; continue; fi
    line=${line%%$'\t'*}
    printf -v word %q "${line#"$before"}"
    COMPREPLY+=("$word")
  done < <(evq __complete "${words[@]}" 2>/dev/null)
  if [ "$files" = 1 ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done \
      < <(compgen -f -- "${typed#"$before"}")
  fi
}
complete -F _evq evq
)SCRIPT";

constexpr std::string_view kZsh = R"SCRIPT(#compdef evq
# zsh completion for evq: put this into a file _evq of a directory in $fpath
_evq() {
  local line meaning files=0
  local -a offered
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1; continue; fi
    meaning="${line#*$'\t'}"
    offered+=("${${line%%$'\t'*}//:/\\:}${meaning:+:$meaning}")
  done < <(evq __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#offered} )) && _describe evq offered -U  # evq has chosen, also names that need quotes
  (( files )) || return
  [[ "${words[CURRENT]}" == --*=* ]] && compset -P '*='
  _files
}
if [ "$funcstack[1]" = "_evq" ]; then _evq "$@"; else compdef _evq evq; fi
)SCRIPT";

constexpr std::string_view kFish = R"SCRIPT(# fish completion for evq: evq completion fish | source
function __evq_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  for line in (evq __complete $words 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c evq -f -a "(__evq_complete)"
)SCRIPT";

using Candidates = std::vector<CompletionPlan::Candidate>;

Status add_remote_names(const GlobalOptions& global, const CompletionPlan& plan,
                        Candidates* names) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<RemoteServer> server,
                 RemoteServer::open(global, RemoteServer::Patience::kQuick));
  const auto add = [&](std::string_view target, const char* member,
                       std::string_view meaning) -> Status {
    EVQ_TRY_ASSIGN(const std::string answer, server->call("GET", target));
    EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
    for (const std::string& item : items) {
      EVQ_TRY_ASSIGN(std::string name, read_text_member(item, member));
      names->push_back({std::move(name), std::string(meaning), {}});
    }
    return Status::success();
  };
  if (plan.datasets) {
    EVQ_TRY(add("/v2/datasets", "name", "dataset"));
  }
  return plan.saved_queries ? add("/v2/apl-starred-queries?limit=1000", "id", "saved query")
                            : Status::success();
}

Status add_names(const GlobalOptions& global, const CompletionPlan& plan, Candidates* names) {
  if (global.remote()) {
    return add_remote_names(global, plan, names);
  }
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_service(global, existing_store()));
  Definitions& definitions = service->store().definitions();
  if (plan.datasets) {
    EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, definitions.datasets());
    for (const DatasetDefinition& dataset : datasets) {
      names->push_back({dataset.name, "dataset", {}});
    }
  }
  if (plan.saved_queries) {
    EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects,
                   definitions.objects(ObjectKind::kSavedQuery, ""));
    for (const StoredObject& object : objects) {
      names->push_back({object.id, object.name, {}});
    }
  }
  return Status::success();
}

}  // namespace

int run_complete(const GlobalOptions& global, const CompletionPlan& plan,
                 const std::string& prefix) {
  Candidates candidates = plan.candidates;
  if (plan.datasets || plan.saved_queries) {
    const std::size_t first = candidates.size();
    (void)add_names(global, plan, &candidates).ok();
    for (std::size_t i = first; plan.in_query && i < candidates.size(); ++i) {
      candidates[i].name = candidates[i].text;
      candidates[i].text = syntax::quote_name(candidates[i].name);
    }
  }
  if (plan.topics) {
    for (std::string& name : reference_names()) {
      candidates.push_back({std::move(name), "", {}});
    }
  }
  const std::string_view typed = std::string_view(prefix).substr(plan.before.size());
  std::string text;
  for (const CompletionPlan::Candidate& candidate : candidates) {
    const bool meant = candidate.text.starts_with(typed) ||
                       (!candidate.name.empty() && candidate.name.starts_with(typed));
    // A name that cannot be shown as it is cannot be typed either.
    if (meant && visible_text(candidate.text) == candidate.text) {
      text += plan.before + candidate.text + "\t" + visible_text(candidate.meaning) + "\n";
    }
  }
  text += plan.files ? ":files\n" : "";
  return print_data(text);
}

int run_completion(const GlobalOptions& /*global*/, const CompletionCommand& command) {
  const std::string_view script = command.shell == "bash"  ? kBash
                                  : command.shell == "zsh" ? kZsh
                                                           : kFish;
  return print_data(script);
}

}  // namespace evq
