/** Values by name. A span shows those that `open-telemetry/shown-attributes.ts` lists; undefined ones are left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** What a span stands for. */
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
  /** Runs what handles the request: spans that begin in it, or in what it awaits, are below this one. */
  run(work: () => void): void;
  /** @param failed whether it is the service's own fault */
  end(attributes: SpanAttributes, failed: boolean): void;
}

/** Records what the process does as spans of traces (OpenTelemetry). */
export interface Tracer {
  /** @param headers of the request: `traceparent` and `tracestate` (W3C Trace Context) */
  request(name: string, headers: Record<string, unknown>, attributes: SpanAttributes): RequestSpan;
  /** Runs work in a span, which ends when the work has, or when the promise that it returns is settled. */
  span<T>(description: SpanDescription, work: () => T): T;
  /** Whether there is a span that others could be below. */
  inSpan(): boolean;
  /** Runs work that belongs to no span: it serves several callers at once. */
  outside<T>(work: () => T): T;
  /** Adds values to the present span. */
  annotate(attributes: SpanAttributes): void;
  /** Headers that tell another system of the present span; none without one. */
  headers(): Record<string, string>;
  ids(): TraceIds | undefined;
  /** Sends what is left, within a bounded time, and ends. */
  stop(): Promise<void>;
}
