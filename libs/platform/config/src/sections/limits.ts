import { positive } from './types';

/** Defaults of the limits that `customer limits` overrides per customer. */
export const limits = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: positive
    .default(600)
    .describe('requests a customer may make per minute, all routes together'),
  RATE_LIMIT_AI_PER_MINUTE: positive.default(120).describe('AI messages a customer may send per minute'),
  RATE_LIMIT_SMS_PER_MINUTE: positive.default(60).describe('SMS a customer may send per minute'),
  RATE_LIMIT_ADDRESS_PER_MINUTE: positive
    .default(6000)
    .describe('requests one network address may make per minute, before authentication'),
  CLIENT_CONNECTIONS: positive
    .default(10_000)
    .describe('connections of clients, per process; fewer where the limit of open files (ulimit -n) leaves fewer'),
  BODY_MAX_DEPTH: positive.default(100).describe('levels of nested objects and arrays that a request body may have'),
  BODY_MAX_VALUES: positive
    .default(200)
    .describe('objects, arrays and values that a request body may consist of, AI messages apart'),
  AI_BODY_MAX_VALUES: positive
    .default(500_000)
    .describe('objects, arrays and values that the body of an AI message may consist of'),
  BODY_MEMORY_BYTES: positive
    .default(256 * 1024 * 1024)
    .describe('bytes of request bodies held in memory, per process; more is refused with 503'),
  BODY_MEMORY_BYTES_PER_CUSTOMER: positive
    .default(128 * 1024 * 1024)
    .describe("bytes of one customer's request bodies held in memory, per process; more is refused with 429"),
  REPLY_MEMORY_BYTES: positive
    .default(128 * 1024 * 1024)
    .describe(
      'bytes of replies that their readers have not taken yet, per process; one customer alone may have half of them',
    ),
  REPLY_PATIENCE_MS: positive
    .default(10_000)
    .describe(
      'time in which the reader of a reply takes 64 kB at least while bytes wait for it; otherwise it is disconnected (streamed messages: AI_STREAM_PATIENCE_MS)',
    ),
  OVERLOAD_WAIT_MS: positive
    .default(100)
    .describe(
      'waiting time inside a process above which, if it lasts for a second, new requests are refused with 503; from 0.4 of it on, those of a customer that takes more than its share, with 429',
    ),
  STORED_BYTES_PER_DAY: positive
    .default(256 * 1024 * 1024)
    .describe('bytes a customer may store a day in tickets, SMS and kept replies (of AI messages apart)'),
  PENDING_CREDIT_REQUESTS: positive.default(5).describe('credit requests a customer may have pending'),
};
