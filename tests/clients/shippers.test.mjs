// Shippers of other systems, as they are published, against a running server: OpenTelemetry's
// exporters in both encodings, Elasticsearch's client, Splunk's and Loki's log transports.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Client } from '@elastic/elasticsearch';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import splunk from 'splunk-logging';
import winston from 'winston';
import LokiTransport from 'winston-loki';

import { startServer } from './server.mjs';

let server;
let authorization;

before(async () => {
  server = await startServer();
  authorization = { Authorization: `Bearer ${server.token}` };
});

after(async () => {
  assert.equal(await server.stop(), 0);
});

const events = async (apl) => {
  const answer = await fetch(`${server.url}/v1/query/_apl?format=legacy`, {
    method: 'POST',
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ apl }),
  });
  const { matches } = await answer.json();
  return (matches ?? []).map((match) => ({ ...match.data, _time: match._time }));
};

const eventually = async (apl, count) => {
  let found = [];
  for (let tries = 0; tries < 100 && found.length < count; ++tries) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await events(apl);
  }
  return found;
};

const resource = resourceFromAttributes({ 'service.name': 'shop', 'host.name': 'h1' });

for (const [form, Logs, Traces] of [
  ['json', JsonLogs, JsonTraces],
  ['proto', ProtoLogs, ProtoTraces],
]) {
  for (const compression of ['none', 'gzip']) {
    const dataset = `otel-${form}-${compression}`;
    const options = (path) => ({
      url: server.url + path,
      headers: { ...authorization, 'X-Axiom-Dataset': dataset },
      compression,
    });

    test(`OpenTelemetry logs, ${form}, ${compression}`, async () => {
      const exporter = new Logs(options('/v1/logs'));
      const provider = new LoggerProvider({
        resource,
        processors: [new SimpleLogRecordProcessor({ exporter })],
      });
      provider.getLogger('lib', '1.2').emit({
        severityNumber: 9,
        severityText: 'INFO',
        body: 'hello',
        timestamp: new Date('2024-05-01T00:00:00Z'),
        attributes: { 'http.method': 'GET', mine: { a: [1, 'x', true] } },
      });
      await provider.shutdown();
      assert.deepEqual(await events(`['${dataset}'] | where isnotnull(body)`), [
        {
          _time: '2024-05-01T00:00:00Z',
          attributes: { custom: { mine: { a: [1, 'x', true] } }, http: { method: 'GET' } },
          body: 'hello',
          resource: { host: { name: 'h1' }, service: { name: 'shop' } },
          scope: { name: 'lib', version: '1.2' },
          service: { name: 'shop' },
          severity_number: 9,
          severity_text: 'INFO',
        },
      ]);
    });

    test(`OpenTelemetry traces, ${form}, ${compression}`, async () => {
      const exporter = new Traces(options('/v1/traces'));
      const provider = new BasicTracerProvider({
        resource,
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      });
      const span = provider.getTracer('lib').startSpan('get', { kind: SpanKind.SERVER });
      span.recordException(new Error('boom'));
      span.setStatus({ code: SpanStatusCode.ERROR, message: 'bad' });
      span.end();
      await provider.shutdown();
      const [kept] = await events(`['${dataset}'] | where name == 'get'`);
      assert.equal(kept.trace_id, span.spanContext().traceId);
      assert.equal(kept.span_id, span.spanContext().spanId);
      assert.deepEqual([kept.kind, kept.error], ['server', true]);
      assert.deepEqual(kept.status, { code: 'ERROR', message: 'bad' });
      assert.equal(kept.events[0].attributes.exception.message, 'boom');
    });
  }
}

test('OpenTelemetry is told what is wrong', async () => {
  const exporter = new ProtoLogs({ url: `${server.url}/v1/logs`, headers: authorization });
  const result = await new Promise((resolve) => {
    exporter.export([], resolve);
  });
  assert.equal(result.error?.code, 400);
  await exporter.shutdown();
});

test("Elasticsearch's client", async () => {
  const client = new Client({
    node: `${server.url}/v1/ingest/elastic/elastic`,
    auth: { username: 'x', password: server.token },
  });
  assert.match((await client.info()).version.number, /^8\./);
  const answer = await client.bulk({
    operations: [
      { index: { _index: 'a' } },
      { '@timestamp': '2024-05-01T00:00:00Z', n: 1 },
      { create: { _index: 'a' } },
      { '@timestamp': 'never', n: 2 },
    ],
  });
  assert.equal(answer.errors, true);
  assert.deepEqual(answer.items.map((item) => Object.values(item)[0].status), [201, 400]);
  const sent = await client.helpers.bulk({
    datasource: [{ n: 3 }, { n: 4 }],
    onDocument: () => ({ index: { _index: 'b' } }),
  });
  assert.deepEqual([sent.successful, sent.failed], [2, 0]);
  await client.bulk({ index: 'c', operations: [{ index: {} }, { n: 5 }] });
  assert.deepEqual((await events('elastic | sort by n asc')).map((event) => event.n), [1, 3, 4, 5]);
  await client.close();
});

test("Elasticsearch's client, a document at a time", async () => {
  const client = new Client({
    node: `${server.url}/v1/datasets/documents/elastic`,
    auth: { username: 'x', password: server.token },
  });
  assert.equal(await client.ping(), true);
  assert.equal(await client.indices.exists({ index: 'logs' }), true);
  assert.equal((await client.indices.create({ index: 'logs' })).acknowledged, true);
  const made = await client.index({ index: 'logs', document: { '@timestamp': '2024-05-01T00:00:00Z', n: 1 } });
  assert.deepEqual([made.result, made._version, made._id.length > 0], ['created', 1, true]);
  assert.equal((await client.index({ index: 'logs', id: 'a/b c', document: { n: 2 }, refresh: true }))._id, 'a/b c');
  assert.equal((await client.create({ index: 'logs', id: '7', document: { n: 3 } })).result, 'created');
  const sent = await client.helpers.bulk({
    datasource: [{ n: 4 }, { n: 5 }],
    onDocument: () => ({ create: { _index: 'logs' } }),
    refreshOnCompletion: true,
  });
  assert.deepEqual([sent.successful, sent.failed], [2, 0]);
  assert.equal((await client.indices.refresh())._shards.failed, 0);
  await assert.rejects(
    client.index({ index: 'logs', document: { '@timestamp': 'never' } }),
    (error) => error.statusCode === 400 && /is no time/.test(error.body.error.reason),
  );
  await assert.rejects(
    client.search({ index: 'logs', query: { match_all: {} } }),
    (error) => error.statusCode === 404 && /_bulk/.test(error.body.error.reason),
  );
  assert.deepEqual((await events('documents | sort by n asc')).map((event) => event.n), [1, 2, 3, 4, 5]);
  await client.close();
});

test("Splunk's logger", async () => {
  const logger = new splunk.Logger({ token: server.token, url: server.url });
  const answer = await new Promise((resolve, reject) => {
    logger.error = reject;
    logger.send(
      { message: { n: 1 }, metadata: { index: 'splunk', source: 's', host: 'h' } },
      (error, response, body) => (error ? reject(error) : resolve(body)),
    );
  });
  assert.deepEqual(answer, { text: 'Success', code: 0 });
  const [event] = await events('splunk');
  assert.deepEqual([event.host, event.source, event.message.n], ['h', 's', 1]);
});

for (const json of [true, false]) {
  test(`winston to Loki, ${json ? 'JSON' : 'Protocol Buffers and Snappy'}`, async () => {
    const transport = new LokiTransport({
      host: server.url,
      headers: { ...authorization, 'X-Axiom-Dataset': `loki-${json}` },
      labels: { job: 'shop' },
      json,
      batching: false,
      onConnectionError: assert.fail,
    });
    const logger = winston.createLogger({ transports: [transport] });
    logger.warn('late', { labels: { k: 'v' } });
    const [event] = await eventually(`['loki-${json}']`, 1);
    assert.deepEqual([event.job, event.k, event.level], ['shop', 'v', 'warn']);
    assert.match(event.line, /^late/);
    logger.close();
  });
}
