// The verbs about what the store keeps besides events, its upkeep, and serving it.

#include <CLI/CLI.hpp>

#include "cli/answer_output.h"
#include "cli/list_output.h"
#include "cli/option_checks.h"
#include "cli/option_tree.h"

namespace evq {
namespace {

template <class Action>
struct ActionRow {
  Action action;
  std::string name;
  std::string summary;
};

void add_starred(CLI::App* verb, ParsedOptions* parsed, const CommandHandlers& handlers) {
  StarredCommand* command = &parsed->starred;
  verb->require_subcommand(1);
  using enum StarredAction;
  for (const auto& [action, name, summary] :
       {ActionRow<StarredAction>{kPut, "put", "Store a StarredQuery object under an id"},
        {kGet, "get", "Print a saved query"},
        {kList, "list", "Print all saved queries"},
        {kDelete, "delete", "Remove a saved query"},
        {kRun, "run", "Run a saved query with its own options"}}) {
    CLI::App* sub = verb->add_subcommand(name, summary);
    if (action != kList) {
      sub->add_option("ID", command->id, "The saved query's id")->required();
    }
    if (action == kPut) {
      CLI::Option* const file = sub->add_option("FILE", command->file,
                                                "A StarredQuery object; - or none: standard input");
      sub->add_option("--apl", command->apl, "Save this query, under the name ID")
          ->type_name("APL")
          ->excludes(file);
    }
    if (action == kRun || action == kList) {
      sub->add_option("-o,--output", command->output, "Form of the answer")
          ->check(one_of(action == kRun ? answer_form_names() : list_form_names()));
    }
    sub->callback([=, &handlers, chosen = action] {
      command->action = chosen;
      parsed->chosen = [=, &handlers] { return handlers.starred(parsed->global, *command); };
    });
  }
  set_examples(verb,
               {{"evq starred put errors --apl \"web | where status >= 500\"", "save a query"},
                {"evq starred run errors", "run it"}});
}

// What the word after map-field asks for.
DatasetAction map_field_action(const std::string& word) {
  return word == "add"      ? DatasetAction::kAddMapField
         : word == "remove" ? DatasetAction::kRemoveMapField
                            : DatasetAction::kListMapFields;
}

void add_dataset(CLI::App* verb, ParsedOptions* parsed, const CommandHandlers& handlers) {
  DatasetCommand* command = &parsed->dataset;
  verb->require_subcommand(1);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.dataset(parsed->global, *command); };
  });
  using enum DatasetAction;
  for (const auto& [action, name, summary] :
       {ActionRow<DatasetAction>{kList, "list", "All datasets with counts and sizes"},
        {kInfo, "info", "Counts, sizes and times of one dataset"},
        {kCreate, "create", "Make an empty dataset"},
        {kDelete, "delete", "Remove a dataset and all its events"},
        {kFields, "fields", "The fields of a dataset and their types"}}) {
    CLI::App* sub = verb->add_subcommand(name, summary);
    if (action != kList) {
      sub->add_option("DATASET", command->name, "The dataset's name")->required();
    }
    if (action == kCreate) {
      sub->add_option("--description", command->description, "What it holds");
    }
    if (action == kDelete) {
      sub->add_flag("--yes", command->yes, "Do not ask");
      sub->add_flag("--damaged", command->damaged, "Even if its row in the catalog is damaged");
    }
    if (action == kList || action == kInfo || action == kFields) {
      sub->add_option("-o,--output", command->output, "Form of the answer")
          ->check(one_of(list_form_names()));
    }
    sub->callback([command, chosen = action] { command->action = chosen; });
  }
  CLI::App* map_field = verb->add_subcommand("map-field", "Fields kept as one dynamic value");
  map_field
      ->add_option_function<std::string>(
          "ACTION",
          [command](const std::string& word) { command->action = map_field_action(word); },
          "What to do")
      ->required()
      ->check(one_of({"add", "remove", "list"}));
  map_field->add_option("DATASET", command->name, "The dataset's name")->required();
  map_field->add_option("FIELD", command->field, "The field's full name, unless for list");
  set_examples(verb, {{"evq dataset list", "what there is"},
                      {"evq dataset fields web", "its fields and their types"},
                      {"evq dataset map-field add web labels", "keep labels as one value"}});
}

void add_serve(CLI::App* app, ServeCommand* command) {
  app->add_option("--listen", command->listen, "HOST:PORT (default 127.0.0.1:8080); port 0: any")
      ->type_name("ADDRESS");
  app->add_flag("--no-auth", command->no_auth, "Ask for no tokens; loopback addresses only");
  app->add_option("--tls-cert", command->tls_certificate, "Certificate chain, PEM")
      ->type_name("FILE");
  app->add_option("--tls-key", command->tls_key, "Its private key, PEM")->type_name("FILE");
  app->add_option("--memory-limit", command->memory_limit, "Bytes all queries may hold: 512M, 2G")
      ->check(size_of_memory());
  app->add_option("--timeout", command->timeout_s, "Seconds a query may take (default 60)")
      ->transform(some_seconds());
  app->add_option("--cache-size", command->cache_size,
                  "Bytes of decoded data kept (default: by the data)")
      ->check(size_of_memory());
  app->add_option("--cors-origin", command->cors_origins,
                  "Let web pages of this origin use the API; * for all; repeatable")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  app->add_option("--allow-external", command->external_prefixes,
                  "Let externaldata read this directory or below this address; repeatable")
      ->type_name("PREFIX")
      ->allow_extra_args(false);
  app->add_option("--rate-limit", command->rate_limit,
                  "Requests a minute that each token may send (default: any number)")
      ->check(whole_number());
  app->add_flag("--no-access-log", command->no_access_log, "Write no line for each request");
  app->add_option("--upkeep-ms", command->upkeep_ms, "Milliseconds between rounds of upkeep")
      ->check(CLI::Range(std::int64_t{10}, std::int64_t{60000}));
  set_examples(app, {{"evq serve --no-auth", "for this machine only"},
                     {"evq serve --listen 0.0.0.0:8443 --tls-cert c.pem --tls-key k.pem", ""}});
}

void add_token(CLI::App* verb, ParsedOptions* parsed, const CommandHandlers& handlers) {
  TokenCommand* command = &parsed->token;
  verb->require_subcommand(1);
  using enum TokenAction;
  for (const auto& [action, name, summary] :
       {ActionRow<TokenAction>{kCreate, "create", "Make a token and print it, this once"},
        {kList, "list", "All tokens, without their secrets"},
        {kDelete, "delete", "Revoke a token"}}) {
    CLI::App* sub = verb->add_subcommand(name, summary);
    if (action == kCreate) {
      sub->add_option("--name", command->name, "What the token is for")->required();
      sub->add_option("--description", command->description, "More about it");
      CLI::Option* const ingest =
          sub->add_option("--ingest", command->ingest, "May ingest into this dataset; repeatable")
              ->type_name("DATASET");
      CLI::Option* const query =
          sub->add_option("--query", command->query, "May query this dataset; repeatable")
              ->type_name("DATASET");
      CLI::Option* const allow =
          sub->add_option("--allow", command->allow, "[DATASET:]RESOURCE|ACTION; repeatable")
              ->type_name("PERMISSION");
      sub->add_flag("--personal", command->personal, "May do everything but delete blocks")
          ->excludes(ingest)
          ->excludes(query)
          ->excludes(allow);
      sub->add_option("--expires", command->expires, "now+30d, 2030-01-01, …")->type_name("TIME");
    }
    if (action == kList) {
      sub->add_option("-o,--output", command->output, "Form of the answer")
          ->check(one_of(list_form_names()));
    }
    if (action == kDelete) {
      sub->add_option("ID", command->id, "The token's id, as list shows it")->required();
    }
    sub->callback([=, &handlers, chosen = action] {
      command->action = chosen;
      parsed->chosen = [=, &handlers] { return handlers.token(parsed->global, *command); };
    });
  }
  set_examples(verb, {{"evq token create --name all", "may do everything"},
                      {"evq token create --name shipper --ingest web", "may only send events"}});
}

void add_organization(CLI::App* verb, ParsedOptions* parsed, const CommandHandlers& handlers) {
  verb->require_subcommand(0, 1);
  CLI::App* set = verb->add_subcommand("set", "Choose the id");
  set->add_option("ID", parsed->organization.id, "The new id")->required();
  verb->callback([=, &handlers] {
    parsed->organization.sets_id = set->parsed();
    parsed->chosen = [=, &handlers] {
      return handlers.organization(parsed->global, parsed->organization);
    };
  });
}

}  // namespace

void add_store_verbs(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers) {
  add_dataset(root->add_subcommand("dataset", "Datasets"), parsed, handlers);
  add_starred(root->add_subcommand("starred", "Saved queries"), parsed, handlers);
  CLI::App* verb = root->add_subcommand("serve", "Answer the HTTP API");
  add_serve(verb, &parsed->serve);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.serve(parsed->global, parsed->serve); };
  });
  add_token(root->add_subcommand("token", "Tokens of the HTTP API"), parsed, handlers);
  add_organization(root->add_subcommand("org", "Show or set the organization's id"), parsed,
                   handlers);
  verb = root->add_subcommand("check", "Verify every checksum and invariant of the store");
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.check(parsed->global, parsed->check); };
  });
  verb = root->add_subcommand("compact", "Seal fresh chunks, merge small blocks, free space");
  verb->add_option("DATASET", parsed->compact.dataset, "Only this dataset");
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.compact(parsed->global, parsed->compact); };
  });
  verb = root->add_subcommand("backup", "Copy the whole store while it is in use");
  verb->add_option("DIRECTORY", parsed->backup.directory, "The copy: a folder that is made")
      ->required();
  verb->add_flag("--check", parsed->backup.check, "Then verify the copy, as evq check does");
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.backup(parsed->global, parsed->backup); };
  });
  set_examples(verb, {{"evq backup /mnt/usb/evq-$(date +%F)", "a copy of every day"},
                      {"evq --store /mnt/usb/evq-2024-05-01 query \"web | count\"", "is a store"}});
}

}  // namespace evq
