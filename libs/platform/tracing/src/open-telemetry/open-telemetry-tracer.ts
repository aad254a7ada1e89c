import { Logger } from '@nestjs/common';
import {
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
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { AppConfig } from '@platform/config';
import type { RequestSpan, SpanAttributes, SpanDescription, TraceIds, Tracer } from '../tracer';
import { readHeaderList } from './header-list';
import { samplerOf } from './sampler';
import { ShownAttributesExporter } from './shown-attributes';

/** Bounds of what waits to be sent: a collector that hangs costs this memory, and spans beyond it are dropped. */
const WAITING = { spans: 2_048, batch: 512, everyMs: 2_000, sendMs: 5_000, stopMs: 3_000 };
const WARN_EVERY_MS = 60_000;
const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL, consumer: SpanKind.CONSUMER };

/**
 * Sends spans to an OTLP collector over HTTP, in the background. Only the trace context is passed on: baggage of a caller would
 * reach other systems.
 */
export class OpenTelemetryTracer implements Tracer {
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

  span<T>({ name, kind, attributes }: SpanDescription, work: () => T): T {
    const above = kind === 'consumer' ? ROOT_CONTEXT : this.context;
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, above);
    return this.contexts.with(trace.setSpan(above, span), () => endedWith(span, work));
  }

  inSpan(): boolean {
    return trace.getSpan(this.context) !== undefined;
  }

  outside<T>(work: () => T): T {
    return this.contexts.with(ROOT_CONTEXT, work);
  }

  annotate(attributes: SpanAttributes): void {
    trace.getSpan(this.context)?.setAttributes(attributes);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }

  ids(): TraceIds | undefined {
    const ids = trace.getSpanContext(this.context);
    return ids && isSpanContextValid(ids) ? { trace_id: ids.traceId, span_id: ids.spanId } : undefined;
  }

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
