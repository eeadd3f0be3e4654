// What the published clients do, call by call, against a running server: every expectation is what
// a user of the client relies on.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { annotations, Axiom, AxiomWithoutBatching, ContentEncoding, ContentType } from '@axiomhq/js';
import { WinstonTransport } from '@axiomhq/winston';
import pino from 'pino';
import winston from 'winston';

import { startServer } from './server.mjs';

let server;
let options;
let axiom;

before(async () => {
  server = await startServer();
  const fail = (error) => {
    throw error;
  };
  options = { token: server.token, url: server.url, onError: fail };
  axiom = new AxiomWithoutBatching(options);
});

after(async () => {
  assert.equal(await server.stop(), 0);
});

const rows = (result) => [...result.tables[0].events()];

test('events go in as JSON, NDJSON and CSV, plain and compressed', async () => {
  const forms = [
    ['[{"n":1},{"n":2}]', ContentType.JSON],
    ['{"n":3}\n{"n":4}', ContentType.NDJSON],
    ['n\n5\n6', ContentType.CSV],
  ];
  for (const [text, type] of forms) {
    for (const [body, encoding] of [
      [text, ContentEncoding.Identity],
      [text, ContentEncoding.Auto],
      [gzipSync(text), ContentEncoding.GZIP],
    ]) {
      const status = await axiom.ingestRaw('forms', body, type, encoding);
      assert.deepEqual([status.ingested, status.failed, status.failures], [2, 0, []]);
      assert.equal(status.processedBytes, text.length);
    }
  }
  const found = await axiom.query("['forms'] | count");
  assert.equal(rows(found)[0].Count, 18);
});

test('a custom time field and format are understood', async () => {
  const event = { at: '2/May/2024:10:00:00 +0000', k: 'v' };
  await axiom.ingest('timed', event, {
    timestampField: 'at',
    timestampFormat: '2/Jan/2006:15:04:05 +0000',
  });
  const found = await axiom.query("['timed'] | project _time, k");
  assert.deepEqual(rows(found), [{ _time: '2024-05-02T10:00:00Z', k: 'v' }]);
});

test('an answer is a table of columns; the legacy form lists events', async () => {
  const time = '2024-05-01T00:00:00Z';
  await axiom.ingest('web', [
    { _time: time, status: 200, geo: { city: 'Bonn' } },
    { _time: time, status: 500, geo: { city: 'Kiel' } },
  ]);
  const table = await axiom.query("['web']", { startTime: time, endTime: time });
  assert.equal(table.format, 'tabular');
  assert.deepEqual([table.status.rowsExamined, table.status.rowsMatched], [2, 2]);
  assert.deepEqual(
    table.tables[0].fields.map((field) => field.name),
    ['_sysTime', '_time', 'geo.city', 'status'],
  );
  assert.deepEqual(table.tables[0].order, [{ field: '_time', desc: true }]);
  const legacy = await axiom.query("['web'] | where status >= 500", { format: 'legacy' });
  assert.deepEqual(
    legacy.matches.map((match) => match.data),
    [{ geo: { city: 'Kiel' }, status: 500 }],
  );
  assert.deepEqual(legacy.buckets, { series: [], totals: [] });
});

test('a time series comes with its totals, in both forms', async () => {
  const at = (minute) => `2024-05-01T00:0${minute}:00Z`;
  await axiom.ingest(
    'series',
    [0, 1, 1, 6].map((minute) => ({ _time: at(minute), path: minute === 6 ? '/b' : '/a' })),
  );
  const apl = "['series'] | summarize count() by bin(_time, 5m), path";
  const result = await axiom.query(apl);
  assert.deepEqual(result.tables.map((table) => table.name), ['0', '_totals']);
  assert.deepEqual(result.tables[0].buckets, { field: '_time', size: 300e9 });
  assert.deepEqual(result.tables[1].columns, [['/a', '/b'], [3, 1]]);
  const legacy = await axiom.queryLegacy('series', {
    startTime: at(0),
    endTime: at(9),
    resolution: '5m',
    aggregations: [{ op: 'count', field: '*', alias: 'n' }],
    groupBy: ['path'],
  });
  assert.deepEqual(
    legacy.buckets.series.map((interval) => [interval.startTime, interval.endTime]),
    [[at(0), at(5)], [at(5), '2024-05-01T00:10:00Z']],
  );
  assert.deepEqual(
    legacy.buckets.totals.map((total) => [total.group.path, total.aggregations]),
    [['/a', [{ op: 'n', value: 3 }]], ['/b', [{ op: 'n', value: 1 }]]],
  );
});

test('pages by cursor hold every event once', async () => {
  await axiom.ingest('paged', Array.from({ length: 25 }, (_, n) => ({ n })));
  const seen = [];
  for (let cursor; ; ) {
    const page = await axiom.query("['paged'] | sort by _time asc | limit 10", { cursor });
    seen.push(...rows(page).map((event) => event.n));
    assert.equal(page.status.rowsMatched, 25);
    if (page.status.maxCursor === cursor) break;
    cursor = page.status.maxCursor;
  }
  assert.deepEqual(seen, Array.from({ length: 25 }, (_, n) => n));
});

test('the batching client flushes what it was given', async () => {
  const batching = new Axiom(options);
  for (let n = 0; n < 2500; ++n) batching.ingest('batched', { n });
  await batching.flush();
  const found = await axiom.query("['batched'] | summarize n = count(), last = max(n)");
  assert.deepEqual(rows(found), [{ n: 2500, last: 2499 }]);
});

test('errors carry the reason', async () => {
  await assert.rejects(axiom.query("['web'] | where stauts == 1"), /unknown field 'stauts'/);
  await assert.rejects(axiom.query("['nowhere']"), /not found/i);
  await assert.rejects(axiom.datasets.get('nowhere'), /not found/i);
  const stranger = new AxiomWithoutBatching({ ...options, token: 'xaat-unknown' });
  await assert.rejects(stranger.datasets.list());
});

test('datasets, fields and map fields', async () => {
  const made = await axiom.datasets.create({ name: 'made', description: 'first' });
  assert.equal(made.id, 'made');
  assert.deepEqual(await axiom.datasets.get('made'), made);
  await assert.rejects(axiom.datasets.create({ name: 'made' }), /exist/);
  const changed = await axiom.datasets.update('made', { description: 'second' });
  assert.equal(changed.description, 'second');
  assert.ok((await axiom.datasets.list()).some((each) => each.name === 'made'));
  await axiom.ingest('made', { a: 1, b: 'x' });
  const fields = await axiom.datasets.fields('made');
  assert.deepEqual(fields.find((field) => field.name === 'a')?.type, 'integer');
  assert.deepEqual(await axiom.datasets.mapFields('made'), []);
  await axiom.datasets.trim('made', '1h');
  assert.equal((await axiom.datasets.delete('made')).status, 204);
});

test('annotations, monitors, dashboards, saved queries, users', async () => {
  const notes = new annotations.Service(options);
  const note = await notes.create({ type: 'deploy', datasets: ['web'], title: 'v1' });
  assert.match(note.id, /^ann_/);
  assert.equal((await notes.update(note.id, { title: 'v2' })).title, 'v2');
  assert.deepEqual((await notes.list({ datasets: ['web'] })).map((each) => each.id), [note.id]);
  assert.equal((await notes.delete(note.id)).status, 204);

  const monitor = await axiom.monitors.create({ name: 'm', type: 'Threshold', aplQuery: "['web']" });
  assert.equal((await axiom.monitors.get(monitor.id)).name, 'm');
  assert.equal((await axiom.monitors.delete(monitor.id)).status, 204);

  const headers = { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' };
  const post = async (path, body) => {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const board = await post('/v2/dashboards', {
    uid: 'main',
    dashboard: {
      name: 'Main', owner: 'owner', charts: [], layout: [], refreshTime: 60, schemaVersion: 2,
      timeWindowStart: 'qr-now-1h', timeWindowEnd: 'qr-now',
    },
  });
  assert.equal(board.status, 'created');
  assert.deepEqual(await axiom.dashboards.get('main'), board.dashboard);
  assert.equal((await axiom.dashboards.list({ limit: 10, offset: 0 })).length, 1);

  const saved = await post('/v2/apl-starred-queries', {
    kind: 'apl', name: 'n', who: 'me', metadata: {}, query: { apl: "['web']" },
  });
  assert.deepEqual(await axiom.savedQueries.get(saved.id), saved);
  assert.equal((await axiom.savedQueries.list({ limit: 5 })).length, 1);

  const user = await axiom.users.current();
  assert.deepEqual(await axiom.users.get(user.id), user);
});

test('pino logs arrive when the transport ends', async () => {
  const transport = pino.transport({
    target: '@axiomhq/pino',
    options: { dataset: 'pino', token: server.token, url: server.url },
  });
  const logger = pino({ level: 'debug' }, transport);
  await new Promise((resolve) => transport.on('ready', resolve));
  logger.info({ route: '/x' }, 'served');
  logger.error('failed');
  transport.end();
  await new Promise((resolve) => transport.on('close', resolve));
  const found = await axiom.query("['pino'] | sort by _time asc | project level, msg");
  assert.deepEqual(rows(found), [
    { level: 'info', msg: 'served' },
    { level: 'error', msg: 'failed' },
  ]);
});

test('winston logs arrive', async () => {
  const logger = winston.createLogger({
    level: 'info',
    transports: [new WinstonTransport({ ...options, dataset: 'winston' })],
  });
  logger.info('hello', { user: 7 });
  let found = [];
  for (let tries = 0; tries < 100 && found.length === 0; ++tries) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await axiom
      .query("['winston'] | project level, message, user")
      .then(rows)
      .catch(() => []);
  }
  assert.deepEqual(found, [{ level: 'info', message: 'hello', user: 7 }]);
  logger.close();
});
