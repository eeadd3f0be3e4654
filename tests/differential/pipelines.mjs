// Random pipelines over the data of data.mjs, each in APL and in DuckDB's SQL. What is compared must
// have one answer: rows are cut off only under an order without ties, sums of reals stay small, and
// nothing asks whether two values are equal that both may be null, or whether a null has an empty text.
//
//   makePipelines(count, seed)     questions as cases.mjs has them; the same seed, the same questions

import { Dice, Expressions, kDepthMax, kTypes } from "./expressions.mjs";

const kStagesMax = 5;
const kEvents = {
  _time: "time", id: "int", status: "int", method: "string", path: "string", message: "string",
  region: "string", code: "string", tags: "list", delta: "int", ms: "real", bytes: "int",
  user: "string", ok: "bool",
};
const kRegions = { region: "string", zone: "string", cost: "int" };
const kAggregateNames = ["p", "q", "r", "s"];  // more than there are keys

// Each stage puts another select around what is there.
class Pipeline {
  constructor(dice, table = "events", columns = kEvents) {
    this.dice = dice;
    this.apl = table;
    this.sql = `select ${Object.keys(columns).join(", ")} from ${table}`;
    this.columns = { ...columns };
    this.unique = table === "events" ? "id" : null;  // a column that no two rows share
    this.fresh = 0;
  }
  names() {
    return Object.keys(this.columns);
  }
  values() {
    return new Expressions(this.dice, this.columns);
  }
  scalars() {
    return this.names().filter((name) => this.columns[name] !== "list");
  }
  then(apl, sql, columns = this.columns) {
    this.apl += `\n| ${apl}`;
    this.sql = sql.replaceAll("FROM", `from (${this.sql})`);
    this.columns = columns;
    if (!(this.unique in columns)) {
      this.unique = null;
    }
    return this;
  }
  stage() {
    const stages = [
      "where", "where", "extend", "extend", "project", "summarize", "summarize", "distinct", "cut", "top", "join",
      "lookup", "semi", "union", "expand", "number", "partition", "rename", "within", "latest", "sets", "scalar",
    ];
    return this[this.dice.pick(stages)]();
  }
  where() {
    const test = this.values().make("bool", 1 + this.dice.below(kDepthMax));
    return this.then(`where ${test.apl}`, `select * FROM where ${test.sql}`);
  }
  extend() {
    const made = {};
    const parts = [];
    for (let i = 1 + this.dice.below(2); i > 0; --i) {
      const type = this.dice.pick(kTypes);
      const name = this.dice.chance(1, 6) && this.named(type) ? this.named(type) : `x${++this.fresh}`;
      if (name in made) {
        continue;
      }
      made[name] = type;
      parts.push({ name, ...this.values().make(type, 1 + this.dice.below(kDepthMax)) });
    }
    const replaced = parts.filter((part) => part.name in this.columns);
    const added = parts.filter((part) => !(part.name in this.columns));
    const star = replaced.length === 0 ? "*" : `* replace (${replaced.map((part) => `${part.sql} as ${part.name}`).join(", ")})`;
    if (replaced.some((part) => part.name === this.unique)) {
      this.unique = null;
    }
    return this.then(`extend ${parts.map((part) => `${part.name} = ${part.apl}`).join(", ")}`,
                     `select ${[star, ...added.map((part) => `${part.sql} as ${part.name}`)].join(", ")} FROM`,
                     { ...this.columns, ...made });
  }
  // A column that extend may write over; its type stays.
  named(type) {
    const names = this.names().filter((name) => this.columns[name] === type && name !== "_time");
    return names.length === 0 ? null : this.dice.pick(names);
  }
  project() {
    const kept = this.dice.some(this.names(), 2, 6);
    const type = this.dice.pick(kTypes);
    const made = this.values().make(type);
    const name = `x${++this.fresh}`;
    const columns = Object.fromEntries(kept.map((each) => [each, this.columns[each]]));
    return this.then(`project ${[...kept, `${name} = ${made.apl}`].join(", ")}`,
                     `select ${[...kept, `${made.sql} as ${name}`].join(", ")} FROM`, { ...columns, [name]: type });
  }
  rename() {
    const name = this.dice.pick(this.names());
    const other = `x${++this.fresh}`;
    const columns = Object.fromEntries(this.names().map((each) => [each === name ? other : each, this.columns[each]]));
    this.unique = this.unique === name ? other : this.unique;
    return this.then(`project-rename ${other} = ${name}`,
                     `select ${this.names().map((each) => (each === name ? `${name} as ${other}` : each)).join(", ")} FROM`, columns);
  }
  aggregate() {
    const values = this.values();
    const { dice } = this;
    const type = dice.pick(["int", "real", "int", "string", "time"]);
    const x = values.make(type, 1);
    const test = values.make("bool", 1);
    const filter = `filter (where ${test.sql})`;
    const number = type === "int" || type === "real";
    const ways = [
      { type: "int", apl: "count()", sql: "count(*)" },
      { type: "int", apl: `countif(${test.apl})`, sql: `count(*) ${filter}` },
      { type, apl: `min(${x.apl})`, sql: `min(${x.sql})` },
      { type, apl: `max(${x.apl})`, sql: `max(${x.sql})` },
      { type, apl: `minif(${x.apl}, ${test.apl})`, sql: `min(${x.sql}) ${filter}` },
      { type, apl: `maxif(${x.apl}, ${test.apl})`, sql: `max(${x.sql}) ${filter}` },
      { type: "int", apl: `dcount(${x.apl})`, sql: `count(distinct ${x.sql})` },
      { type: "int", apl: `dcountif(${x.apl}, ${test.apl})`, sql: `count(distinct ${x.sql}) ${filter}` },
    ];
    if (number) {
      const made = type === "int" ? "cast(coalesce(#, 0) as bigint)" : "coalesce(#, 0)";
      ways.push({ type, apl: `sum(${x.apl})`, sql: made.replace("#", `sum(${x.sql})`) },
                { type, apl: `sumif(${x.apl}, ${test.apl})`, sql: made.replace("#", `sum(${x.sql}) ${filter}`) },
                { type: "real", apl: `avg(${x.apl})`, sql: `avg(${x.sql})` },
                { type: "real", apl: `avgif(${x.apl}, ${test.apl})`, sql: `avg(${x.sql}) ${filter}` });
    }
    return dice.pick(ways);
  }
  // Keys of a grouping: columns and computed values of few values.
  keys(most) {
    const values = this.values();
    const count = this.scalars().length === 0 ? 0 : this.dice.below(most + 1);
    return Array.from({ length: count }, () => {
      if (this.dice.chance(1, 2)) {
        const name = this.dice.pick(this.scalars());
        return { name, type: this.columns[name], apl: name, sql: name };
      }
      const type = this.dice.pick(kTypes);
      const made = values.make(type, 1);
      const name = `x${++this.fresh}`;
      return { name, type, apl: `${name} = ${made.apl}`, sql: made.sql };
    }).filter((key, i, all) => all.findIndex((other) => other.name === key.name) === i && key.type !== "real");
  }
  summarize() {
    const keys = this.keys(3);
    const names = kAggregateNames.filter((name) => keys.every((key) => key.name !== name));
    const aggregates = names.slice(0, 1 + this.dice.below(names.length)).map((name) => ({ name, ...this.aggregate() }));
    const columns = Object.fromEntries([...keys, ...aggregates].map((each) => [each.name, each.type]));
    const list = [...keys, ...aggregates].map((each) => `${each.sql} as ${each.name}`).join(", ");
    const by = keys.length === 0 ? "" : ` by ${keys.map((key) => key.apl).join(", ")}`;
    const group = keys.length === 0 ? "" : ` group by ${keys.map((_, i) => i + 1).join(", ")}`;
    return this.then(`summarize ${aggregates.map((each) => `${each.name} = ${each.apl}`).join(", ")}${by}`,
                     `select ${list} FROM${group}`, columns);
  }
  // The row of each group in which the column without ties is greatest or smallest.
  latest() {
    const { unique } = this;
    const kept = this.dice.some(this.scalars().filter((name) => name !== unique), 1, 3);
    const keys = this.keys(2).filter((key) => key.name !== unique && !kept.includes(key.name));
    if (unique === null || kept.length === 0) {
      return this.summarize();
    }
    const end = this.dice.pick(["max", "min"]);
    const list = [...keys.map((key) => `${key.sql} as ${key.name}`), `${end}(${unique}) as ${unique}`,
                  ...kept.map((name) => `arg_${end}_null(${name}, ${unique}) as ${name}`)];
    const by = keys.length === 0 ? "" : ` by ${keys.map((key) => key.apl).join(", ")}`;
    const group = keys.length === 0 ? "" : ` group by ${keys.map((_, i) => i + 1).join(", ")}`;
    const columns = Object.fromEntries([...keys.map((key) => [key.name, key.type]), [unique, this.columns[unique]],
                                        ...kept.map((name) => [name, this.columns[name]])]);
    this.then(`summarize arg_${end}(${[unique, ...kept].join(", ")})${by}`, `select ${list.join(", ")} FROM${group}`, columns);
    return this;
  }
  sets() {
    const keys = this.keys(2).filter((key) => key.name !== "p");
    const x = this.values().column("string");
    const test = this.values().make("bool", 1);
    const [apl, filter] = this.dice.pick([[`make_set(${x.apl})`, ""],
                                          [`make_set_if(${x.apl}, ${test.apl})`, ` filter (where ${test.sql})`]]);
    const by = keys.length === 0 ? "" : ` by ${keys.map((key) => key.apl).join(", ")}`;
    const group = keys.length === 0 ? "" : ` group by ${keys.map((_, i) => i + 1).join(", ")}`;
    const list = [...keys.map((key) => `${key.sql} as ${key.name}`),
                  `list_sort(coalesce(list(distinct ${x.sql}) filter (where ${x.sql} is not null${filter && ` and ${test.sql}`}), []::varchar[])) as p`];
    const columns = Object.fromEntries([...keys.map((key) => [key.name, key.type]), ["p", "list"]]);
    // A set holds 128 values unless told otherwise.
    const sized = apl.replace(/^make_set\((.*)\)$/, "make_set($1, 100000)");
    return this.then(`summarize p = ${sized}${by}\n| extend p = array_sort_asc(p)`, `select ${list.join(", ")} FROM${group}`, columns);
  }
  scalar() {
    const end = this.dice.pick(["max", "min"]);
    const inner = new Pipeline(this.dice).where();
    inner.then(`summarize ${end}(delta)`, `select ${end}(delta) FROM`, {});
    const a = this.values().make("int");
    const sign = this.dice.pick(["<", ">="]);
    return this.then(`where ${a.apl} ${sign} toscalar(${inner.apl})`, `select * FROM where ${a.sql} ${sign} (${inner.sql})`);
  }
  distinct() {
    const names = this.dice.some(this.scalars(), 1, 3);
    if (names.length === 0) {
      return this.where();
    }
    return this.then(`distinct ${names.join(", ")}`, `select distinct ${names.join(", ")} FROM`,
                     Object.fromEntries(names.map((name) => [name, this.columns[name]])));
  }
  // Rows cut off in an order of all columns.
  cut() {
    const names = this.dice.some(this.scalars(), 99, 99);
    if (names.length === 0) {
      return this.where();
    }
    const order = names.map((name) => ({ name, up: this.dice.chance(1, 2) }));
    const count = 1 + this.dice.below(60);
    const columns = Object.fromEntries(names.map((name) => [name, this.columns[name]]));
    return this.then(
      `project ${names.join(", ")}\n| sort by ${order.map((key) => `${key.name} ${key.up ? "asc" : "desc"}`).join(", ")}\n| take ${count}`,
      `select ${names.join(", ")} FROM order by ${order.map((key) => `${key.name} ${key.up ? "asc nulls first" : "desc nulls last"}`).join(", ")} limit ${count}`,
      columns);
  }
  top() {
    if (this.unique === null) {
      return this.cut();
    }
    const key = this.dice.pick(this.scalars());
    const up = this.dice.chance(1, 2);
    const count = 1 + this.dice.below(30);
    return this.then(`top ${count} by ${key} ${up ? "asc" : "desc"}, ${this.unique} asc`,
                     `select * FROM order by ${key} ${up ? "asc nulls first" : "desc nulls last"}, ${this.unique} asc limit ${count}`);
  }
  // The other side of a join: the dimension, or counts of events by one of its columns.
  side(key) {
    if (key === "region" && this.dice.chance(2, 3)) {
      const right = new Pipeline(this.dice, "regions", kRegions);
      return this.dice.chance(1, 3) ? right.where() : right;
    }
    const right = new Pipeline(this.dice);
    if (this.dice.chance(1, 2)) {
      right.where();
    }
    return right.then(`summarize n = count(), m = max(delta) by ${key}`,
                      `select ${key}, count(*) as n, max(delta) as m FROM group by 1`,
                      { [key]: kEvents[key], n: "int", m: "int" });
  }
  keyOfJoin() {
    const names = ["region", "status", "method", "user"].filter((name) => this.columns[name] === kEvents[name]);
    return names.length === 0 ? null : this.dice.pick(names);
  }
  join() {
    const key = this.keyOfJoin();
    if (key === null) {
      return this.where();
    }
    const right = this.side(key);
    const [apl, sql] = this.dice.pick([["inner", "inner"], ["leftouter", "left"], ["rightouter", "right"], ["fullouter", "full"]]);
    const added = right.names().map((name) => {
      let shown = name;
      for (let i = 1; shown in this.columns || (i > 1 && right.names().includes(shown)); ++i) {
        shown = `${name}${i}`;
      }
      return [name, shown];
    });
    if (added.some(([, shown]) => /\d\d$/.test(shown))) {
      return this.where();
    }
    const columns = { ...this.columns, ...Object.fromEntries(added.map(([name, shown]) => [shown, right.columns[name]])) };
    this.unique = null;
    const list = [...this.names().map((name) => `a.${name}`), ...added.map(([name, shown]) => `b.${name} as ${shown}`)];
    return this.then(`join kind=${apl} (${right.apl}) on ${key}`,
                     `select ${list.join(", ")} FROM a ${sql} join (${right.sql}) b on a.${key} = b.${key}`, columns);
  }
  lookup() {
    const key = this.keyOfJoin();
    if (key === null) {
      return this.where();
    }
    const right = this.side(key);
    const added = right.names().filter((name) => name !== key);
    if (added.some((name) => name in this.columns)) {
      return this.where();
    }
    this.unique = null;
    const [apl, sql] = this.dice.pick([["inner", "inner"], ["leftouter", "left"]]);
    const list = [...this.names().map((name) => `a.${name}`), ...added.map((name) => `b.${name}`)];
    return this.then(`lookup kind=${apl} (${right.apl}) on ${key}`,
                     `select ${list.join(", ")} FROM a ${sql} join (${right.sql}) b on a.${key} = b.${key}`,
                     { ...this.columns, ...Object.fromEntries(added.map((name) => [name, right.columns[name]])) });
  }
  semi() {
    const key = this.keyOfJoin();
    if (key === null) {
      return this.where();
    }
    const right = this.side(key);
    const kind = this.dice.pick(["semi", "anti"]);
    return this.then(`join kind=left${kind} (${right.apl}) on ${key}`,
                     `select a.* FROM a ${kind} join (${right.sql}) b on a.${key} = b.${key}`);
  }
  within() {
    const key = this.keyOfJoin();
    if (key === null) {
      return this.where();
    }
    const inner = new Pipeline(this.dice).where();
    inner.then(`where isnotnull(${key})\n| distinct ${key}`, `select distinct ${key} FROM where ${key} is not null`, { [key]: kEvents[key] });
    return this.then(`where ${key} in ((${inner.apl}))`, `select * FROM where coalesce(${key} in (${inner.sql}), false)`);
  }
  union() {
    const names = this.names().filter((name) => kEvents[name] === this.columns[name]);
    if (names.length !== this.names().length) {
      return this.where();
    }
    const other = new Pipeline(this.dice).where();
    other.then(`project ${names.join(", ")}`, `select ${names.join(", ")} FROM`, this.columns);
    this.unique = null;
    return this.then(`union (${other.apl})`, `select * FROM union all (${other.sql})`);
  }
  expand() {
    const lists = this.names().filter((name) => this.columns[name] === "list");
    if (lists.length === 0) {
      return this.where();
    }
    const name = this.dice.pick(lists);
    this.unique = null;
    return this.then(`mv-expand ${name} to typeof(string)`,
                     `select ${this.names().map((each) => (each === name ? `unnest(coalesce(${name}, [null])) as ${name}` : each)).join(", ")} FROM`,
                     { ...this.columns, [name]: "string" });
  }
  // Values of neighbours, in an order without ties.
  number() {
    if (this.unique === null) {
      return this.cut();
    }
    const name = `x${++this.fresh}`;
    const up = this.dice.chance(1, 2) ? "asc" : "desc";
    const over = `over (order by ${this.unique} ${up})`;
    const column = this.dice.pick(this.scalars());
    const sum = this.values().make("int", 1);
    const [apl, sql, type] = this.dice.pick([
      ["row_number()", `row_number() ${over}`, "int"],
      [`prev(${column})`, `lag(${column}) ${over}`, this.columns[column]],
      [`next(${column})`, `lead(${column}) ${over}`, this.columns[column]],
      [`prev(${column}, 3)`, `lag(${column}, 3) ${over}`, this.columns[column]],
      [`row_cumsum(coalesce(${sum.apl}, 0))`, `cast(sum(coalesce(${sum.sql}, 0)) ${over} as bigint)`, "int"],
    ]);
    return this.then(`sort by ${this.unique} ${up}\n| extend ${name} = ${apl}`, `select *, ${sql} as ${name} FROM`,
                     { ...this.columns, [name]: type });
  }
  partition() {
    const keys = ["status", "method", "region"].filter((name) => this.columns[name] === kEvents[name]);
    if (this.unique === null || keys.length === 0) {
      return this.summarize();
    }
    const key = this.dice.pick(keys);
    const by = this.dice.pick(this.scalars());
    const up = this.dice.chance(1, 2);
    const count = 1 + this.dice.below(5);
    return this.then(
      `partition by ${key} (top ${count} by ${by} ${up ? "asc" : "desc"}, ${this.unique} asc)`,
      `select * FROM qualify row_number() over (partition by ${key} order by ${by} ${up ? "asc nulls first" : "desc nulls last"}, ${this.unique}) <= ${count}`);
  }
}

export function makePipelines(count, seed) {
  return Array.from({ length: count }, (_, i) => {
    const dice = new Dice(seed * 1000003 + i);
    const pipeline = new Pipeline(dice);
    for (let stages = 1 + dice.below(kStagesMax); stages > 0; --stages) {
      pipeline.stage();
    }
    const names = pipeline.names();
    pipeline.then(`project ${names.join(", ")}`, `select ${names.join(", ")} FROM`);
    return { apl: pipeline.apl, duckdb: pipeline.sql, clickhouse: null, ordered: false };
  });
}
