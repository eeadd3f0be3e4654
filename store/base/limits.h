#pragma once
// Every hard limit of the program, each with the reason for its number; http/limits.h and
// cli/limits.h have those of the server and of the command line alone. Tests iterate over them: at
// the limit all is well, one past it gives the documented error and nothing else. Sizes are bytes
// unless the name says otherwise; times carry their unit in the name.

#include <cstddef>
#include <cstdint>

namespace evq {

inline constexpr std::size_t kKibibyte = 1024;
inline constexpr std::size_t kMebibyte = 1024 * kKibibyte;
inline constexpr std::size_t kGibibyte = 1024 * kMebibyte;

// ---- storage layout
// A row number inside a block fits 16 bits, and a block of typical logs stays a few megabytes.
inline constexpr std::size_t kBlockRowsMax = 65536;
// Rows of a chunk: a whole block moves at once, so that a dictionary is mapped once per block and
// 16-bit codes name any of its entries.
inline constexpr std::size_t kChunkRowsMax = kBlockRowsMax;
// A fresh chunk's uncompressed events; larger ingests seal blocks directly.
inline constexpr std::size_t kFreshChunkBytesMax = 16 * kMebibyte;
// Uncompressed events of one merge's source blocks: a reader decodes whole columns, so the memory
// of queries grows with it. Twice a batch of a load; typical logs fill a block's rows before.
inline constexpr std::size_t kMergedEventBytesMax = 64 * kMebibyte;
// Columns of one merge's source blocks, summed: a merge holds the header entry of every one.
inline constexpr std::size_t kMergedColumnsMax = 65536;
// Bytes of one block's decoded columns: the cap for an allocation made from a stored size.
inline constexpr std::size_t kBlockBytesMax = 1 * kGibibyte;
// The write-ahead log is checkpointed at the target, in small steps while workers of a load are
// busy. From the hard limit on, writers wait for readers each time that it has grown by the target.
inline constexpr std::size_t kWalBytesTarget = 16 * kMebibyte;
inline constexpr std::size_t kWalBytesMax = 128 * kMebibyte;
// Longest wait for another process's write lock, which is held for one commit or checkpoint.
inline constexpr std::int64_t kWriteLockMsMax = 60000;
// Time after which the user is told of such a wait.
inline constexpr std::int64_t kLockWaitToldMs = 2000;
// Free space that loads leave on a disk, so that other work of evq goes on.
inline constexpr std::size_t kDiskReserveBytesMin = 16 * kMebibyte;
// Disk space of a store's reserve file: a delete that marks 20,000 blocks fits, and so does one
// step of reaping and shrinking.
inline constexpr std::size_t kDiskReserveFileBytes = 2 * kMebibyte;

// Problems of one file that a check lists; the others are counted. Each row of a damaged file may
// be one, and nobody reads more.
inline constexpr std::size_t kCheckProblemsMax = 1000;

// Datasets that a process keeps open, with about seven descriptors and 2.5 MiB of pages each. More
// only while they are in use, less where descriptor limit / kDescriptorsPerOpenDataset is less.
inline constexpr std::size_t kOpenDatasetsMax = 128;
inline constexpr std::size_t kDescriptorsPerOpenDataset = 16;

// ---- input policy
// Deep enough for every log seen; parsers keep this many levels, on a stack of theirs or not.
inline constexpr std::size_t kJsonDepthMax = 100;
// Columns of one event: above this the producer puts data into field names.
inline constexpr std::size_t kEventFieldsMax = 1000;
// Fields whose values together may tell an event's time.
inline constexpr std::size_t kTimePartsMax = 8;
// Columns of a dataset: the catalogue row of a field and one segment a block are paid for each.
inline constexpr std::size_t kDatasetFieldsMax = 10000;
// Columns that a header names: those of CSV, of W3C logs and of Zeek. Each is paid for before there
// is an event.
inline constexpr std::size_t kHeaderColumnsMax = kDatasetFieldsMax;
// One field's value at ingest, the same as the service evq is compatible with.
inline constexpr std::size_t kFieldValueBytesMax = 1 * kMebibyte;
// One field's name: the same as the service evq is compatible with.
inline constexpr std::size_t kFieldNameBytesMax = 200;
// Map fields of a dataset: each name is compared and copied by every load, and a field is meant to
// stand for many keys.
inline constexpr std::size_t kMapFieldsMax = 1000;
// Virtual fields of a dataset: all are read for every query of it.
inline constexpr std::size_t kVirtualFieldsMax = 200;
// One input line over HTTP, where many requests share the server's memory.
inline constexpr std::size_t kHttpLineBytesMax = 16 * kMebibyte;
// One input line on the command line, where the user owns the machine.
inline constexpr std::size_t kCliLineBytesMax = 128 * kMebibyte;
// An input batch is handed on at this age, so that events of an endless stream become visible.
inline constexpr std::int64_t kIngestBatchAgeMsMax = 1000;
// Failures listed by name in an ingest answer; the count beside the list stays exact.
inline constexpr std::size_t kIngestFailuresListedMax = 1000;
// Repeated keys in one event: each costs a pass over the event's fields.
inline constexpr std::size_t kEventRepeatedKeysMax = 10000;
// New keys in one event, which no event before it had: parsers keep every key they have met.
inline constexpr std::size_t kEventNewKeysMax = kDatasetFieldsMax;
// Times that one load creates its dataset anew after somebody deleted it.
inline constexpr std::size_t kIngestDeletionsMax = 16;
// A list or object of an event while it is built. Repeated keys are dropped at its end, so it may
// still come to fit kFieldValueBytesMax.
inline constexpr std::size_t kFieldValueBuiltBytesMax = 4 * kFieldValueBytesMax;
// Text of one batch of a load: about as many typical log events as a block holds rows.
inline constexpr std::size_t kIngestBatchTextBytesMax = 32 * kMebibyte;
// Columns of one batch, absent values included: bounds events with many fields.
inline constexpr std::size_t kIngestBatchColumnBytesMax = 40 * kMebibyte;
// Memory of a batch's builder at which the batch ends: dictionary tables and spare capacity take
// more than the values of many short columns. A batch with fewer column bytes than the minimum goes
// on, because the memory may be left over from the batch before.
inline constexpr std::size_t kIngestBuilderBytesMax = 40 * kMebibyte;
inline constexpr std::size_t kIngestBatchColumnBytesMin = 8 * kMebibyte;
// Memory of one load: text, builders and sealed batches that wait for their commit (load_memory.h).
// The rest of 256 MiB is for buffers while columns are encoded, for commits and merges.
inline constexpr std::size_t kIngestMemoryBytesMax = 144 * kMebibyte;
// Resident memory beyond which evq ingest returns free memory to the system after a commit.
inline constexpr std::size_t kIngestResidentBytesMax = 176 * kMebibyte;
// Text read but not parsed yet: some for each of two workers while the disk is slow with a commit.
// What is read ahead only waits: twice as much is no faster.
inline constexpr std::size_t kIngestTextBytesMax = 24 * kMebibyte;
// Builders of batches that wait for the next load: some for each of the busiest datasets.
inline constexpr std::size_t kIdleBuilderBytesMax = 32 * kMebibyte;
// Ratio of a decompressor's output to its input, looked at once the output is beyond the free
// bytes: one stack trace, repeated, packs as well as a bomb does.
inline constexpr std::size_t kDecompressionRatioMax = 200;
inline constexpr std::size_t kDecompressionFreeBytes = 16 * kMebibyte;
// A zstd frame may ask for a window of this many bytes (log2) and no more.
inline constexpr int kZstdWindowLogMax = 27;

// ---- names
// Datasets: [A-Za-z0-9_.-], a letter or digit first and last.
inline constexpr std::size_t kDatasetNameBytesMax = 128;
// Names of saved queries, tokens and organizations: shown in tables, kept in catalogue rows.
inline constexpr std::size_t kResourceNameBytesMax = 256;
// A saved query's other texts (description, metadata).
inline constexpr std::size_t kResourceTextBytesMax = 64 * kKibibyte;
// Saved queries, tokens and datasets of one store: lists are answered whole, without pages.
inline constexpr std::size_t kStoreResourcesMax = 100000;
// How long a dataset may be told to keep its events: three lifetimes.
inline constexpr std::uint64_t kRetentionDaysMax = 100000;
// A saved query's list of columns as the service evq is compatible with takes it, and its file.
inline constexpr std::size_t kShownColumnsCharactersMax = 10000;
inline constexpr std::size_t kStarredBytesMax = 1 * kMebibyte;
// An annotation's title and type; its description and its address may be twice as long.
inline constexpr std::size_t kAnnotationCharactersMax = 256;

// ---- queries: text
// Longer than any written query and most generated ones; lexing it takes about a millisecond.
inline constexpr std::size_t kQueryTextBytesMax = 256 * kKibibyte;
// Nesting of parentheses, calls and subqueries: bounds every recursive walk of a tree.
inline constexpr std::size_t kQueryDepthMax = 200;
// Tabular operators of one query, subqueries included: generated parsers come to 300. A plan is as
// deep as they are many, and threads have the stack for it (thread_pool.cpp).
inline constexpr std::size_t kQueryOperatorsMax = 1000;
// One name in a query's text, as the service evq is compatible with.
inline constexpr std::size_t kQueryNameBytesMax = 1024;
// Statements before a query: looking a name up passes all of them.
inline constexpr std::size_t kQueryStatementsMax = 2000;
// Expressions of a query after its lets, functions and stars are expanded. A query without any of
// these has no room in its text for as many.
inline constexpr std::size_t kQueryExpressionsMax = 200'000;
// Depth of an expression after its lets are expanded: what every recursive walk over it can bear.
inline constexpr std::size_t kBoundDepthMax = 1000;
// Nested calls of functions that the query defines.
inline constexpr int kQueryCallDepthMax = 32;
// Nesting of virtual fields in virtual fields; those that name themselves end here with an error.
inline constexpr int kVirtualFieldDepthMax = 16;
// Distinct keys for which partition runs a pipeline each; Kusto has the same limit.
inline constexpr std::size_t kPartitionPipelinesMax = 64;
// Pattern text of a regular expression: lists of indicators of compromise come to some kilobytes.
inline constexpr std::size_t kRegexPatternBytesMax = 16 * kKibibyte;
// Processor time of one match, which cannot be interrupted: one that would take longer is an error.
inline constexpr std::int64_t kRegexMatchMsMax = 5000;
// Matches of at most so many steps (instructions of the program times bytes of the text) are not
// timed: they take a second at worst.
inline constexpr std::size_t kRegexUntestedStepsMax = std::size_t{1} << 24;
// Parts of a pattern that take much memory before its program can be measured: repetition counts,
// summed, at 8 bytes each, and classes such as \pL, at up to 30 KiB each.
inline constexpr std::size_t kRegexRepetitionsMax = 600000;
inline constexpr std::size_t kRegexUnicodeClassesMax = 1500;
// Memory of one compiled regular expression (program and automaton), and compiled copies of one
// pattern for threads that search in parallel.
inline constexpr std::size_t kRegexProgramBytesMax = 8 * kMebibyte;
inline constexpr std::size_t kRegexProgramsMax = 4;
// Compiled regular expressions kept when patterns come from rows instead of constants.
inline constexpr std::size_t kRegexCacheEntriesMax = 64;

// ---- queries: values
// One string made by a function (strrep, strcat_array, make_list as text): stops doubling bombs.
inline constexpr std::size_t kStringValueBytesMax = 16 * kMebibyte;
// Items of one list made by a function or aggregate (make_list, range, split).
inline constexpr std::size_t kListItemsMax = 1048576;
// Weights of a filter over a series: its cost is their number times the series' length.
inline constexpr std::size_t kFilterTapsMax = 1024;
// Text and nesting of a SQL statement inside an event; its model must nest less than a value may.
inline constexpr std::size_t kSqlTextBytesMax = 64 * kKibibyte;
inline constexpr std::size_t kSqlDepthMax = 40;
// Nesting of a dynamic value built by functions; input is held to kJsonDepthMax.
inline constexpr std::size_t kDynamicDepthMax = 200;
// One list, set or bag of an aggregate: encoded sizes are 32 bits, and nobody reads more.
inline constexpr std::size_t kCollectedValueBytesMax = 1 * kGibibyte;
// How often strrep() repeats its text, as Kusto has it.
inline constexpr std::int64_t kStringRepeatMax = 1024;
// Values that one topk() tells; more is a table, which summarize count() by x makes exactly.
inline constexpr std::int64_t kTopValuesMax = 10000;
// Percentiles of one call; far more than a chart shows.
inline constexpr std::size_t kPercentilesMax = 100;
// Buckets of one histogram(), and bins that a request may ask bin_auto() for: more than a screen
// has columns.
inline constexpr std::int64_t kHistogramBucketsMax = 10000;
inline constexpr std::int64_t kAutoBinsMax = 10000;
// Phrases that one phrases() tells.
inline constexpr std::int64_t kPhrasesMax = 1000;
// Degree of series_fit_poly(): beyond, least squares over powers tells nothing.
inline constexpr std::int64_t kPolynomialDegreeMax = 16;
// Pairs of polygons, plus pairs of edges of polygons near each other: a tenth of a second or two.
inline constexpr std::size_t kPolygonEdgePairsMax = 1'000'000;
// Text of an XML document inside an event, and elements within each other, each of which takes up
// to two levels of the value made of it.
inline constexpr std::size_t kXmlTextBytesMax = 1 * kMebibyte;
inline constexpr std::size_t kXmlDepthMax = 64;
// Text that Punycode is made of: encoding takes time by the square of it.
inline constexpr std::size_t kPunycodeBytesMax = 2048;
// Cells of a pivot's table, most of which may be empty.
inline constexpr std::size_t kPivotCellsMax = 20'000'000;

// ---- queries: results and resources
// Rows of an answer when neither the query nor the request says how many.
inline constexpr std::size_t kResultRowsDefault = 1000;
// Rows of one answer over HTTP; more is reached by the cursor. The command line streams.
inline constexpr std::size_t kResultRowsMax = 50000;
// Text of one answer that is kept in memory until its client has read it, and total size of the
// files for the rest of all answers: slow readers of long answers cost neither memory nor the disk.
inline constexpr std::size_t kAnswerTextBytesMax = 256 * kKibibyte;
inline constexpr std::size_t kAnswerFileBytesMax = 4 * kGibibyte;
// Free disk space that such files leave to loads, and total memory for answers that find no room
// on the disk: queries go on when it is full.
inline constexpr std::size_t kAnswerDiskFreeBytesMin = 256 * kMebibyte;
inline constexpr std::size_t kAnswerBorrowedBytesMax = 128 * kMebibyte;
// Memory of one query, and of all queries of a server together; --memory-limit changes both.
inline constexpr std::size_t kQueryMemoryBytesDefault = 1 * kGibibyte;
// Time of one query, which --timeout changes; time and memory of completing one.
inline constexpr std::int64_t kQueryTimeMsDefault = 60000;
inline constexpr std::int64_t kCompletionMsMax = 1000;
inline constexpr std::size_t kCompletionMemoryBytesMax = 64 * kMebibyte;
// Rows that one operator may hold, and groups that it may form: 32 bits, the last few mean none.
inline constexpr std::size_t kNumberedRowsMax = 0xffff'fffe;
// Work between two looks at the deadline: a query ends at most this late in any operator.
inline constexpr std::int64_t kControlPollMsMax = 50;
// Queries running at once per processor: beyond it they only slow each other down.
inline constexpr std::size_t kQueriesPerProcessorMax = 2;
// Queries waiting for their turn, and how long; then 503 with Retry-After.
inline constexpr std::size_t kQueriesQueuedMax = 64;
inline constexpr std::int64_t kQueryQueueMsMax = 10000;
// Resident memory besides the queries' memory limit beyond which free memory is returned to the
// system: uncharged bytes (below), code, and pages of files; where more than half of that is in use
// for other things, such as decoded columns, those and the other half.
inline constexpr std::size_t kHeapBesidesLimitBytes = 48 * kMebibyte;
// Bytes that are reserved between two looks at the resident memory.
inline constexpr std::size_t kHeapWatchStepBytes = 8 * kMebibyte;
// Column bytes that one worker's expressions may make before they are charged to the query: a chunk
// of common rows.
inline constexpr std::size_t kUnchargedColumnBytesMax = 16 * kMebibyte;
// Column bytes that a worker may read from one block uncharged: common ones take no accounting.
inline constexpr std::size_t kUnchargedBlockBytesMax = 32 * kMebibyte;
// Bytes of one block's columns, those of filters aside, that a worker decodes at a time. Of larger
// columns, or when the query's memory is short, it decodes one range of rows after the other.
inline constexpr std::size_t kScannedBytesMax = 128 * kMebibyte;
// Text that one call of a function reads, so that it ends soon when its query must; and the text up
// to which a chunk is not split for that.
inline constexpr std::size_t kCallTextBytesMax = 4 * kMebibyte;
inline constexpr std::size_t kUncutTextBytesMax = 32 * kMebibyte;
// Largest value that binding computes; a larger one is left to the query, which is charged for it.
inline constexpr std::size_t kFoldedValueBytesMax = 1 * kMebibyte;
// Size of the data at one location of externaldata, as fetched and as decompressed.
inline constexpr std::size_t kExternalDataBytesMax = 64 * kMebibyte;
// Redirects that are followed to it, and the longest wait for more bytes.
inline constexpr int kFetchRedirectsMax = 5;
inline constexpr std::int64_t kFetchStallMsMax = 30'000;
// Worker threads of one process: above this, memory for scratch buffers outgrows the gain.
inline constexpr std::size_t kThreadsMax = 256;

// ---- text of times
// Longer text is no timestamp: parsers refuse it before looking at it.
inline constexpr std::size_t kTimeTextBytesMax = 128;
// Elements of one compiled time layout.
inline constexpr std::size_t kTimeLayoutElementsMax = 64;

// ---- terminal
// The text in the line editor: a query's text, whose limit it shares.
inline constexpr std::size_t kEditorTextBytesMax = kQueryTextBytesMax;
// One paste as it arrives: anything longer cannot fit the editor, so its rest is skipped.
inline constexpr std::size_t kEditorPasteBytesMax = 2 * kEditorTextBytesMax;
// Steps of undo, and the copies of the text that they hold.
inline constexpr std::size_t kEditorUndoStepsMax = 1000;
inline constexpr std::size_t kEditorUndoBytesMax = 16 * kMebibyte;
// Killed texts that can be yanked back.
inline constexpr std::size_t kEditorKillsMax = 32;
// No key sends a longer escape sequence; what is longer is noise and is dropped.
inline constexpr std::size_t kEscapeSequenceBytesMax = 64;
// Entries of the history, and size of its file, which may hold twice as many entries.
inline constexpr std::size_t kHistoryEntriesMax = 10000;
inline constexpr std::size_t kHistoryFileBytesMax = 64 * kMebibyte;

// ---- files read whole
// Query files, request bodies for the command line, configuration.
inline constexpr std::size_t kSmallFileBytesMax = 16 * kMebibyte;

}  // namespace evq
