// Events and a small dimension, the same on every run: numbers with nulls and both signs, texts
// that are null, empty and beyond ASCII, arrays, and times to the millisecond.

const kEvents = 3000;

// A linear congruential generator is enough to vary the data, and repeats everywhere.
function makeRandom(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

const kMessages = [
  "connection refused by 10.0.0.7 after 3 retries",
  "user logged in",
  "Error: disk full on /dev/sda1",
  "payment error-code=17 amount=12.50",
  "  GET /api/v1/items took 12ms ",
  "naïve café résumé Straße",
  "error2 is not an error",
  "",
];

export function makeEvents() {
  const random = makeRandom(7);
  const pick = (values) => values[random(values.length)];
  const start = Date.UTC(2024, 3, 29, 21, 30);
  const events = [];
  let time = start;
  for (let id = 1; id <= kEvents; ++id) {
    time += random(120000);
    const event = {
      _time: new Date(time).toISOString(),
      id,
      status: pick([200, 200, 200, 201, 301, 404, 500, 503]),
      method: pick(["GET", "POST", "PUT", "get"]),
      path: pick(["/", "/api/v1/items", "/api/v2/items/7", "/login", "/static/app.js"]),
      message: pick(kMessages),
      region: pick(["eu-west", "eu-north", "us-east", "ap-south", "nowhere"]),
      ip: `${pick([10, 172, 192, 8])}.${random(256)}.${random(256)}.${random(256)}`,
      code: pick(["12", "-7", "x1", "", "007", "9223372036854775808", "1.5"]),
      tags: pick([[], ["a"], ["b", "a"], ["c", "a", "c"], ["d", "b", "a", "e"]]),
      delta: random(2001) - 1000,
      ms: (random(1000003) + 1) / 977,
    };
    if (random(10) > 0) {
      event.bytes = random(50) === 0 ? random(1000) * 1000000007 : random(5000);
    }
    if (random(20) === 0) {
      delete event.ms;
    }
    if (random(5) > 0) {
      event.user = pick(["ann", "Bob", "", "Çelik", "zoë", "ann smith", "bob-2"]);
    }
    if (random(8) > 0) {
      event.ok = random(2) === 0;
    }
    events.push(event);
  }
  return events;
}

// One region twice, one that no event has, and one without a name.
export function makeRegions() {
  return [
    { region: "eu-west", zone: "eu", cost: 3 },
    { region: "eu-north", zone: "eu", cost: 4 },
    { region: "us-east", zone: "us", cost: 5 },
    { region: "us-east", zone: "us2", cost: 6 },
    { region: "ap-south", zone: null, cost: 7 },
    { region: "moon", zone: "space", cost: 8 },
  ];
}
