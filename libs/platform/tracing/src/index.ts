export type { RequestSpan, SpanAttributes, SpanDescription, TraceIds } from './tracer';
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
