import type { Mutant } from '../mutant';

const STREAMS = 'libs/domains/ai/src/customer/messages/stream/message-streams.service.ts';
const REPLY_STREAM = 'libs/domains/ai/src/customer/messages/stream/reply-stream.ts';
const EVENTS = 'libs/domains/ai/src/adapters/messages-api/event-stream/';
const ANSWERS = 'apps/customer-api/src/ai/answer/';
const FAULTS = ['test/faults/ai-streams.spec'];
const STREAMED = ['test/e2e/ai-streams', ...FAULTS];
const KEYS = ['test/e2e/idempotency'];

/** Streamed messages: what is passed on, when it is charged, and how it ends. */
export const streams: Mutant[] = [
  {
    name: 'streams: the last event goes out before the charge',
    file: STREAMS,
    find: 'await this.resolution.settle({',
    replace: `reply.end(lastEvent);
    await this.resolution.settle({`,
    specs: FAULTS,
  },
  {
    name: 'streams: a receipt does not say that its message was streamed',
    file: STREAMS,
    find: 'streamed: true',
    replace: 'streamed: false',
    specs: ['test/e2e/ai-usage.spec'],
  },
  {
    name: 'streams: a replay lacks all but the last event',
    file: STREAMS,
    find: 'kept?.add(bytes);',
    replace: 'kept?.add(bytes.subarray(0, 0));',
    specs: KEYS,
  },
  {
    name: 'streams: one that broke off ends without a word',
    file: STREAMS,
    find: 'reply.end(errorEvent(error))',
    replace: 'reply.destroy()',
    specs: FAULTS,
  },
  {
    name: 'streams: one that broke off keeps its reservation',
    file: STREAMS,
    find: `.catch(async (error: unknown) => {
        throw await this.failed.end(reserved, error);`,
    replace: `.catch((error: unknown) => {
        throw error;`,
    specs: FAULTS,
  },
  {
    name: 'streams: one that never began keeps its reservation',
    file: STREAMS,
    find: `    } catch (error) {
      throw await this.failed.end(reserved, error);`,
    replace: `    } catch (error) {
      throw error;`,
    specs: FAULTS,
  },
  {
    name: 'streams: those that drain are not counted',
    file: STREAMS,
    find: "reply.once('gone', () => this.calls.drains(ended));",
    replace: '',
    specs: FAULTS,
  },
  {
    name: 'streams: one is no longer than a message that is not streamed',
    file: STREAMS,
    find: 'this.config.AI_STREAM_OUTPUT_TOKENS_LIMIT',
    replace: 'this.config.AI_OUTPUT_TOKENS_LIMIT',
    specs: FAULTS,
  },
  {
    name: 'streams: a reader that does not keep up fills the memory',
    file: REPLY_STREAM,
    find: `    this.source?.pause();
`,
    replace: '',
    specs: FAULTS,
  },
  {
    name: 'streams: a reader that takes nothing is waited for forever',
    file: REPLY_STREAM,
    find: 'setTimeout(() => this.destroy(),',
    replace: 'setTimeout(() => undefined,',
    specs: FAULTS,
  },
  {
    name: 'streams: a reader may hold the stream up again and again',
    file: REPLY_STREAM,
    find: 'this.patienceMs - this.heldMs',
    replace: 'this.patienceMs',
    specs: ['libs/domains/ai/src/customer/messages/stream'],
  },
  {
    name: 'streams: one that was paused stays so when its reader goes',
    file: REPLY_STREAM,
    find: `this.emit('gone');
    this.source?.resume();`,
    replace: "this.emit('gone');",
    specs: FAULTS,
  },
  {
    name: 'streams: one that ends without its last event never ends',
    file: `${EVENTS}message-event-stream.ts`,
    find: 'if (!this.done) this.fail(brokenOff());',
    replace: '',
    specs: FAULTS,
  },
  {
    name: 'streams: an error of the provider is an event like any other',
    file: `${EVENTS}message-event-stream.ts`,
    find: "case 'error':",
    replace: "case 'failure':",
    specs: FAULTS,
  },
  {
    name: 'streams: one without usage is free',
    file: `${EVENTS}message-event-stream.ts`,
    find: "if (!usage) return this.fail(unreadable('NO_USAGE'));",
    replace: '',
    specs: FAULTS,
  },
  {
    name: 'streams: the last event is passed on twice',
    file: `${EVENTS}message-event-stream.ts`,
    find: '        if (!this.goesOn(bytes, event)) return event;\n        passed = event.end;',
    replace: '        passed = event.end;\n        if (!this.goesOn(bytes, event)) return event;',
    specs: STREAMED,
  },
  {
    name: 'streams: what comes in one piece with an error is lost',
    file: `${EVENTS}message-event-stream.ts`,
    find: 'if (passed > 0) pass(bytes.subarray(0, passed));',
    replace: 'if (passed === events.at(-1)?.end) pass(bytes.subarray(0, passed));',
    specs: FAULTS,
  },
  {
    name: 'streams: a piece of several chunks loses all but the first',
    file: 'libs/platform/upstream/src/call/body-stream.ts',
    find: 'chunks.length === 1 ?',
    replace: 'chunks.length >= 1 ?',
    specs: STREAMED,
  },
  {
    name: 'streams: the usage of the beginning is charged',
    file: `${EVENTS}streamed-usage.ts`,
    find: '{ ...this.reported, ...splitOf(this.reported, given), ...given }',
    replace: '{ ...given, ...this.reported }',
    specs: [...STREAMED, 'libs/domains/ai/src/adapters'],
  },
  {
    name: 'streams: one whose usage was never complete is charged',
    file: `${EVENTS}streamed-usage.ts`,
    find: 'given.output_tokens !== undefined',
    replace: 'true',
    specs: [...STREAMED, 'libs/domains/ai/src/adapters'],
  },
  {
    name: 'streams: lines that end with CRLF are not understood',
    file: `${EVENTS}event-splitter.ts`,
    find: '? feed - 1 : feed',
    replace: '? feed : feed',
    specs: ['libs/domains/ai/src/adapters/messages-api/event-stream'],
  },
  {
    name: 'streams: an event that comes in two pieces is lost',
    file: `${EVENTS}event-splitter.ts`,
    find: 'this.rest.length > 0 ?',
    replace: 'this.rest.length < 0 ?',
    specs: STREAMED,
  },
  {
    name: 'streams: one that the provider may bill is released as if it had cost nothing',
    file: 'libs/domains/ai/src/customer/messages/failed-calls.service.ts',
    find: "usageSoFar === undefined ? 'released'",
    replace: "usageSoFar !== null ? 'released'",
    specs: FAULTS,
  },
  {
    name: 'streams: an error event has no name',
    file: `${ANSWERS}provider-error.ts`,
    find: 'event: error',
    replace: 'event: message',
    specs: FAULTS,
  },
  {
    name: 'streams: a proxy keeps the events until the end',
    file: `${ANSWERS}message-answers.service.ts`,
    find: "'x-accel-buffering': 'no'",
    replace: "'x-accel-buffering': 'yes'",
    specs: STREAMED,
  },
  {
    name: "streams: a body's memory is never given back",
    file: `${ANSWERS}message-answers.service.ts`,
    find: 'void ended.then(() => bodyLease?.release());',
    replace: '',
    specs: FAULTS,
  },
];
