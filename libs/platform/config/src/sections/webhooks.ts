import { bytes, flag, milliseconds, positive } from './types';

/** Deliveries of events to webhook endpoints. */
export const webhooks = {
  WEBHOOK_ALLOW_PRIVATE: flag
    .default(false)
    .describe(
      "whether customers' endpoints may have http and private addresses, for development; refused in production. The operator's own endpoints always may",
    ),
  WEBHOOK_TIMEOUT_MS: milliseconds.default(15_000).describe('maximum time of an attempt to deliver an event'),
  WEBHOOK_CONCURRENCY: positive.default(200).describe('endpoints that a worker delivers to at a time'),
  WEBHOOK_FAILING_CONCURRENCY: positive
    .default(60)
    .describe('endpoints whose last attempt failed that all workers together deliver to at a time'),
  WEBHOOK_ENDPOINTS: positive.default(10).describe('webhook endpoints a customer may have'),
  WEBHOOK_TESTS_PER_HOUR: positive.default(10).describe('test deliveries a customer may ask for per hour'),
  WEBHOOK_QUEUE_BYTES: bytes
    .default(64 * 1024 * 1024)
    .describe(
      "bytes of events that may wait for a customer's endpoints; further events are not queued, and can be redelivered later",
    ),
};
