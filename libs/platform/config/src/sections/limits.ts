import { bytes, milliseconds, positive } from './types';

/**
 * Limits of requests, connections, memory and records. `customer limits` overrides those of requests, AI messages, SMS and pending
 * credit requests for a customer.
 */
export const limits = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: positive
    .default(600)
    .describe('requests a customer may make per minute, all routes together'),
  RATE_LIMIT_AI_PER_MINUTE: positive
    .default(120)
    .describe('AI messages and token counts a customer may send per minute'),
  RATE_LIMIT_SMS_PER_MINUTE: positive.default(60).describe('SMS a customer may send per minute'),
  RATE_LIMIT_ADDRESS_PER_MINUTE: positive
    .default(6000)
    .describe('requests one network address may make per minute, before authentication'),
  CLIENT_CONNECTIONS: positive
    .default(10_000)
    .describe(
      'connections of clients, per process; fewer if the limit of open files (ulimit -n) allows fewer. Without TRUST_PROXY one network may have as many as are still free',
    ),
  BODY_MAX_DEPTH: positive.default(100).describe('levels of nested objects and arrays that a request body may have'),
  BODY_MAX_VALUES: positive
    .default(200)
    .describe('objects, arrays and values that a request body may consist of, except the body of an AI message'),
  AI_BODY_MAX_VALUES: positive
    .default(500_000)
    .describe('objects, arrays and values that the body of an AI message may consist of'),
  BODY_MEMORY_BYTES: bytes
    .default(256 * 1024 * 1024)
    .describe('bytes of request bodies held in memory, per process; more is refused with 503'),
  BODY_MEMORY_BYTES_PER_CUSTOMER: bytes
    .default(128 * 1024 * 1024)
    .describe("bytes of one customer's request bodies held in memory, per process; more is refused with 429"),
  REPLY_MEMORY_BYTES: bytes
    .default(128 * 1024 * 1024)
    .describe('bytes of replies that wait for their readers, per process; one customer may have half of them'),
  REPLY_PATIENCE_MS: milliseconds
    .default(10_000)
    .describe(
      'time in which a reader must take at least 64 kB of a reply that waits for it; a slower reader is disconnected. For streamed messages AI_STREAM_PATIENCE_MS applies instead',
    ),
  OVERLOAD_WAIT_MS: milliseconds
    .default(100)
    .describe(
      'time that new requests may wait inside a process. If they wait longer for a second, requests beyond the capacity are refused with 503. From 0.4 of this time on, a customer that takes clearly more than its share gets 429',
    ),
  STORED_BYTES_PER_DAY: bytes
    .default(256 * 1024 * 1024)
    .describe(
      'bytes a customer may store a day (UTC) in tickets, SMS and kept replies, those of AI messages excepted. Writes below 4 kB are counted by sample',
    ),
  EVENT_WAITS_PER_CUSTOMER: positive
    .default(5)
    .describe('requests of a customer that may wait for events at a time, per process'),
  PENDING_CREDIT_REQUESTS: positive.default(5).describe('credit requests a customer may have pending'),
};
