import { Logger } from '@nestjs/common';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as LibraryTracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { AppConfig } from '@platform/config';

/** Values by name. A span shows those that `SHOWN` lists; undefined ones are left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** The work that a span shows. */
export interface SpanDescription {
  /** A constant, or made of constants: never of a caller's data. */
  name: string;
  /** `client`: a call to another system. `consumer`: an item of work, which begins a trace of its own. */
  kind: 'client' | 'internal' | 'consumer';
  attributes?: SpanAttributes;
}

/** Ids by which a log line is found from its trace. */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}

/** The span of a request that came in. */
export interface RequestSpan {
  /** Runs the work of the request: spans that begin in it, or in work that it awaits, are below this one. */
  run(work: () => void): void;
  /** @param failed whether it is the service's own fault */
  end(attributes: SpanAttributes, failed: boolean): void;
}

/** Bounds of the spans that wait to be sent: a collector that hangs costs this memory, and spans beyond it are dropped. */
const WAITING = { spans: 2_048, batch: 512, everyMs: 2_000, sendMs: 5_000, stopMs: 3_000 };
const WARN_EVERY_MS = 60_000;
const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL, consumer: SpanKind.CONSUMER };

/**
 * Sends spans to an OTLP collector over HTTP, in the background. Only the trace context is passed on: baggage of a caller would
 * reach other systems.
 */
export class OpenTelemetryTracer {
  private readonly logger = new Logger(OpenTelemetryTracer.name);
  private readonly contexts = new AsyncLocalStorageContextManager().enable();
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly provider: TracerProvider;
  private readonly tracer: LibraryTracer;

  constructor(config: AppConfig, program: string) {
    let warnedAt = -Infinity;
    setGlobalErrorHandler((error) => {
      if (performance.now() - warnedAt < WARN_EVERY_MS) return;
      warnedAt = performance.now();
      // The rest may quote the collector's reply.
      const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'error';
      this.logger.warn({ msg: 'traces cannot be sent', reason });
    });
    const exporter = new OTLPTraceExporter({
      url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''}/v1/traces`,
      headers: readHeaderList(config.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
      timeoutMillis: WAITING.sendMs,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME ?? program }),
      sampler: samplerOf(config),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new ShownAttributesExporter(exporter),
          maxQueueSize: WAITING.spans,
          maxExportBatchSize: WAITING.batch,
          scheduledDelayMillis: WAITING.everyMs,
          exportTimeoutMillis: WAITING.sendMs,
        }),
      ],
    });
    this.tracer = this.provider.getTracer(program);
  }

  /** Begins the span of a request. @param headers of the request: `traceparent` and `tracestate` (W3C Trace Context) */
  request(name: string, headers: Record<string, unknown>, attributes: SpanAttributes): RequestSpan {
    const caller = this.propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    const context = trace.setSpan(caller, span);
    return {
      run: (work) => this.contexts.with(context, work),
      end: (more, failed) => {
        span.setAttributes(more);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Runs work in a span, which ends when the work has, or when the promise that it returns is settled. */
  span<T>({ name, kind, attributes }: SpanDescription, work: () => T): T {
    const above = kind === 'consumer' ? ROOT_CONTEXT : this.context;
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, above);
    return this.contexts.with(trace.setSpan(above, span), () => endedWith(span, work));
  }

  /** Whether there is a span that others could be below. */
  inSpan(): boolean {
    return trace.getSpan(this.context) !== undefined;
  }

  /** Runs work that belongs to no span: it serves several callers at once. */
  outside<T>(work: () => T): T {
    return this.contexts.with(ROOT_CONTEXT, work);
  }

  /** Adds values to the present span. */
  annotate(attributes: SpanAttributes): void {
    trace.getSpan(this.context)?.setAttributes(attributes);
  }

  /** Headers that tell another system of the present span; none without one. */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }

  /** The ids of the present span; undefined without one. */
  ids(): TraceIds | undefined {
    const ids = trace.getSpanContext(this.context);
    return ids && isSpanContextValid(ids) ? { trace_id: ids.traceId, span_id: ids.spanId } : undefined;
  }

  /** Sends the spans that are left, within a bounded time, and ends. */
  async stop(): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, WAITING.stopMs);
    await Promise.race([this.provider.shutdown().catch(() => undefined), timer.promise]);
    clearTimeout(timeout);
  }

  private get context(): Context {
    return this.contexts.active();
  }
}

function endedWith<T>(span: Span, work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    fail(span, error);
    throw error;
  }
  if (result instanceof Promise) {
    result.then(
      () => span.end(),
      (error: unknown) => fail(span, error),
    );
  } else span.end();
  return result;
}

function fail(span: Span, error: unknown): void {
  const { code, name } = error as NodeJS.ErrnoException;
  span.setAttribute('error.type', code ?? name);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Reads `name=value,name=value` with percent-encoded values, as OTEL_EXPORTER_OTLP_HEADERS is written. */
function readHeaderList(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .map((part) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part))
      .filter((match) => match !== null)
      .map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. */
function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: AppConfig): Sampler {
  const [, root = ''] = /^(?:parentbased_)?(.*)$/.exec(OTEL_TRACES_SAMPLER) ?? [];
  const sampler =
    root === 'always_off'
      ? new AlwaysOffSampler()
      : root === 'always_on'
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG);
  return root === OTEL_TRACES_SAMPLER ? sampler : new ParentBasedSampler({ root: sampler });
}

/**
 * The attributes that leave the process. Whatever else a span may have, now or with a later version of a library, stays here:
 * addresses with their queries, statements and messages of errors can contain a secret or a customer's text.
 */
const SHOWN = new Set([
  'customer.id',
  'request.id',
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'db.system.name',
  'upstream.name',
  'upstream.operation',
  'upstream.outcome',
  'upstream.attempts',
  'job.name',
  'error.type',
]);

/** Passes spans on, with the shown attributes alone: without events, and without the messages of errors. */
class ShownAttributesExporter implements SpanExporter {
  constructor(private readonly next: SpanExporter) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.next.export(spans.map(shown), done);
  }

  shutdown(): Promise<void> {
    return this.next.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.next.forceFlush?.();
  }
}

function shown(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => SHOWN.has(name)),
  );
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
