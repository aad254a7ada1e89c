import type { AppConfig } from '@platform/config';
import type {
  OpenTelemetryTracer,
  RequestSpan,
  SpanAttributes,
  SpanDescription,
  TraceIds,
} from './open-telemetry-tracer';

export type { RequestSpan, SpanAttributes, SpanDescription, TraceIds };

/**
 * The process's tracer. Undefined while traces are off: then the functions below do nothing, in a tenth of the time that the
 * no-op of `@opentelemetry/api` takes for a span, and no library is loaded.
 */
let tracer: OpenTelemetryTracer | undefined;

/**
 * Starts to record traces if the settings name a collector; otherwise loads nothing. To be called before the application is
 * created. @param program name of the service in traces, unless OTEL_SERVICE_NAME gives another
 * @returns a function that sends the spans that are left, and ends it
 */
export async function startTracing(config: AppConfig, program: string): Promise<() => Promise<void>> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return () => Promise.resolve();
  const { OpenTelemetryTracer: Tracer } = await import('./open-telemetry-tracer.js');
  const started = new Tracer(config, program);
  tracer = started;
  return async () => {
    if (tracer === started) tracer = undefined;
    await started.stop();
  };
}

/** Whether traces are recorded. It does not change after the start of a process. */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Begins the span of a request; undefined while traces are off. */
export function traceRequest(
  name: string,
  headers: Record<string, unknown>,
  attributes: SpanAttributes,
): RequestSpan | undefined {
  return tracer?.request(name, headers, attributes);
}

/** Runs work in a span, which ends when the work has, or when the promise that it returns is settled. */
export function traced<T>(description: SpanDescription, work: () => T): T {
  return tracer ? tracer.span(description, work) : work();
}

/** Runs a statement in a span, if it belongs to work that is traced: polling by itself begins no trace. @param name of it */
export function tracedStatement<T>(name: string, work: () => T): T {
  if (!tracer?.inSpan()) return work();
  return tracer.span({ name, kind: 'client', attributes: { 'db.system.name': 'postgresql' } }, work);
}

/** Runs work that serves several callers at once, and so belongs to the span of none. */
export function untraced<T>(work: () => T): T {
  return tracer ? tracer.outside(work) : work();
}

/** Adds values to the present span. */
export function annotateSpan(attributes: SpanAttributes): void {
  tracer?.annotate(attributes);
}

/** Headers that tell another system of the present span (W3C Trace Context); none while traces are off. */
export function traceHeaders(): Record<string, string> | undefined {
  return tracer?.headers();
}

/** The ids of the present span; undefined without one. */
export function traceIds(): TraceIds | undefined {
  return tracer?.ids();
}
