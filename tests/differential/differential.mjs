// Asks evq, DuckDB and ClickHouse the questions of cases.mjs about the data of data.mjs and compares
// the answers. Needs the npm packages @duckdb/node-api and chdb; tests/differential/run fetches them.
//
//   node differential.mjs EVQ PACKAGES SCRATCH [PATTERN]     only questions with PATTERN in them
//   node differential.mjs EVQ PACKAGES SCRATCH --pipelines COUNT SEED     those of pipelines.mjs

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";

import cases from "./cases.mjs";
import { makeEvents, makeRegions } from "./data.mjs";
import { makePipelines } from "./pipelines.mjs";

const [evq, packages, scratch, pattern = "", count, seed] = process.argv.slice(2);
const questions = pattern === "--pipelines" ? makePipelines(Number(count), Number(seed))
                                            : cases.filter((each) => each.apl.includes(pattern));
const load = createRequire(packages + "/");
const run = promisify(execFile);
const kAnswerBytesMax = 64 * 1024 * 1024;
// Several loads, so that evq's answers come from several parts.
const kLinesOfALoad = 700;

// ---- engines: each answers with arrays of cells

async function openEvq(files) {
  const store = scratch + "/evq";
  for (const [name, file] of Object.entries(files)) {
    const lines = readFileSync(file, "utf8").split("\n");
    const part = `${file}.part`;
    for (let from = 0; from < lines.length; from += kLinesOfALoad) {
      writeFileSync(part, lines.slice(from, from + kLinesOfALoad).join("\n"));
      await run(evq, ["--store", store, "ingest", name, part, "-q"]);
    }
  }
  return async (apl) => {
    const { stdout } = await run(evq, ["--store", store, "-q", "query", "--all", "-o", "tabular", apl],
                                 { maxBuffer: kAnswerBytesMax });
    const columns = JSON.parse(stdout).tables[0].columns;
    return columns.length === 0 ? [] : columns[0].map((_, row) => columns.map((column) => column[row]));
  };
}

async function openDuckdb(files) {
  const { DuckDBInstance } = load("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  // Its optimiser has moved filters of joins below a limit; slow and right is what is wanted here.
  await connection.run("pragma disable_optimizer");
  const events = `{_time: 'TIMESTAMP', id: 'BIGINT', status: 'BIGINT', method: 'VARCHAR', path: 'VARCHAR',
    message: 'VARCHAR', region: 'VARCHAR', ip: 'VARCHAR', code: 'VARCHAR', tags: 'VARCHAR[]', delta: 'BIGINT',
    ms: 'DOUBLE', bytes: 'BIGINT', user: 'VARCHAR', ok: 'BOOLEAN'}`;
  const regions = "{region: 'VARCHAR', zone: 'VARCHAR', cost: 'BIGINT'}";
  for (const [name, columns] of [["events", events], ["regions", regions]]) {
    await connection.run(`create table ${name} as select * from
      read_json('${files[name]}', format = 'newline_delimited', columns = ${columns})`);
  }
  return async (sql) => {
    // A column called user is SQL's current_user unless it is quoted.
    const quoted = sql.replace(/'[^']*'|\buser\b/g, (found) => (found === "user" ? '"user"' : found));
    const reader = await connection.runAndReadAll(quoted);
    const types = reader.columnTypes().map(String);
    const whole = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;
    const cell = (value, type) =>
      value === null ? null
      : type.endsWith("[]") ? value.map((each) => cell(each, type.slice(0, -2)))
      : whole.test(type) || type.startsWith("DECIMAL") ? Number(value)
      : value;
    return reader.getRowsJson().map((row) => row.map((value, i) => cell(value, types[i])));
  };
}

async function openClickhouse(files) {
  const { Session } = load("chdb");
  const session = new Session(scratch + "/clickhouse");
  const events = `_time DateTime64(3, 'UTC'), id Int64, status Int64, method String, path String, message String,
    region String, ip String, code String, tags Array(String), delta Int64, ms Nullable(Float64),
    bytes Nullable(Int64), user Nullable(String), ok Nullable(Bool)`;
  const regions = "region String, zone Nullable(String), cost Int64";
  session.query("create database d");
  for (const [name, columns] of [["events", events], ["regions", regions]]) {
    session.query(`create table d.${name} engine = Memory as select * from
      file('${files[name]}', JSONEachRow, '${columns.replace(/'/g, "\\'")}')
      settings date_time_input_format = 'best_effort'`);
  }
  const settings = "output_format_json_quote_64bit_integers = 0, aggregate_functions_null_for_empty = 1";
  return async (sql) => {
    const query = sql.replace(/\b(from|join) (events|regions)\b/g, "$1 d.$2");
    const joined = query.includes(" settings ") ? `${query}, ${settings}` : `${query} settings ${settings}`;
    const answer = session.query(joined, "JSONCompact");
    return JSON.parse(answer).data;
  };
}

// ---- comparison

const kTime = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?Z?$/;

// One form for what engines write differently: bools as numbers, times without trailing zeros.
function plain(value) {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  if (value === "true" || value === "false") {
    return value === "true" ? 1 : 0;
  }
  if (value === "NaN" || value === "nan" || value === "Infinity" || value === "-Infinity" || value === undefined ||
      Number.isNaN(value)) {
    return null;
  }
  const time = typeof value === "string" ? kTime.exec(value) : null;
  if (time !== null) {
    const fraction = (time[3] ?? "").replace(/\.?0+$/, "");
    return `${time[1]}T${time[2]}${fraction}`;
  }
  return value;
}

function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, i) => same(each, b[i]));
  }
  if (typeof a === "number" && typeof b === "number") {
    return a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  }
  return a === b;
}

const sortKey = (row) =>
  JSON.stringify(row, (_, value) => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(7)) : value));

function normalized(rows, ordered) {
  const made = rows.map((row) => row.map(plain));
  return ordered ? made : made.map((row) => [sortKey(row), row]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)).map((pair) => pair[1]);
}

function difference(mine, theirs) {
  if (mine.length !== theirs.length) {
    return `${mine.length} rows rather than ${theirs.length}: ${JSON.stringify(mine[0])} … ${JSON.stringify(theirs[0])}`;
  }
  const at = mine.findIndex((row, i) => !same(row, theirs[i]));
  return at < 0 ? null : `row ${at}: ${JSON.stringify(mine[at])} rather than ${JSON.stringify(theirs[at])}`;
}

// ---- the run

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const files = {};
for (const [name, rows] of [["events", makeEvents()], ["regions", makeRegions()]]) {
  files[name] = `${scratch}/${name}.ndjson`;
  writeFileSync(files[name], rows.map((row) => JSON.stringify(row) + "\n").join(""));
}
const ask = await openEvq(files);
const peers = { duckdb: await openDuckdb(files), clickhouse: await openClickhouse(files) };
const counts = { questions: 0, comparisons: 0, failures: 0 };
const fail = (question, engine, what) => {
  ++counts.failures;
  console.log(`${engine}: ${question.apl}\n    ${question[engine] ?? ""}\n    ${what}`);
};
for (const question of questions) {
  ++counts.questions;
  let mine;
  try {
    mine = normalized(await ask(question.apl), question.ordered);
  } catch (error) {
    fail(question, "evq", (error.stderr ?? String(error)).split("\n")[0]);
    continue;
  }
  for (const [name, peer] of Object.entries(peers)) {
    if (question[name] === null) {
      continue;
    }
    ++counts.comparisons;
    try {
      const found = difference(mine, normalized(await peer(question[name]), question.ordered));
      if (found !== null) {
        fail(question, name, found);
      }
    } catch (error) {
      fail(question, name, String(error.message ?? error).split("\n")[0]);
    }
  }
}
console.log(`${counts.questions} questions, ${counts.comparisons} comparisons, ${counts.failures} failures`);
process.exit(counts.failures === 0 && counts.questions > 0 ? 0 : 1);
