import { z } from 'zod';
import { address, rate } from './types';

/** Traces (OpenTelemetry), under the names that its specification gives the settings. Off unless there is a collector. */
export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: address
    .optional()
    .describe('base address of an OpenTelemetry collector that takes OTLP over HTTP; default: no traces'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('headers that the collector requires, such as authorization=Bearer%20…; secret'),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .optional()
    .describe('name of the service in traces; default customer-api, worker and operator-api'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('which requests are traced. With parentbased, the traceparent of a request decides, if it has one'),
  OTEL_TRACES_SAMPLER_ARG: rate
    .pipe(z.number().max(1, { error: 'must be a number above 0, and 1 at most' }))
    .default(1)
    .describe('fraction of the requests that traceidratio traces'),
};
