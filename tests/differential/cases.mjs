// The questions, each in APL, in DuckDB's SQL and in ClickHouse's. A SQL of null means that the
// engine has no such thing; ClickHouse's is DuckDB's where it is left out. An answer's rows are
// compared in order when the question orders them.

const cases = [];

function add(apl, duckdb, clickhouse = duckdb, ordered = false) {
  cases.push({ apl, duckdb, clickhouse, ordered });
}
function addOrdered(apl, duckdb, clickhouse = duckdb) {
  add(apl, duckdb, clickhouse, true);
}

// ---- expressions of one row

const kTerm = "[^\\p{L}\\p{N}]";
const has = (text, word) => [
  `regexp_matches(${text}, '(?i)(^|${kTerm})${word}($|${kTerm})')`,
  `match(${text}, '(?i)(^|${kTerm.replaceAll("\\", "\\\\")})${word}($|${kTerm.replaceAll("\\", "\\\\")})')`,
];
const hasPrefix = (text, word) => [
  `regexp_matches(${text}, '(?i)(^|${kTerm})${word}')`,
  `match(${text}, '(?i)(^|${kTerm.replaceAll("\\", "\\\\")})${word}')`,
];

const kExpressions = [
  // numbers
  ["bytes + 1"], ["bytes * 2 - id"], ["delta - bytes"], ["-delta"],
  ["delta / 7", "cast(trunc(delta / 7.0) as bigint)", "intDiv(delta, 7)"],
  ["delta % 7"], ["delta / 0", "cast(null as bigint)", "NULL"],
  ["ms * 2.5"], ["ms / 3"], ["bytes / 2.0"], ["ms + bytes"],
  ["abs(delta)"], ["sign(delta)"], ["floor(ms)"], ["ceiling(ms)", "ceil(ms)"],
  ["round(ms, 1)"], ["round(delta / 10.0)", "round(delta / 10.0)", "if(delta < 0, -floor(-delta / 10.0 + 0.5), floor(delta / 10.0 + 0.5))"],
  ["sqrt(ms)"], ["exp(delta / 500.0)"], ["log(ms)", "ln(ms)", "log(ms)"], ["log10(ms)"], ["log2(ms)"],
  ["log(delta)", "case when delta > 0 then ln(delta) end", "if(delta > 0, log(delta), NULL)"],
  ["pow(ms, 2)"], ["pow(delta, 3)"], ["sin(ms)"], ["cos(ms)"], ["tan(ms)"], ["atan(ms)"],
  ["atan2(ms, 2)"], ["asin(delta / 1000.0)"], ["acos(delta / 1000.0)"],
  ["radians(delta)"], ["degrees(ms)"],
  ["max_of(bytes, 100)", "greatest(bytes, 100)", "greatest(ifNull(bytes, 100), 100)"],
  ["min_of(bytes, 100)", "least(bytes, 100)", "least(ifNull(bytes, 100), 100)"],
  ["bin(bytes, 100)", "cast(floor(bytes / 100.0) * 100 as bigint)", "intDiv(bytes, 100) * 100"],
  ["bin(delta, 10)", "cast(floor(delta / 10.0) * 10 as bigint)", "toInt64(floor(delta / 10.0) * 10)"],
  ["binary_and(id, 12)", "id & 12", "bitAnd(id, 12)"],
  ["binary_or(id, 12)", "id | 12", "bitOr(id, 12)"],
  ["binary_xor(id, 12)", "xor(id, 12)", "bitXor(id, 12)"],
  ["binary_shift_left(id, 3)", "id << 3", "bitShiftLeft(id, 3)"],
  ["bitset_count_ones(id)", "bit_count(id)", "bitCount(id)"],
  ["tohex(id)", "lower(to_hex(id))", null],
  // comparison and logic
  ["bytes > 100"], ["bytes == 100 or delta < 0", "coalesce(bytes = 100, false) or delta < 0"], ["ok and delta > 0"], ["ok or delta > 0"],
  ["not(ok)", "not ok"], ["delta between (-10 .. 10)", "delta between -10 and 10"],
  ["delta !between (-10 .. 10)", "delta not between -10 and 10"],
  ["status in (200, 404)"], ["status !in (200, 404)", "status not in (200, 404)"],
  ["method in~ ('get')", "lower(method) in ('get')"],
  ["isnull(bytes)", "bytes is null"], ["isnotnull(user)", "user is not null"],
  ["isempty(user)", "coalesce(user, '') = ''"], ["isnotempty(user)", "coalesce(user, '') <> ''"],
  ["user == 'ann'", "coalesce(user = 'ann', false)"],
  ["user != 'ann'", "coalesce(user <> 'ann', true)"],
  ["bytes != 7", "coalesce(bytes <> 7, true)"],
  ["iff(ok, delta, bytes)", "case when ok then delta else bytes end"],
  ["case(status >= 500, 'bad', status >= 400, 'poor', 'good')",
   "case when status >= 500 then 'bad' when status >= 400 then 'poor' else 'good' end"],
  ["coalesce(bytes, delta)"], ["coalesce(user, method)", "coalesce(nullif(user, ''), method)"],
  // texts
  ["strlen(message)", "length(message)", "char_length(message)"],
  ["string_size(message)", "strlen(message)", "length(message)"],
  ["toupper(user)", "upper(user)", "upperUTF8(user)"], ["tolower(user)", "lower(user)", "lowerUTF8(user)"],
  ["substring(message, 2, 5)", "substring(message, 3, 5)", "substringUTF8(message, 3, 5)"],
  ["substring(message, 10)", "substring(message, 11)", "substringUTF8(message, 11)"],
  ["indexof(message, 'e')", "strpos(message, 'e') - 1", "toInt64(positionUTF8(message, 'e')) - 1"],
  ["strcat('<', user, '>')", "concat('<', user, '>')", "concat('<', ifNull(user, ''), '>')"],
  ["strcat_delim('-', method, path)", "concat_ws('-', method, path)", "concat(method, '-', path)"],
  ["reverse(message)", "reverse(message)", "reverseUTF8(message)"],
  ["strrep(method, 3)", "repeat(method, 3)"],
  ["trim_space(message)", "trim(message)", "trimBoth(message)"],
  ["trim('/', path)", "trim(path, '/')", "trim(BOTH '/' FROM path)"],
  ["trim_start('/', path)", "ltrim(path, '/')", "trim(LEADING '/' FROM path)"],
  ["replace_string('o', '0', message)", "replace(message, 'o', '0')"],
  ["replace_regex('[0-9]+', '#', message)", "regexp_replace(message, '[0-9]+', '#', 'g')",
   "replaceRegexpAll(message, '[0-9]+', '#')"],
  ["replace_regex('(a)(p)', '$2$1', path)", "regexp_replace(path, '(a)(p)', '\\2\\1', 'g')",
   "replaceRegexpAll(path, '(a)(p)', '\\\\2\\\\1')"],
  ["extract('([a-z]+)$', 1, path)", "nullif(regexp_extract(path, '([a-z]+)$', 1), '')",
   "nullIf(extract(path, '([a-z]+)$'), '')"],
  // Without a match it is null here and empty there.
  ["iff(isnull(message), dynamic(null), coalesce(extract_all('([0-9]+)', message), dynamic([])))",
   "regexp_extract_all(message, '([0-9]+)', 1)",
   "extractAll(message, '([0-9]+)')"],
  ["countof('e', message)", "length(message) - length(replace(message, 'e', ''))",
   "countSubstrings(message, 'e')"],
  ["countof_regex('[aeiou]', message)", "len(regexp_extract_all(message, '[aeiou]'))",
   "countMatches(message, '[aeiou]')"],
  ["split(path, '/')", "string_split(path, '/')", "splitByChar('/', path)"],
  ["array_length(split(message, ' '))", "len(string_split(message, ' '))",
   "length(splitByChar(' ', message))"],
  ["translate('aeiou', 'AEIOU', message)", "translate(message, 'aeiou', 'AEIOU')",
   "translate(message, 'aeiou', 'AEIOU')"],
  ["strcmp(method, 'GET')", "case when method < 'GET' then -1 when method > 'GET' then 1 else 0 end"],
  ["method < 'H'"], ["unicode_codepoints_from_string(user)[0]",
   "case when user <> '' then unicode(user) end", null],
  ["isascii(message)", "message = strip_accents(message)", "match(message, '^[\\\\x00-\\\\x7F]*$')"],
  ["hash_md5(message)", "md5(message)", "lower(hex(MD5(message)))"],
  ["hash_sha1(message)", "sha1(message)", "lower(hex(SHA1(message)))"],
  ["hash_sha256(message)", "sha256(message)", "lower(hex(SHA256(message)))"],
  ["hash_sha512(message)", null, "lower(hex(SHA512(message)))"],
  ["base64_encode_tostring(message)", "to_base64(encode(message))", "base64Encode(message)"],
  ["url_encode(message)", "url_encode(message)", null],
  ["parse_ipv4(ip)", null, "toUInt32(toIPv4(ip))"],
  ["format_ipv4(parse_ipv4(ip))", "ip"],
  ["ipv4_is_in_range(ip, '10.0.0.0/8')", "ip like '10.%'", "isIPAddressInRange(ip, '10.0.0.0/8')"],
  ["ipv4_is_private(ip)", null,
   "isIPAddressInRange(ip, '10.0.0.0/8') or isIPAddressInRange(ip, '172.16.0.0/12') or isIPAddressInRange(ip, '192.168.0.0/16')"],
  ["format_ipv4_mask(ip, 16)", null, "concat(toString(tupleElement(IPv4CIDRToRange(toIPv4(ip), 16), 1)), '/16')"],
  ["parse_url(strcat('http://h.example', path, '?a=1'))['path']", "path"],
  // tests of texts
  ["message contains 'ERROR'", "contains(lower(message), 'error')", "position(lower(message), 'error') > 0"],
  ["message !contains 'ERROR'", "not contains(lower(message), 'error')", "position(lower(message), 'error') = 0"],
  ["message contains_cs 'error'", "contains(message, 'error')", "position(message, 'error') > 0"],
  ["user contains 'a'", "coalesce(contains(lower(user), 'a'), false)", "coalesce(position(lower(user), 'a') > 0, false)"],
  ["user !contains 'a'", "coalesce(not contains(lower(user), 'a'), true)", "coalesce(position(lower(user), 'a') = 0, true)"],
  ["message startswith 'ERROR'", "starts_with(lower(message), 'error')", "startsWith(lower(message), 'error')"],
  ["path endswith 'S'", "ends_with(lower(path), 's')", "endsWith(lower(path), 's')"],
  ["path !endswith_cs 's'", "not ends_with(path, 's')", "not endsWith(path, 's')"],
  ["message has 'error'", ...has("message", "error")],
  ["message has '10.0.0.7'", ...has("message", "10[.]0[.]0[.]7")],
  ["message has_any ('disk', 'user')", ...has("message", "(disk|user)")],
  ["message hasprefix 'conn'", ...hasPrefix("message", "conn")],
  ["message has 'CAFÉ'", ...has("message", "café")],
  ["method =~ 'get'", "lower(method) = 'get'"], ["method !~ 'get'", "lower(method) <> 'get'"],
  ["message matches regex '[0-9]{2,}'", "regexp_matches(message, '[0-9]{2,}')", "match(message, '[0-9]{2,}')"],
  // conversions
  ["tolong(code)", "case when regexp_full_match(code, '[+-]?[0-9]+') then try_cast(code as bigint) end",
   "if(match(code, '^[+-]?[0-9]+$'), toInt64OrNull(code), NULL)"],
  ["toreal(code)", "try_cast(code as double)", "toFloat64OrNull(code)"],
  ["tolong(ms)", "cast(trunc(ms) as bigint)", "toInt64(trunc(ms))"],
  ["tostring(bytes)", "coalesce(cast(bytes as varchar), '')", "ifNull(toString(bytes), '')"],
  ["tobool(delta)", "delta <> 0"], ["tolong(ok)", "cast(ok as bigint)", "toInt64(ok)"],
  // times
  ["_time + 90m", "_time + interval 90 minute"], ["_time - 1d", "_time - interval 1 day"],
  ["bin(_time, 1h)", "date_trunc('hour', _time)", "toStartOfInterval(_time, interval 1 hour)"],
  ["bin(_time, 15m)", "time_bucket(interval 15 minute, _time)", "toStartOfInterval(_time, interval 15 minute)"],
  ["bin(_time, 7h)", "make_timestamp((epoch_us(_time) // 25200000000) * 25200000000)",
   "fromUnixTimestamp64Micro(intDiv(toUnixTimestamp64Micro(_time), 25200000000) * 25200000000, 'UTC')"],
  ["startofday(_time)", "cast(date_trunc('day', _time) as timestamp)", "toDateTime64(toStartOfDay(_time), 3, 'UTC')"],
  ["startofmonth(_time)", "cast(date_trunc('month', _time) as timestamp)", "toDateTime64(toStartOfMonth(_time), 3, 'UTC')"],
  ["startofyear(_time)", "cast(date_trunc('year', _time) as timestamp)", "toDateTime64(toStartOfYear(_time), 3, 'UTC')"],
  ["startofweek(_time)", "cast(date_trunc('week', _time + interval 1 day) as timestamp) - interval 1 day",
   "toDateTime64(toStartOfWeek(_time, 0), 3, 'UTC')"],
  ["dayofweek(_time) / 1", "extract(dow from _time)", "toDayOfWeek(_time) % 7"],
  ["dayofmonth(_time)", "extract(day from _time)", "toDayOfMonth(_time)"],
  ["dayofyear(_time)", "extract(doy from _time)", "toDayOfYear(_time)"],
  ["hourofday(_time)", "extract(hour from _time)", "toHour(_time)"],
  ["getmonth(_time)", "extract(month from _time)", "toMonth(_time)"],
  ["getyear(_time)", "extract(year from _time)", "toYear(_time)"],
  ["week_of_year(_time)", "extract(week from _time)", "toISOWeek(_time)"],
  ["datetime_part('quarter', _time)", "extract(quarter from _time)", "toQuarter(_time)"],
  ["datetime_part('millisecond', _time)", "extract(millisecond from _time) % 1000", "toMillisecond(_time)"],
  ["datetime_add('month', 1, _time)", "_time + interval 1 month", "addMonths(_time, 1)"],
  ["datetime_add('year', -1, _time)", "_time - interval 1 year", "addYears(_time, -1)"],
  ["datetime_add('week', 2, _time)", "_time + interval 14 day", "addDays(_time, 14)"],
  ...["year", "quarter", "month", "day", "hour", "minute", "second"].map((part) => [
    `datetime_diff('${part}', _time, datetime(2023-11-17T13:14:15))`,
    `date_diff('${part}', timestamp '2023-11-17 13:14:15', _time)`,
    `dateDiff('${part}', toDateTime64('2023-11-17 13:14:15', 3, 'UTC'), _time)`]),
  ["tolong((_time - datetime(2024-01-01)) / 1ms)", "epoch_ms(_time) - epoch_ms(timestamp '2024-01-01')",
   "toUnixTimestamp64Milli(_time) - 1704067200000"],
  ["unixtime_seconds_todatetime(id)", "make_timestamp(id * 1000000)", "toDateTime64(id, 3, 'UTC')"],
  ["format_datetime(_time, 'yyyy-MM-dd HH:mm:ss')", "strftime(_time, '%Y-%m-%d %H:%M:%S ')[:19]",
   "formatDateTime(_time, '%Y-%m-%d %H:%i:%S')"],
  // arrays
  ["array_length(tags)", "len(tags)", "length(tags)"],
  ["tags[0]", "tags[1]", "if(empty(tags), NULL, tags[1])"],
  ["tags[-1]", "tags[-1]", "if(empty(tags), NULL, tags[-1])"],
  ["array_index_of(tags, 'a')", "coalesce(list_position(tags, 'a'), 0) - 1", "toInt64(indexOf(tags, 'a')) - 1"],
  ["set_has_element(tags, 'b')", "list_contains(tags, 'b')", "has(tags, 'b')"],
  ["array_reverse(tags)", "list_reverse(tags)", "arrayReverse(tags)"],
  ["array_concat(tags, tags)", "list_concat(tags, tags)", "arrayConcat(tags, tags)"],
  ["array_slice(tags, 1, 3)", "list_slice(tags, 2, 3)", "arraySlice(tags, 2, 2)"],
  ["array_sort_asc(tags)", "list_sort(tags)", "arraySort(tags)"],
  ["array_sort_desc(tags)", "list_reverse_sort(tags)", "arrayReverseSort(tags)"],
  ["array_sort_asc(set_union(tags, dynamic(['a', 'z'])))", "list_sort(list_distinct(list_concat(tags, ['a', 'z'])))",
   "arraySort(arrayDistinct(arrayConcat(tags, ['a', 'z'])))"],
  ["array_sort_asc(set_intersect(tags, dynamic(['a', 'c'])))",
   "list_sort(list_distinct(list_intersect(tags, ['a', 'c'])))", "arraySort(arrayDistinct(arrayIntersect(tags, ['a', 'c'])))"],
  ["strcat_array(tags, '-')", "coalesce(array_to_string(tags, '-'), '')", "arrayStringConcat(tags, '-')"],
  ["array_sum(range(1, status, 50))", "list_sum(range(1, status + 1, 50))", "arraySum(range(1, toUInt32(status) + 1, 50))"],
  ["range(1, 5)", "range(1, 6)", "range(1, 6)"],
  ["pack_array(id, delta)", "[id, delta]", "[id, delta]"],
];
for (const [apl, duckdb = apl, clickhouse = duckdb] of kExpressions) {
  const sql = (expression) =>
    expression === null ? null : `select id, ${expression} as v from events order by id`;
  addOrdered(`events | sort by id asc | project id, v = ${apl}`, sql(duckdb), sql(clickhouse));
}

// ---- filters, counted

const kFilters = [
  ["status == 500", "status = 500"], ["status >= 400 and method == 'GET'", "status >= 400 and method = 'GET'"],
  ["bytes > 2500 or delta < -900"], ["not(status == 200)", "not status = 200"],
  ["bytes < 100"], ["not(bytes < 100)", "not bytes < 100"], ["ok"], ["not(ok)", "not ok"],
  ["isnull(ok)", "ok is null"], ["ok == false", "ok = false"], ["ok != true", "coalesce(ok <> true, true)"],
  ["ms > 500.5 and ms < 600"], ["ms between (100 .. 200)", "ms between 100 and 200"],
  ["user in ('ann', 'Bob')"], ["user !in ('ann', 'Bob')", "user is null or user not in ('ann', 'Bob')"],
  ["user == ''", "user = ''"], ["user != ''", "user is null or user <> ''"], ["isempty(user)", "user is null or user = ''"],
  ["path startswith '/api'", "path like '/api%'"], ["path endswith '.js'", "path like '%.js'"],
  ["path contains 'items' and status != 200", "path like '%items%' and status <> 200"],
  ["message has 'error' and message !has 'disk'", has("message", "error")[0] + " and not " + has("message", "disk")[0],
   has("message", "error")[1] + " and not " + has("message", "disk")[1]],
  ["_time >= datetime(2024-04-30) and _time < datetime(2024-05-01)",
   "_time >= timestamp '2024-04-30' and _time < timestamp '2024-05-01'",
   "_time >= toDateTime64('2024-04-30', 3, 'UTC') and _time < toDateTime64('2024-05-01', 3, 'UTC')"],
  ["_time between (datetime(2024-04-30T12:00:00Z) .. 6h)",
   "_time between timestamp '2024-04-30 12:00:00' and timestamp '2024-04-30 18:00:00'",
   "_time between toDateTime64('2024-04-30 12:00:00', 3, 'UTC') and toDateTime64('2024-04-30 18:00:00', 3, 'UTC')"],
  ["delta * 2 > bytes"], ["id % 10 == 3", "id % 10 = 3"], ["array_length(tags) > 2", "len(tags) > 2", "length(tags) > 2"],
  ["set_has_element(tags, 'c')", "list_contains(tags, 'c')", "has(tags, 'c')"],
  ["method matches regex '^P'", "regexp_matches(method, '^P')", "match(method, '^P')"],
  ["strlen(user) > 3", "length(user) > 3", "lengthUTF8(user) > 3"],
  ["region in ((regions | where cost > 4 | project region))", "region in (select region from regions where cost > 4)"],
  ["region !in ((regions | project region))", "region not in (select region from regions)"],
  ["true", "true"], ["false", "false"],
];
for (const [apl, duckdb = apl, clickhouse = duckdb] of kFilters) {
  const sql = (filter) => `select count(*) as n, coalesce(sum(id), 0) as s from events where ${filter}`;
  add(`events | where ${apl} | summarize n = count(), s = sum(id)`, sql(duckdb), sql(clickhouse));
}

// ---- aggregates by groups

const kAggregates = [
  ["count()", "count(*)"], ["countif(status >= 400)", "count(*) filter (where status >= 400)", "countIf(status >= 400)"],
  ["sum(bytes)", "coalesce(sum(bytes), 0)", "ifNull(sum(bytes), 0)"], ["sum(ms)", "coalesce(sum(ms), 0)", "ifNull(sum(ms), 0)"],
  ["sumif(bytes, ok)", "coalesce(sum(bytes) filter (where ok), 0)", "ifNull(sumIf(bytes, ok), 0)"],
  ["avg(ms)"], ["avg(bytes)"], ["avgif(ms, status == 200)", "avg(ms) filter (where status = 200)", "avgIf(ms, status = 200)"],
  ["min(bytes)"], ["max(bytes)"], ["min(ms)"], ["max(ms)"], ["min(user)"], ["max(user)"], ["min(_time)"], ["max(_time)"],
  ["minif(ms, ok)", "min(ms) filter (where ok)", "minIf(ms, ok)"],
  ["maxif(bytes, status == 404)", "max(bytes) filter (where status = 404)", "maxIf(bytes, status = 404)"],
  ["dcount(user)", "count(distinct user)", "uniqExact(user)"], ["dcount(bytes)", "count(distinct bytes)", "uniqExact(bytes)"],
  ["count_distinct(message)", "count(distinct message)", "uniqExact(message)"],
  ["dcountif(path, status == 500)", "count(distinct path) filter (where status = 500)", "uniqExactIf(path, status = 500)"],
  ["stdev(ms)", "stddev_samp(ms)"], ["variance(bytes)", "var_samp(bytes)", "varSampStable(bytes)"],
  ["stdevp(ms)", "stddev_pop(ms)"], ["variancep(delta)", "var_pop(delta)"],
  ["covariance(delta, id)", "covar_samp(delta, id)", "covarSampStable(delta, id)"],
  ["percentile(ms, 50)", "quantile_disc(ms, 0.5)", null], ["percentile(bytes, 95)", "quantile_disc(bytes, 0.95)", null],
  ["percentile(delta, 1)", "quantile_disc(delta, 0.01)", null],
  ["array_sort_asc(make_list(bytes))", "coalesce(list_sort(list(bytes) filter (where bytes is not null)), [])", "arraySort(groupArray(bytes))"],
  ["array_sort_asc(make_set(path))", "list_sort(list(distinct path))", "arraySort(groupUniqArray(path))"],
  ["binary_all_or(id)", "bit_or(id)", "groupBitOr(id)"], ["binary_all_and(id)", "bit_and(id)", "groupBitAnd(id)"],
  ["binary_all_xor(id)", "bit_xor(id)", "groupBitXor(id)"],
  ["100.0 * countif(status >= 500) / count()", "100.0 * count(*) filter (where status >= 500) / count(*)",
   "100.0 * countIf(status >= 500) / count()"],
];
const kGroups = [
  [null, null],
  ["status", "status"],
  ["method, region", "method, region"],
  ["user", "user"],
  ["t = bin(_time, 6h)", "time_bucket(interval 6 hour, _time, timestamp '1970-01-01')", "toStartOfInterval(_time, interval 6 hour)"],
];
for (const [apl, duckdb = apl, clickhouse = duckdb] of kAggregates) {
  for (const [by, duckBy, clickBy = duckBy] of kGroups) {
    const sql = (aggregate, groups) =>
      aggregate === null ? null
      : groups === null ? `select ${aggregate} as v from events`
      : `select ${groups}, ${aggregate} as v from events group by ${groups}`;
    add(`events | summarize v = ${apl}${by === null ? "" : " by " + by}`, sql(duckdb, duckBy), sql(clickhouse, clickBy));
  }
}

// ---- operators

addOrdered("events | sort by ms desc, id asc | project id | take 50",
  "select id from events order by ms desc nulls last, id limit 50");
addOrdered("events | sort by bytes asc, id asc | project id, bytes",
  "select id, bytes from events order by bytes asc nulls first, id");
addOrdered("events | sort by user desc nulls first, id desc | project id, user",
  "select id, user from events order by user desc nulls first, id desc");
addOrdered("events | sort by user asc nulls last, id asc | project id",
  "select id from events order by user asc nulls last, id");
addOrdered("events | top 20 by delta asc, id asc | project id, delta",
  "select id, delta from events order by delta, id limit 20");
addOrdered("events | project id, _time | take 30", "select id, _time from events order by _time desc, id desc limit 30");
add("events | distinct method, status", "select distinct method, status from events");
add("events | distinct user", "select distinct user from events");
add("events | count", "select count(*) from events");
add("events | extend x = delta + 1, y = x * 2 | summarize sum(y)", "select sum((delta + 1) * 2) from events");
add("events | where isnotnull(bytes) | project a = bytes, b = id | where a > 4000 | summarize count(), max(b)",
  "select count(*), max(id) from events where bytes > 4000");
add("events | summarize n = count() by status | where n > 350 | project status",
  "select status from events group by status having count(*) > 350");
addOrdered("events | summarize n = count() by region | top 3 by n, region asc | project region, n",
  "select region, count(*) as n from events group by region order by n desc, region limit 3");
add("events | summarize n = count() by region | summarize max(n), min(n)",
  "select max(n), min(n) from (select count(*) as n from events group by region)");
add("events | summarize arg_max(ms, id)", "select max(ms), max_by(id, ms) from events", "select max(ms), argMax(id, ms) from events");
add("events | summarize arg_min(ms, id) by status | project status, id, ms",
  "select status, min_by(id, ms), min(ms) from events group by status", "select status, argMin(id, ms), min(ms) from events group by status");
add("events | mv-expand tags to typeof(string) | summarize n = count() by tags",
  "select t, count(*) from (select unnest(tags) as t from events) group by t",
  "select t, count(*) from events array join tags as t group by t");
add("events | mv-expand with_itemindex=i tags | summarize n = count() by i",
  "select i, count(*) from (select unnest(range(0, len(tags))) as i from events) group by i",
  "select i, count(*) from events array join range(length(tags)) as i group by i");
add("events | mv-expand tags to typeof(string) | where tags == 'a' | summarize s = sum(id)",
  "select sum(id) from (select id, unnest(tags) as t from events) where t = 'a'", "select sum(id) from events array join tags as t where t = 'a'");
addOrdered("events | sort by id asc | extend n = row_number(), c = row_cumsum(delta), p = prev(delta) | project id, n, c, p",
  "select id, row_number() over (order by id), sum(delta) over (order by id), lag(delta) over (order by id) from events order by id",
  "select id, row_number() over (order by id), sum(delta) over (order by id), lagInFrame(toNullable(delta)) over (order by id rows between unbounded preceding and unbounded following) from events order by id");
addOrdered("events | sort by id asc | extend q = next(ms, 2) | project id, q",
  "select id, lead(ms, 2) over (order by id) from events order by id",
  "select id, leadInFrame(ms, 2) over (order by id rows between unbounded preceding and unbounded following) from events order by id");
addOrdered("events | sort by status asc, id asc | extend r = row_rank_dense(status) | project id, r",
  "select id, dense_rank() over (order by status) from events order by status, id");
for (const [kind, sql] of [
  ["inner", "join"], ["leftouter", "left join"], ["rightouter", "right join"], ["fullouter", "full join"]]) {
  add(`events | project id, region | join kind=${kind} (regions | project region, zone, cost) on region | project id, region, zone, cost`,
    `select e.id, e.region, r.zone, r.cost from events e ${sql} regions r on e.region = r.region`,
    `select e.id, e.region, r.zone, r.cost from events e ${sql} regions r on e.region = r.region settings join_use_nulls = 1`);
}
for (const [kind, not] of [["leftsemi", ""], ["leftanti", "not "]]) {
  add(`events | join kind=${kind} (regions | where cost > 4) on region | project id`,
    `select id from events where region ${not}in (select region from regions where cost > 4)`);
}
for (const [kind, not] of [["rightsemi", ""], ["rightanti", "not "]]) {
  add(`events | where status == 500 | join kind=${kind} regions on region | project region, zone`,
    `select region, zone from regions where region ${not}in (select region from events where status = 500)`);
}
add("events | join kind=inner (regions) on $left.region == $right.region | summarize n = count(), c = sum(cost) by zone",
  "select zone, count(*), sum(cost) from events join regions using (region) group by zone");
add("events | where id <= 300 | join kind=inner (events | where id <= 300 | project user, other = id) on user | summarize n = count(), s = sum(other)",
  "select count(*), sum(b.id) from events a join events b on a.user = b.user where a.id <= 300 and b.id <= 300");
add("events | lookup kind=leftouter (regions | where zone == 'eu' | project region, cost) on region | summarize n = count() by cost",
  "select r.cost, count(*) from events e left join (select region, cost from regions where zone = 'eu') r on e.region = r.region group by r.cost",
  "select r.cost, count(*) from events e left join (select region, cost from regions where zone = 'eu') r on e.region = r.region group by r.cost settings join_use_nulls = 1");
add("union (events | project k = region), (regions | project k = region) | summarize n = count() by k",
  "select k, count(*) from (select region as k from events union all select region from regions) group by k");
add("events | union events | count", "select count(*) * 2 from events");
add("events | where delta > toscalar(events | summarize avg(delta)) | count",
  "select count(*) from events where delta > (select avg(delta) from events)");
add("let worst = events | summarize m = max(ms) by region; events | join kind=inner worst on region | where ms == m | project id",
  "select id from events e join (select region, max(ms) as m from events group by region) w on e.region = w.region where ms = m",
  "select e.id from events e join (select region, max(ms) as m from events group by region) w on e.region = w.region where e.ms = w.m");
add("events | parse path with '/api/' version '/' rest | where isnotempty(version) | summarize n = count() by version, rest",
  "select regexp_extract(path, '^/api/([^/]*)/(.*)$', 1), regexp_extract(path, '^/api/([^/]*)/(.*)$', 2), count(*) from events where path like '/api/%/%' group by all",
  "select extractGroups(path, '^/api/([^/]*)/(.*)$')[1] as a, extractGroups(path, '^/api/([^/]*)/(.*)$')[2] as b, count(*) from events where path like '/api/%/%' group by a, b");
add("events | make-series n = count() default = 0 on _time from datetime(2024-04-29) to datetime(2024-05-03) step 12h | mv-expand _time to typeof(datetime), n to typeof(long) | project _time, n",
  "select g, count(id) from generate_series(timestamp '2024-04-29', timestamp '2024-05-02 12:00:00', interval 12 hour) t(g) left join events on time_bucket(interval 12 hour, _time, timestamp '1970-01-01') = g group by g",
  null);
add("events | search 'refused' | count", "select count(*) from events where " + has("message", "refused")[0],
  "select count(*) from events where " + has("message", "refused")[1]);
add("events | summarize percentiles(ms, 10, 90)", "select quantile_disc(ms, 0.1), quantile_disc(ms, 0.9) from events", null);
add("events | partition by region (top 2 by delta desc, id asc) | project region, id",
  "select region, id from events qualify row_number() over (partition by region order by delta desc, id) <= 2");
add("events | extend first = tostring(split(path, '/')[1]) | summarize n = count() by first",
  "select string_split(path, '/')[2], count(*) from events group by all", "select splitByChar('/', path)[2] as f, count(*) from events group by f");
add("range x from 1 to 100 step 3 | summarize n = count(), s = sum(x)", "select count(*), sum(x) from range(1, 101, 3) t(x)",
  "select count(*), sum(number) from numbers(101) where number % 3 = 1");
add("events | summarize n = count() by b = bin(bytes, 500) | where isnotnull(b)",
  "select cast(floor(bytes / 500.0) * 500 as bigint) as b, count(*) from events where bytes is not null group by b",
  "select intDiv(bytes, 500) * 500 as b, count(*) from events where bytes is not null group by b");
add("events | summarize dcount(id), dcount(ip)", "select count(distinct id), count(distinct ip) from events");
add("events | evaluate pivot(method, count(), region) | project region, GET, POST, PUT, get",
  "select region, count(*) filter (where method = 'GET'), count(*) filter (where method = 'POST'), count(*) filter (where method = 'PUT'), count(*) filter (where method = 'get') from events group by region");
add("events | summarize make_list(id) by ok | project ok, n = array_length(make_list_id)",
  "select ok, count(id) from events group by ok");

// ---- joins over several keys, keys that are null, and expressions as keys

for (const [kind, sql] of [["inner", "join"], ["leftouter", "left join"], ["fullouter", "full join"]]) {
  add(`events | where id <= 400 | project id, user, method | join kind=${kind} (events | where id > 2700 | project other = id, user, method) on user, method | project id, user, other`,
    `select a.id, a.user, b.id from (select * from events where id <= 400) a ${sql} (select * from events where id > 2700) b on a.user = b.user and a.method = b.method`,
    `select a.id, a.user, b.id from (select * from events where id <= 400) a ${sql} (select * from events where id > 2700) b on a.user = b.user and a.method = b.method settings join_use_nulls = 1`);
}
add("events | join kind=inner (regions | project place = region, cost) on $left.region == $right.place | where cost * 100 > status | summarize n = count(), c = max(cost) by place",
  "select r.region, count(*), max(cost) from events e join regions r on e.region = r.region where cost * 100 > status group by r.region");
add("events | where id <= 200 | extend k = tolower(method) | join kind=leftanti (events | where id > 2990 | extend k = tolower(method)) on k, status | project id",
  "select id from events e where id <= 200 and not exists (select 1 from events o where o.id > 2990 and lower(o.method) = lower(e.method) and o.status = e.status)",
  "select id from (select *, lower(method) as k from events where id <= 200) e left anti join (select lower(method) as k, status from events where id > 2990) o on e.k = o.k and e.status = o.status");
add("events | summarize n = count() by region | join kind=rightouter (regions | summarize z = count() by region) on region | project region1, n, z",
  "select r.region, n, z from (select region, count(*) as n from events group by region) e right join (select region, count(*) as z from regions group by region) r on e.region = r.region",
  "select r.region, n, z from (select region, count() as n from events group by region) e right join (select region, count() as z from regions group by region) r on e.region = r.region settings join_use_nulls = 1");

// ---- expansion and series

add("events | mv-expand a = tags to typeof(string), b = array_reverse(tags) to typeof(string) | summarize n = count() by a, b",
  "select a, b, count(*) from (select unnest(tags) as a, unnest(list_reverse(tags)) as b from events) group by a, b",
  "select a, b, count(*) from (select id, a, b from events array join tags as a, arrayReverse(tags) as b) group by a, b");
add("events | where id <= 500 | mv-expand x = range(1, id % 4, 1) to typeof(long) | summarize s = sum(x * id), n = count()",
  "select sum(x * id), count(*) from (select id, unnest(range(1, id % 4 + 1)) as x from events where id <= 500)",
  "select sum(x * id), count() from (select id, x from events array join range(1, toUInt32(id % 4 + 1)) as x where id <= 500)");
add("events | mv-expand tags to typeof(string) limit 1 | summarize n = count() by tags",
  "select tags[1], count(*) from events where len(tags) > 0 group by 1", "select tags[1] as t, count() from events where notEmpty(tags) group by t");
for (const [apl, duckdb] of [["sum(delta)", "coalesce(sum(delta), 0)"], ["count()", "count(id)"], ["max(delta)", "coalesce(max(delta), 0)"]]) {
  add(`events | make-series v = ${apl} default = 0 on _time from datetime(2024-04-29) to datetime(2024-05-03) step 16h by status | mv-expand _time to typeof(datetime), v to typeof(long) | project status, _time, v`,
    `select s.status, g, ${duckdb} from (select distinct status from events) s cross join generate_series(timestamp '2024-04-29', timestamp '2024-05-02 23:59:59', interval 16 hour) t(g) left join events e on e.status = s.status and e._time >= g and e._time < g + interval 16 hour and e._time < timestamp '2024-05-03' group by s.status, g`,
    null);
}
for (const p of [0, 2.5, 25, 75, 99.9, 100]) {
  add(`events | summarize v = percentile(ms, ${p}), w = percentile(delta, ${p}) by method`,
    `select method, quantile_disc(ms, ${p / 100}), quantile_disc(delta, ${p / 100}) from events group by method`, null);
}
add("events | summarize v = percentileif(bytes, 90, status == 200), w = percentiles_array(delta, 20, 80)[1]",
  "select quantile_disc(bytes, 0.9) filter (where status = 200), quantile_disc(delta, 0.8) from events", null);

// ---- texts beyond ASCII

for (const [apl, duckdb, clickhouse] of [
  ["toupper(replace_string('ß', 's', message))", "upper(replace(message, 'ß', 's'))", "upperUTF8(replaceAll(message, 'ß', 's'))"],
  ["indexof(message, 'é')", "strpos(message, 'é') - 1", "toInt64(positionUTF8(message, 'é')) - 1"],
  ["countof('é', message)", "length(message) - length(replace(message, 'é', ''))", "countSubstrings(message, 'é')"],
  ["split(message, 'é')", "string_split(message, 'é')", "splitByString('é', message)"],
  ["translate('éïö', 'eio', message)", "translate(message, 'éïö', 'eio')", "translateUTF8(message, 'éïö', 'eio')"],
  ["substring(message, 4, 7)", "substring(message, 5, 7)", "substringUTF8(message, 5, 7)"],
  ["replace_string('ß', 'ss', message)", "replace(message, 'ß', 'ss')", "replaceAll(message, 'ß', 'ss')"],
  ["replace_regex('[é-ï]', '_', message)", "regexp_replace(message, '[é-ï]', '_', 'g')", "replaceRegexpAll(message, '[é-ï]', '_')"],
  ["extract('([0-9A-Za-z_]+)$', 1, message)", null, "nullIf(extract(message, '([0-9A-Za-z_]+)$'), '')"],
  ["string_size(user)", "strlen(user)", "length(user)"],
  ["strlen(user)", "length(user)", "lengthUTF8(user)"],
  ["strcat(user, 'é') == 'zoëé'", "coalesce(concat(user, 'é') = 'zoëé', false)", "coalesce(concat(user, 'é') = 'zoëé', false)"],
  ["user =~ 'ÇELIK'", "coalesce(lower(user) = 'çelik', false)", "coalesce(lowerUTF8(user) = 'çelik', false)"],
  ["user contains 'OË'", "coalesce(contains(lower(user), 'oë'), false)", "coalesce(positionUTF8(lowerUTF8(user), 'oë') > 0, false)"],
  ["message startswith 'NAÏVE'", "starts_with(lower(message), 'naïve')", "startsWith(lowerUTF8(message), 'naïve')"],
  ["unicode_codepoints_from_string(user)[2]", "case when length(user) > 2 then unicode(user[3]) end", null],
]) {
  addOrdered(`events | sort by id asc | project id, v = ${apl}`, duckdb === null ? null : `select id, ${duckdb} as v from events order by id`,
    clickhouse === null ? null : `select id, ${clickhouse} as v from events order by id`);
}

// ---- dates over leap years, ends of months and years, and before 1970

const dates = (first, last, step, days) => [`range t from datetime(${first}) to datetime(${last}) step ${step}d`,
  `from generate_series(timestamp '${first}', timestamp '${last}', interval ${step} day) g(t)`,
  `from (select toDateTime64('${first}', 3, 'UTC') + toIntervalDay(number * ${step}) as t from numbers(${days}))`];
const [leapApl, leapDuck, leapClick] = dates("2019-12-20", "2025-03-10", 9, 212);
for (const [apl, duckdb, clickhouse] of [
  ["startofweek(t)", "cast(date_trunc('week', t + interval 1 day) as timestamp) - interval 1 day", "toDateTime64(toStartOfWeek(t, 0), 3, 'UTC')"],
  ["startofmonth(t, 1)", "cast(date_trunc('month', t) as timestamp) + interval 1 month", "toDateTime64(addMonths(toStartOfMonth(t), 1), 3, 'UTC')"],
  ["bin(endofmonth(t), 1d)", "cast(last_day(t) as timestamp)", "toDateTime64(toLastDayOfMonth(t), 3, 'UTC')"],
  ["bin(endofyear(t), 1d)", "cast(date_trunc('year', t) as timestamp) + interval 1 year - interval 1 day", "toDateTime64(addDays(addYears(toStartOfYear(t), 1), -1), 3, 'UTC')"],
  ["dayofyear(t)", "extract(doy from t)", "toDayOfYear(t)"],
  ["week_of_year(t)", "extract(week from t)", "toISOWeek(t)"],
  ["datetime_part('quarter', t)", "extract(quarter from t)", "toQuarter(t)"],
  ["datetime_add('month', 1, t)", "t + interval 1 month", "addMonths(t, 1)"],
  ["datetime_add('month', -11, t)", "t - interval 11 month", "addMonths(t, -11)"],
  ["datetime_add('quarter', 3, t)", "t + interval 9 month", "addMonths(t, 9)"],
  ["datetime_add('year', 1, t)", "t + interval 1 year", "addYears(t, 1)"],
  ["datetime_diff('month', t, datetime(2020-02-29))", "date_diff('month', timestamp '2020-02-29', t)", "dateDiff('month', toDateTime64('2020-02-29', 3, 'UTC'), t)"],
  ["datetime_diff('year', t, datetime(2024-02-29))", "date_diff('year', timestamp '2024-02-29', t)", "dateDiff('year', toDateTime64('2024-02-29', 3, 'UTC'), t)"],
  ["datetime_diff('day', t, datetime(2024-02-29))", "date_diff('day', timestamp '2024-02-29', t)", "dateDiff('day', toDateTime64('2024-02-29', 3, 'UTC'), t)"],
  ["format_datetime(t, 'yy/M/d')", "strftime(t, '%y/%-m/%-d')", null],
  ["bin(t, 10d)", "make_timestamp(cast(floor(epoch_us(t) / 864000000000) as bigint) * 864000000000)",
   "fromUnixTimestamp64Micro(intDiv(toUnixTimestamp64Micro(toDateTime64(t, 6, 'UTC')), 864000000000) * 864000000000, 'UTC')"],
]) {
  addOrdered(`${leapApl} | project t, v = ${apl}`, `select t, ${duckdb} as v ${leapDuck} order by t`,
    clickhouse === null ? null : `select t, ${clickhouse} as v ${leapClick} order by t`);
}
const [oldApl, oldDuck] = dates("1967-11-28", "1972-03-04", 13, 0);
for (const [apl, duckdb] of [
  ["bin(t + 5h, 7h)", "make_timestamp(cast(floor((epoch_us(t) + 18000000000) / 25200000000) as bigint) * 25200000000)"],
  ["bin(t, 30d)", "make_timestamp(cast(floor(epoch_us(t) / 2592000000000) as bigint) * 2592000000000)"],
  ["startofweek(t)", "cast(date_trunc('week', t + interval 1 day) as timestamp) - interval 1 day"],
  ["datetime_add('month', 3, t)", "t + interval 3 month"],
  ["tolong((t - datetime(1970-01-01)) / 1s)", "epoch(t)::bigint"],
  ["dayofweek(t)", "extract(dow from t)"],
  ["datetime_diff('week', t, datetime(1970-01-01))",
   "(epoch(date_trunc('week', t + interval 1 day)) - epoch(timestamp '1969-12-29'))::bigint // 604800"],
]) {
  addOrdered(`${oldApl} | project t, v = ${apl}`, `select t, ${duckdb} as v ${oldDuck} order by t`, null);
}
for (const size of ["7", "2.5", "-3"]) {
  addOrdered(`range x from -50 to 50 step 3 | project x, v = bin(x, ${size}), w = bin(x * 0.37, ${size})`,
    size === "-3" ? "select x, null, null from range(-50, 51, 3) t(x) order by x"
                  : `select x, floor(x / ${size}) * ${size}, floor(x * 0.37 / ${size}) * ${size} from range(-50, 51, 3) t(x) order by x`, null);
}

export default cases;
