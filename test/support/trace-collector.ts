import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it arrives in OTLP's JSON. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1: internal, 2: server, 3: client, 5: consumer. */
  kind: number;
  status: { code?: number; message?: string };
  attributes: Record<string, unknown>;
  events: unknown[];
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

/** A collector of traces that takes OTLP over HTTP (`POST /v1/traces`). */
export interface TraceCollector {
  url: string;
  spans: ReceivedSpan[];
  /** All that was received, as it came. */
  bodies: string[];
  headers: Record<string, unknown>[];
  /** What happens to requests: they are taken, left without a reply, or refused. */
  mode: 'takes' | 'hangs' | 'refuses';
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      collector.bodies.push(body);
      collector.headers.push(request.headers);
      if (collector.mode === 'hangs') return;
      if (collector.mode === 'refuses') return response.writeHead(400).end('a secret of the collector');
      if (request.url === '/v1/traces') collector.spans.push(...spansOf(JSON.parse(body) as Export));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: TraceCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    mode: 'takes',
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return collector;
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
}
