// evq-http(7), from the route table.

#include "http/body_space.h"
#include "http/framing.h"
#include "http/ingest_body.h"
#include "http/lane.h"
#include "http/limits.h"
#include "http/rewriting_claim.h"
#include "http/router.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Text as roff takes it: no line may begin with a control character.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string permission_text(const Route& route) {
  const std::string needed = std::string(route.resource) + "|" + std::string(route.action);
  switch (route.scope) {
    case Scope::kOpen:
      return "Needs no token.";
    case Scope::kToken:
      return "Needs any valid token.";
    case Scope::kDataset:
      return "Needs " + needed + " on the dataset.";
    case Scope::kOrganization:
      return "Needs " + needed + " of the organization.";
    case Scope::kContent:
      return "Needs " + needed + " on what the request names.";
    case Scope::kSomeDataset:
      return "Needs " + needed + " on what the request names, and on some dataset.";
    case Scope::kAnyDataset:
      return "Needs " + needed + " on some dataset.";
  }
  return {};
}

std::string seconds_text(std::int64_t ms) {
  return std::to_string(ms / 1000) + " s";
}

constexpr std::string_view kRequests = R"(.SH REQUESTS
Bodies may have a length or be chunked, and may be announced by
.BR "Expect: 100\-continue" .
Content encodings are gzip, zstd and deflate (in zlib's form), in any case; none, an empty one,
identity and 1 mean plain.
A body that cannot be decoded to its end is refused as a whole, as is one of OTLP, Elasticsearch,
Splunk or Loki of which a part has another shape than it should have: the answer says where.
Unknown URL parameters are ignored. An optional JSON member may be null. A header of one value that
is sent twice with different values is refused with 400;
.B X\-Axiom\-CSV\-Fields
may be sent in parts.
.PP
Events are stored before the answer is sent: status 200 means that they are on the disk. All good
events of one request are kept or none, of one of Splunk's that names several indexes those of each;
what is wrong with others is listed in
.IR failures .
Where the dataset is deleted meanwhile they go into a new one of its name, and get 503 only when
that is deleted time and again.
.B timestamp\-field
and
.B timestamp\-format
(a Go layout) of the URL say where the event's time is, in one field or in several with commas
between,
.B X\-Axiom\-Event\-Labels
adds members to every event,
.B X\-Axiom\-CSV\-Fields
names the fields of CSV without a header, and
.B csv\-delimiter
of the URL separates its cells. Where
.B timestamp\-field
names another field than _time, as Elasticsearch's bulk does with @timestamp, an event's own _time
counts only when that field is absent or null, and is left out otherwise. Without a Content\-Type
the first byte tells JSON from CSV, which then must have rows under its header.
.PP
Of OTLP in JSON,
.IR traceId ", " spanId " and " parentSpanId
are 32, 16 and 16 hexadecimal digits, or empty, and anything else is refused. NaN and the infinities
of a
.I doubleValue
are null. A record whose time cannot be read is rejected alone, in
.IR partialSuccess .
Members that OTLP does not have are ignored. Of those that it has an event lacks
.I observedTimeUnixNano
where a record has its own time,
.IR flags ,
the counts of what the sender dropped, and schemas. A span that ends before it begins has no
.IR duration ,
but its
.IR end_time .
.PP
Events of every form are kept when a text in them is broken UTF\-8 or a surrogate without its other
half, which become U+FFFD, or a number is beyond every real, which becomes null. OTLP and Loki's
pushes without a Content\-Type are JSON when they begin as an object does, and Protocol Buffers
otherwise.
.PP
Of Splunk's collector,
.IR host ", " source " and " sourcetype
of the URL are for events that have none of their own, and
.I index
of the URL goes before that of an event. Of two members of one name that of the envelope goes before
the event's own and that before one of
.IR fields ;
the later is kept with
.I _user
before its name, as _user_host, unless it says the same. A raw body whose Content\-Type is
application/json is events of its objects when it holds nothing but objects, and events of its lines
otherwise. A refusal tells the first event that is wrong in
.IR invalid\-event\-number ,
from 0, and why a body is no JSON in
.IR detail ,
which Splunk does not have. An event whose envelope has no
.I time
gets that of its receipt; with
.I auto_extract_timestamp=true
in the URL (t, yes, y, on or 1 will do as well, as for every switch in a URL), one that is a text
gets the time that the text begins with, as evq ingest reads it.
Lines of a raw body get theirs without being told to, and a line that says none that of the line
before it. When some events of good JSON cannot be kept, for their time or their
size, the others are.
.PP
Of Loki's pushes, labels and metadata are members of the event, before which its _time and
.I line
come, and metadata before labels: of two of one name the later is kept with
.I _user
before it, as _user_line, unless a label says what the metadata says; an entry that has a name of
more than 200 bytes then is refused. So is one whose time evq cannot hold; the others are kept, and
the answer is 400.
.PP
A query is {"apl": text} with startTime and endTime (RFC 3339, now, now\-6h; a closed interval;
0001\-01\-01 means none),
cursor, includeCursor, includeCursorField, limit, defaultLimit, defaultOrder, variables and
maxBinAutoGroups, the number of bins that bin_auto() makes of the range at most. The
answer to a
.B summarize
by a bin of _time has a second table,
.BR _totals :
the same without the bin, also where a limit of groups, columns added, renamed or left out, a
condition on the groups, a sort or a render comes after it.
An answer that the default limit has ended (1,000 rows, or defaultLimit) says so in
.IR status.messages ,
with the code default_limit_warning. A table without fields has one column, which is empty.
In the legacy form
.IR _time " and " _sysTime
of an event are times: of what else a query gives these names
.I data
has the values.
.PP
.I defaultOrder
is the order of an answer that the query does not sort itself: a list of {field, desc}, of fields that
the answer has, or it is refused.
.PP
A query of the older form names fields by member. There an
.I alias
of
.I project
stands for its field in
.IR filter ", " aggregations ", " groupBy " and " order ,
before a field of the same name; errors name the member that they are about.
.I caseSensitive
is about starts\-with, ends\-with, contains and their opposites, and false unless given; == and !=
always tell letters apart. An aggregation is called by its alias, or else by its operator in capitals.
.PP
Members that a client always sends count as absent where they are null or empty: an
.I alias
or
.I argument
that is "", a filter whose
.I op
is "", fields of
.IR order ", " groupBy " and " project
that are "". A list of
.I children
of and or or that is absent, null, or holds nothing but such filters is no filter; [] of or matches no
event, and [] of and every one. A dotted name is read as a.b is in APL, into a map field too, where the
key may have dots of its own.
.I limit
counts events, or the groups of an answer with aggregations: the first in the order that is asked for.
With a
.I resolution
these are the totals, and the series has the same groups.
.PP
Annotations, virtual fields, monitors, notifiers and views keep every member that they are given,
those that evq does not know too, once these are found good; else the request is refused with 400.
One that is null was not given, and is not kept; what members have of their own stays as it is.
Of all kinds
.IR description " and " type
are texts, as is the
.I unit
of a virtual field. An annotation needs
.I type
(small letters, digits and hyphens) and
.IR datasets ,
a list of names; its
.IR time " and " endTime
are times in that order, and title, description and url are texts of no more than 256, 512 and 512
characters. A virtual field needs
.IR dataset ", " name " and " expression ,
which is one APL expression; a name that a virtual field of the dataset has already is 409, as is that of
a field of its events, for who may query it. Its name may be one that a map field may have: up to
200 bytes, none of evq's own, as _time, and not one between two underscores on either side.
A monitor needs a
.IR name ;
what tells when it runs and compares
.RI ( threshold ", " tolerance ", " intervalMinutes ", " rangeMinutes ", " secondDelay ,
.IR triggerFromNRuns ", " triggerAfterNPositiveResults ", " compareDays )
are numbers,
.IR alertOnNoData ", " notifyByGroup ", " resolvable ", " disabled ", " notifyEveryRun
and
.I skipResolved
are true or false,
.I operator
is a text,
.I notifierIds
(or notifierIDs, as which it is not answered) a list of texts and
.I disabledUntil
a time; of aplQuery and mplQuery it has one at most. Notifiers and views need a
.IR name ;
the
.I properties
of the first are an object,
.I datasets
of the others a list of names and
.I aplQuery
a text.
Times that are not RFC 3339, such as a date alone, are kept as such times.
A dashboard is kept in the same way, and needs
.IR name ", " timeWindowStart " and " timeWindowEnd ,
texts;
.I refreshTime
(15, 60 or 300);
.IR schemaVersion ,
2;
.IR charts ,
each with its
.IR id " and " type ;
and
.IR layout ,
each place with
.IR i ", the id of a chart, and " x ", " w " and " h .
.SH PAGES
Sort by _time and limit in the query; send
.I status.maxCursor
of an answer (ascending) or
.I status.minCursor
(descending) as the next request's
.IR cursor .
A page without rows answers the cursor it was sent: that is the end. Events of equal times come
exactly once, new events do not disturb pages behind the cursor, and cursors survive a restart.
A union of datasets is paged in the same way; its cursors are no cursors of one of them alone,
nor those of a dataset of another one.
Subqueries and the right sides of join and lookup read all events for every page.
.PP
These pages go by _time: an event that arrives late, with a time before the cursor's, is on none of
those that follow. So may be one without a time of its own, whose request was received before
another and stored after it. Who watches a dataset sends the older query with
.B streaming\-duration
(5s) and no order but that of _time, ascending. Its events come in the order in which they arrive,
each once whatever its time, if that is not before startTime; endTime does not count. The
.I _rowId
of the last one is the next request's
.IR cursor .
.PP
A cursor names an event. Pages are of events that come in the order of _time, ascending or
descending, and of nothing else: as they are unsorted, by
.BR "sort by _time" ,
or by
.BR "top N by _time" .
The answer to any other query has empty cursors, and is refused a cursor with 400 that says
why: summarize, count and distinct, further keys or other orders, mv\-expand, functions that look at
other rows, a dataset that is read twice. Where join or lookup give several rows of one event, so is a
page that would end among them.
Such answers are paged by startTime and endTime.
)";

std::string limits_section() {
  std::string text = ".SH LIMITS\n";
  const auto row = [&](std::string_view what, const std::string& limit) {
    text.append(".TP\n").append(what).append("\n").append(limit).append("\n");
  };
  row("request line and headers", size_text(kHttpHeaderBytesMax) + ", " +
                                      std::to_string(kHttpHeadersMax) +
                                      " headers; as much again of trailers");
  row("address", size_text(kHttpTargetBytesMax));
  row("body of an ingest", size_text(kHttpIngestBodyBytesMax) + " as sent, " +
                               size_text(kHttpIngestDecodedBytesMax) + " decoded; zstd may want " +
                               size_text(std::size_t{1} << kHttpZstdWindowLogMax) +
                               " kept while it is read (\\-\\-long=23)");
  row("body of OTLP, bulk, Splunk and Loki",
      size_text(kHttpIngestBodyBytesMax) + " as sent and decoded. These are rewritten in memory, " +
          std::to_string(kRewritingShare) + " bytes for each of theirs, " +
          std::to_string(kRewritingValueBytes) +
          " for each value where values are short, and two for each of the events, in " +
          size_text(kRewritingBytesMax) +
          " for all at once. Large ones wait for theirs in the order in which they came; what does "
          "not fit within " +
          seconds_text(kQueryQueueMsMax) + " gets 503");
  row("one message of Protocol Buffers",
      std::to_string(kProtobufFieldsMax) +
          " fields, each entry of a list counted, such as the records of a scope; and " +
          size_text(kProtobufJoinedBytesMax) + " of messages that come in pieces");
  row("one line of a body", size_text(kHttpLineBytesMax));
  row("an _id of a bulk or of a document", std::to_string(kElasticIdBytesMax) + " bytes");
  row("body of an annotation, virtual field, monitor, notifier or view",
      size_text(kHttpObjectBytesMax) + ", and what a change makes of an annotation");
  row("any other body", size_text(kHttpQueryBodyBytesMax) + ", and " +
                            size_text(kHttpIngestBodyBytesMax) + " of what Beats set up");
  row("bodies that come in",
      size_text(kHttpBodiesMemoryBytesMax) + " of all in memory, the rest in " +
          size_text(kHttpBodiesFileBytesMax) + " of files in the store's folder, which leave " +
          size_text(kBodiesDiskFreeBytesMin) + " of its disk; who finds no room gets 503");
  row("aggregations of a query of the older form", std::to_string(kLegacyAggregationsMax));
  row("capabilities of a token", size_text(kTokenCapabilitiesBytesMax) + ", without blanks");
  row("unit and description of a field",
      std::to_string(kFieldUnitBytesMax) + " bytes and " + size_text(kFieldDescriptionBytesMax));
  row("map fields of a dataset", std::to_string(kMapFieldsMax));
  row("virtual fields of a dataset", std::to_string(kVirtualFieldsMax));
  row("rows of an answer", std::to_string(kResultRowsDefault) + " unless said otherwise, at most " +
                               std::to_string(kResultRowsMax));
  row("answers that wait to be read",
      size_text(kAnswerTextBytesMax) + " of each in memory, the rest of all in " +
          size_text(kAnswerFileBytesMax) +
          " of files in the store's folder, or where those find no room in " +
          size_text(kAnswerBorrowedBytesMax) + " of memory; who finds none gets 503");
  row("time of a query", seconds_text(kQueryTimeMsDefault) + "; \\-\\-timeout. Of a completion " +
                             seconds_text(kCompletionMsMax));
  row("memory of all queries", size_text(kQueryMemoryBytesDefault) +
                                   "; \\-\\-memory\\-limit. The process takes more than the limit: "
                                   "evq\\-store(5) says what is not counted");
  row("queries at once", std::to_string(kQueriesPerProcessorMax) + " a processor, " +
                             std::to_string(kQueriesQueuedMax) + " waiting for " +
                             seconds_text(kQueryQueueMsMax));
  row("other requests at once",
      std::to_string(kHttpWritesMax) + " that store or define something, and " +
          std::to_string(kHttpLargeWritesMax) + " with a body of more than " +
          size_text(kHttpSerialBodyBytesMax) + " as sent or, of an ingest, decoded; " +
          std::to_string(kHttpWritesQueuedMax) + " of either waiting for " +
          seconds_text(kQueryQueueMsMax) + "; " + std::to_string(kHttpUpkeepMax) +
          " that vacuum or check, " + std::to_string(kHttpUpkeepQueuedMax) + " waiting");
  row("requests a minute of one token",
      "any number; with \\-\\-rate\\-limit answers carry X\\-RateLimit\\-Scope (user, or anonymous "
      "for an address), \\-Limit, \\-Remaining and \\-Reset, and more requests get 429 with "
      "Retry\\-After");
  row("connections",
      std::to_string(kHttpConnectionsMax) +
          ", and no more than half of the descriptors (ulimit \\-n); the oldest idle ones are "
          "closed to make room, or else the one whose request has been coming for longest");
  row("connections that have sent no request with a valid token",
      std::to_string(kHttpUnprovenRequestsMax) +
          " answers of each; where nobody else makes room, the one whose answer has been going for "
          "longest does. Over TLS each takes some 150 KiB once the client has begun: of more "
          "than " +
          std::to_string(kHttpUnprovenMax) + " the oldest goes after " +
          seconds_text(kHttpProofMsMax) + ", of more than " +
          std::to_string(kHttpUnprovenBurstMax) + " at once");
  row("datasets that stay open when nobody uses them",
      std::to_string(kOpenDatasetsMax) + ", and no more than one for " +
          std::to_string(kDescriptorsPerOpenDataset) +
          " descriptors; where nearly all are taken (ulimit \\-n), who needs one more dataset gets "
          "503");
  row("time for a header", seconds_text(kHttpHeaderMsMax));
  row("least rate of a body", size_text(kHttpBodyBytesPerSecondMin) + " a second over " +
                                  seconds_text(kHttpBodyRateWindowMs));
  row("least rate of an answer's reader",
      size_text(kHttpAnswerBytesPerSecondMin) + " a second over " +
          seconds_text(kHttpAnswerRateWindowMs) + ", as its machine acknowledges them");
  row("idle connection", seconds_text(kHttpIdleMsMax) + "; clients are told to expect " +
                             seconds_text(kHttpIdleMsMax - kHttpIdleMarginMs) +
                             " (Keep\\-Alive: timeout=)");
  return text;
}

constexpr std::string_view kAccessLog = R"(.SH ACCESS LOG
Unless it runs with
.B \-\-no\-access\-log
or
.BR \-\-quiet ,
the server writes a line of JSON to standard error for each request, with
.I time
of the end of the answer,
.I peer
(address and port),
.IR method ,
.I path
without its parameters, where what a terminal would act on or show in another order is escaped,
.IR status ,
.I duration_us
from the head to the end of the answer,
.I request_bytes
and
.I response_bytes
of the bodies as sent,
.I token
(its id) and
.I trace_id
(that of X\-Axiom\-Trace\-Id). Status 499 is a request whose connection ended before the answer; it
counts as 4xx in
.BR /metrics .
)";

constexpr std::string_view kThreats = R"(.SH SECURITY
The server is made to be reached by programs that hold a token, over the loopback or a network that
somebody may listen to.
.PP
.I Who may do what.
A token is 256 random bits, shown once; the store keeps its SHA\-256. An API token may do what its
capabilities say, checked on every dataset that the bound query reads (joins, unions, wildcards and
subqueries included); what it may not see looks as if it were not there. Who may query a dataset reads
its fields, sizes and times without datasets|read; who may delete from it learns from dry runs which
events it has without query|read; who may only ingest finds it in lists, and no more. A personal token may do
everything but must name the organization, and can neither delete blocks nor ingest, but under the
older path /v1/datasets/{dataset}/ingest and by OTLP. A deleted or expired token
stops working within a second or two, for a request that waits for events and for a query that runs
as well. Tokens are taken from headers only, never from an address, and are
never logged; processes that hold tokens leave no core dump.
.PP
.I Bad input.
Requests whose length can be read in two ways are refused and their connection closed. Names of
datasets are letters, digits, dot, hyphen and underscore, and are never part of a path. Every size,
depth, time and count above is bounded before memory is spent; a decompressor stops at 200 times its
input once it gave 16 MiB. Slow senders and slow readers hold a connection, no thread, and are left when they are too slow; where
connections are short, nobody without a token keeps one that others need. Bodies of GET requests end at 4 KiB.
.PP
.I Web pages.
No cookie exists. A page of another origin gets no CORS headers unless \-\-cors\-origin names it, and
without tokens (\-\-no\-auth, on the loopback only) its requests are refused, as is every request
whose Host is not localhost, 127.x or [::1], which pages can make their own name lead to.
.PP
.I Not defended against:
whoever may read the store's directory (its files are private to their user, but not encrypted);
whoever listens to a connection without TLS (\-\-tls\-cert, \-\-tls\-key); a holder of a valid token
who fills the disk or keeps all workers busy within the limits. How many requests a minute a token
may send is not limited unless
.B \-\-rate\-limit
says so.
)";

}  // namespace

std::string render_http_manual() {
  std::string page =
      ".TH EVQ\\-HTTP 7 \"\" \"evq " EVQ_VERSION
      "\" \"evq manual\"\n"
      ".SH NAME\nevq\\-http \\- the HTTP API of evq serve\n"
      ".SH DESCRIPTION\n"
      "Bodies and answers are JSON unless said otherwise. Every request carries\n"
      ".B Authorization: Bearer TOKEN\n"
      "unless the server runs with \\-\\-no\\-auth; a personal token (xapt\\-) also needs the\n"
      "organization's id in x\\-service\\-org\\-id or X\\-Axiom\\-Org\\-Id. A failed request "
      "answers\n"
      "{\"code\": status, \"message\": text}, with the hint that a message ends in as a third\n"
      "member, or what the clients of its endpoint read; failed\n"
      "authentication is always 403. Every answer "
      "has\n"
      "an X\\-Axiom\\-Trace\\-Id.\n"
      ".SH ENDPOINTS\n";
  for (const Route& route : routes()) {
    page += ".TP\n.B " + std::string(route.method) + " " + escaped(route.pattern) + "\n";
    page += escaped(route.summary) + "\n" + escaped(permission_text(route)) + "\n";
  }
  page.append(kRequests).append(limits_section());
  page +=
      ".SH STATUS CODES\n"
      "200 and 201 done; 204 done, no body; 400 malformed request or query; 403 authentication or\n"
      "permission; 404 not found; 405 wrong method; 408 too slow; 409 name taken;\n"
      "412 a dashboard that has changed; 413 too large;\n"
      "415 content type or encoding; 422 no body, or a query over its time or memory limit; 429 "
      "too\n"
      "many requests; 503 busy or a full disk, with Retry\\-After, stopping, or on a read\\-only "
      "file\n"
      "system.\n"
      "X\\-Evq\\-Error of a refusal names its kind: timeout, data, disk\\-full and so on.\n";
  page.append(kAccessLog).append(kThreats);
  page += ".SH SEE ALSO\n.BR evq (1),\n.BR evq\\-apl (7)\n";
  return page;
}

}  // namespace evq
