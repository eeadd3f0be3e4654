// Random expressions, each in APL and in DuckDB's SQL, for pipelines.mjs.

export const kDepthMax = 3;

const kWords = {
  method: ["GET", "get", "POST", "P"], path: ["/", "/login", "api", "/api/v1/items", "S"],
  message: ["error", "Error", "after", "took", "é", "", "  GET"], region: ["eu-west", "EU", "us-east", "south"],
  code: ["12", "x1", "", "7"], user: ["ann", "bob", "", "zoë", "çelik", "a"], zone: ["eu", "us2", "space"],
};
const kOtherWords = ["a", "GET", "", "eu", "7", "error"];
export const kTypes = ["int", "real", "string", "bool", "time"];

export class Dice {
  constructor(seed) {
    this.state = (BigInt(seed) * 2862933555777941757n + 3037000493n) & 0xffffffffffffffffn;
    for (let i = 0; i < 8; ++i) {
      this.below(2);
    }
  }
  below(n) {
    this.state = (this.state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((this.state >> 33n) % BigInt(n));
  }
  pick(values) {
    return values[this.below(values.length)];
  }
  chance(one, of) {
    return this.below(of) < one;
  }
  some(values, least, most) {
    const left = [...values];
    const count = Math.min(left.length, least + this.below(most - least + 1));
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]);
  }
}

const quote = (text) => `'${text}'`;

// Each method gives an {apl, sql} of a type, over columns {name: type}.
export class Expressions {
  constructor(dice, columns) {
    this.dice = dice;
    this.columns = columns;
  }
  named(type) {
    return Object.keys(this.columns).filter((name) => this.columns[name] === type);
  }
  column(type) {
    const names = this.named(type);
    if (names.length === 0) {
      return this.literal(type);
    }
    const name = this.dice.pick(names);
    return { apl: name, sql: name, name };
  }
  literal(type) {
    const { dice } = this;
    if (type === "int") {
      const value = dice.pick([0, 1, 3, 7, 12, 100, 404, 500, 2500, -5]);
      return { apl: `(${value})`, sql: `cast(${value} as bigint)` };
    }
    if (type === "real") {
      const value = dice.pick(["0.5", "2.25", "100.0", "512.0"]);
      return { apl: value, sql: `cast(${value} as double)` };
    }
    if (type === "bool") {
      const value = dice.pick(["true", "false"]);
      return { apl: value, sql: value };
    }
    if (type === "time") {
      const day = dice.pick(["2024-04-30 00:00:00", "2024-04-30 12:34:56", "2024-05-01 06:00:00"]);
      return { apl: `datetime(${day})`, sql: `timestamp '${day}'` };
    }
    return this.word(null);
  }
  list() {
    const names = this.named("list");
    if (names.length > 0) {
      const name = this.dice.pick(names);
      return { apl: name, sql: name };
    }
    return { apl: "dynamic(['b', 'a', 'c'])", sql: "['b', 'a', 'c']" };
  }
  word(name) {
    const text = this.dice.pick(kWords[name] ?? kOtherWords);
    return { apl: quote(text), sql: quote(text), text };
  }
  make(type, depth = this.dice.below(kDepthMax)) {
    if (depth <= 0) {
      return this.dice.chance(9, 10) ? this.column(type) : this.literal(type);
    }
    const ways = this[`${type}s`](depth - 1);
    return this.dice.chance(1, 6) ? this.choice(type, depth - 1) : this.dice.pick(ways)();
  }
  choice(type, depth) {
    const [test, a, b] = [this.make("bool", depth), this.make(type, depth), this.make(type, depth)];
    if (this.dice.chance(1, 3) && type !== "string") {
      return { apl: `coalesce(${a.apl}, ${b.apl})`, sql: `coalesce(${a.sql}, ${b.sql})` };
    }
    return { apl: `iff(${test.apl}, ${a.apl}, ${b.apl})`,
             sql: `case when ${test.sql} then ${a.sql} else ${b.sql} end` };
  }
  ints(depth) {
    const { dice } = this;
    const one = () => this.make("int", depth);
    const text = () => this.make("string", depth);
    const time = () => this.make("time", depth);
    const call = (apl, sql, made) => ({ apl: apl.replaceAll("$", made.apl), sql: sql.replaceAll("$", made.sql) });
    const two = (sign) => {
      const [a, b] = [one(), one()];
      return { apl: `(${a.apl} ${sign} ${b.apl})`, sql: `(${a.sql} ${sign} ${b.sql})` };
    };
    const size = dice.pick([2, 7, 10, 60, 250]);
    return [
      () => two("+"), () => two("-"),
      () => call(`($ * ${size})`, `($ * ${size})`, one()),
      () => call(`($ / ${size})`, `cast(trunc($ / ${size}.0) as bigint)`, one()),
      () => call(`($ % ${size})`, `($ % ${size})`, one()),
      () => call(`bin($, ${size})`, `cast(floor($ / ${size}.0) * ${size} as bigint)`, one()),
      () => call("abs($)", "abs($)", one()),
      () => call("-($)", "-($)", one()),
      () => call("strlen($)", "length($)", text()),
      () => call("indexof($, 'e')", "(strpos($, 'e') - 1)", text()),
      () => call("countof('e', $)", "(length($) - length(replace($, 'e', '')))", text()),
      () => call("toint($)", "cast(trunc($) as bigint)", this.make("real", depth)),
      () => call("hourofday($)", "hour($)", time()),
      () => call("dayofmonth($)", "day($)", time()),
      () => call("datetime_part('minute', $)", "minute($)", time()),
      () => call("datetime_diff('hour', $, datetime(2024-04-30))",
                 "date_diff('hour', timestamp '2024-04-30 00:00:00', $)", time()),
      () => call("tolong($)", "cast($ as bigint)", this.make("bool", depth)),
      () => call("array_length($)", "len($)", this.list()),
      () => call("max_of($, 50)", "greatest($, 50)", one()),
      () => call("min_of($, 50)", "least($, 50)", one()),
    ];
  }
  reals(depth) {
    const one = () => this.make("real", depth);
    const whole = () => this.make("int", depth);
    return [
      () => { const a = one(); const b = one(); return { apl: `(${a.apl} + ${b.apl})`, sql: `(${a.sql} + ${b.sql})` }; },
      () => { const a = one(); const b = whole(); return { apl: `(${a.apl} - ${b.apl})`, sql: `(${a.sql} - ${b.sql})` }; },
      () => { const a = one(); return { apl: `(${a.apl} * 0.5)`, sql: `(${a.sql} * cast(0.5 as double))` }; },
      () => { const a = one(); return { apl: `(${a.apl} / 4)`, sql: `(${a.sql} / 4)` }; },
      () => { const a = whole(); return { apl: `todouble(${a.apl})`, sql: `cast(${a.sql} as double)` }; },
      () => { const a = whole(); return { apl: `(${a.apl} / 8.0)`, sql: `(${a.sql} / cast(8 as double))` }; },
      () => { const a = one(); return { apl: `sqrt(abs(${a.apl}))`, sql: `sqrt(abs(${a.sql}))` }; },
    ];
  }
  strings(depth) {
    const { dice } = this;
    const one = () => this.make("string", depth);
    const call = (apl, sql, made = one()) => ({ apl: apl.replaceAll("$", made.apl), sql: sql.replaceAll("$", made.sql) });
    const [from, length] = [dice.below(4), 1 + dice.below(5)];
    return [
      () => { const a = one(); const b = one(); return { apl: `strcat(${a.apl}, '-', ${b.apl})`, sql: `concat(${a.sql}, '-', ${b.sql})` }; },
      () => call(`substring($, ${from}, ${length})`, `substring($, ${from + 1}, ${length})`),
      () => call("tolower($)", "lower($)", this.column("string")),
      () => call("replace_string('e', '_', $)", "replace($, 'e', '_')"),
      () => call("trim_space($)", "trim($)"),
      () => call("strcat_array($, ',')", "array_to_string($, ',')", this.list()),
      () => call("tostring($)", "coalesce(cast($ as varchar), '')", this.make("int", depth)),
      () => call("tostring(split($, '/')[1])", "coalesce(string_split($, '/')[2], '')"),
      () => call("extract('([0-9]+)', 1, $)", "case when regexp_matches($, '[0-9]+') then regexp_extract($, '([0-9]+)', 1) end"),
      () => { const a = one(); const b = one(); return { apl: `coalesce(${a.apl}, ${b.apl})`, sql: `coalesce(nullif(${a.sql}, ''), ${b.sql})` }; },
    ];
  }
  times(depth) {
    const one = () => this.make("time", depth);
    const call = (apl, sql) => { const made = one(); return { apl: apl.replaceAll("$", made.apl), sql: sql.replaceAll("$", made.sql) }; };
    const [apl, sql] = this.dice.pick([["7m", "7 minutes"], ["1h", "1 hour"], ["1d", "1 day"], ["90s", "90 seconds"]]);
    return [
      () => call(`bin($, ${apl})`, `time_bucket(interval '${sql}', $, timestamp '1970-01-01 00:00:00')`),
      () => call("startofday($)", "cast(date_trunc('day', $) as timestamp)"),
      () => call("startofmonth($)", "cast(date_trunc('month', $) as timestamp)"),
      () => call("startofweek($)", "(cast(date_trunc('week', $ + interval 1 day) as timestamp) - interval 1 day)"),
      () => call(`($ + ${apl})`, `($ + interval '${sql}')`),
      () => call(`($ - ${apl})`, `($ - interval '${sql}')`),
      () => call("datetime_add('month', 1, $)", "($ + interval 1 month)"),
    ];
  }
  bools(depth) {
    const { dice } = this;
    const one = () => this.make("bool", depth);
    const join = (word) => { const a = one(); const b = one(); return { apl: `(${a.apl} ${word} ${b.apl})`, sql: `(${a.sql} ${word} ${b.sql})` }; };
    return [
      () => join("and"), () => join("or"),
      () => { const a = one(); return { apl: `not(${a.apl})`, sql: `(not ${a.sql})` }; },
      () => this.comparison(dice.pick(["int", "real", "string", "time"]), depth),
      () => this.comparison("int", depth),
      () => this.equality(dice.pick(["int", "string"]), depth),
      () => this.search(depth), () => this.search(0),
      () => this.membership(depth),
      () => { const a = this.make(dice.pick(kTypes), depth); return { apl: `isnull(${a.apl})`, sql: `(${a.sql} is null)` }; },
      () => { const a = this.make("string", depth); return { apl: `isnotempty(${a.apl})`, sql: `(coalesce(${a.sql}, '') <> '')` }; },
      () => { const a = this.make("int", depth); return { apl: `(${a.apl} between (3 .. 400))`, sql: `(${a.sql} between 3 and 400)` }; },
    ];
  }
  comparison(type, depth) {
    const sign = this.dice.pick(["<", "<=", ">", ">="]);
    const a = this.make(type, depth);
    const b = this.dice.chance(2, 3) ? this.literal(type) : this.make(type, depth);
    return { apl: `(${a.apl} ${sign} ${b.apl})`, sql: `(${a.sql} ${sign} ${b.sql})` };
  }
  equality(type, depth) {
    const a = this.make(type, depth);
    const b = type === "string" ? this.word(a.name) : this.literal(type);
    return this.dice.chance(1, 2)
      ? { apl: `(${a.apl} == ${b.apl})`, sql: `coalesce(${a.sql} = ${b.sql}, false)` }
      : { apl: `(${a.apl} != ${b.apl})`, sql: `coalesce(${a.sql} <> ${b.sql}, true)` };
  }
  search(depth) {
    const a = this.make("string", depth);
    const word = this.word(a.name);
    if (word.text === "") {  // every text has it, and whether a null does is not compared
      return this.equality("string", depth);
    }
    const [apl, sql] = this.dice.pick([
      ["contains", "contains(lower($), lower(#))"], ["contains_cs", "contains($, #)"],
      ["startswith", "starts_with(lower($), lower(#))"], ["startswith_cs", "starts_with($, #)"],
      ["endswith", "ends_with(lower($), lower(#))"], ["endswith_cs", "ends_with($, #)"],
      ["=~", "(lower($) = lower(#))"],
    ]);
    const test = sql.replaceAll("$", a.sql).replaceAll("#", word.sql);
    if (this.dice.chance(1, 3)) {
      return { apl: `(${a.apl} ${apl === "=~" ? "!~" : `!${apl}`} ${word.apl})`, sql: `coalesce(not ${test}, true)` };
    }
    return { apl: `(${a.apl} ${apl} ${word.apl})`, sql: `coalesce(${test}, false)` };
  }
  membership(depth) {
    const type = this.dice.pick(["int", "string"]);
    const a = this.make(type, depth);
    const values = Array.from({ length: 1 + this.dice.below(4) }, () => (type === "string" ? this.word(a.name) : this.literal(type)));
    const list = (form) => values.map((value) => value[form]).join(", ");
    return this.dice.chance(2, 3)
      ? { apl: `(${a.apl} in (${list("apl")}))`, sql: `coalesce(${a.sql} in (${list("sql")}), false)` }
      : { apl: `(${a.apl} !in (${list("apl")}))`, sql: `coalesce(${a.sql} not in (${list("sql")}), true)` };
  }
}
