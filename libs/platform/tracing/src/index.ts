export type { RequestSpan, SpanAttributes, SpanDescription, TraceIds } from './open-telemetry-tracer';
export {
  annotateSpan,
  isTracing,
  startTracing,
  traced,
  tracedStatement,
  traceHeaders,
  traceIds,
  traceRequest,
  untraced,
} from './tracing';
