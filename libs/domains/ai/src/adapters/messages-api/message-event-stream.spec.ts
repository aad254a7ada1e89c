import { once } from 'node:events';
import { Readable } from 'node:stream';
import { UpstreamError } from '../../ports/ai-upstream.port';
import { dataOf, EventSplitter, MessageEventStream, OversizedEventError } from './message-event-stream';

/** A reply that nobody calls: a fault of it ends with its content. */
const replyOf = (content: Readable) => ({ content, unusable: () => void content.destroy() });

describe('The events of a message that break off', () => {
  const START = 'event: message_start\ndata: {"message":{"usage":{"input_tokens":10,"output_tokens":1}}}\n\n';
  const faultOf = async (text: string, requestId: string | null) => {
    const passed: string[] = [];
    const stream = new MessageEventStream(replyOf(Readable.from([Buffer.from(text)])), requestId);
    const error: unknown = await stream
      .read((events) => passed.push(events.toString()))
      .catch((fault: unknown) => fault);
    if (!(error instanceof UpstreamError)) throw error;
    return { passed: passed.join(''), fault: error.fault };
  };

  it("tell the operator the provider's id of the call, and its usage until then", async () => {
    const { passed, fault } = await faultOf(`${START}event: content_block_delta\ndata: {"half`, 'req_1');
    expect(passed).toBe(START);
    expect(fault).toMatchObject({ requestId: 'req_1', usageSoFar: expect.stringContaining('10') });
  });

  it('tell nothing that is not known', async () => {
    const { fault } = await faultOf(': alive\n\n', null);
    expect(fault).not.toHaveProperty('requestId');
    expect(fault).not.toHaveProperty('usageSoFar');
  });
});

describe('The events of a whole message', () => {
  it('leave their connection at once, though their reader is behind: it can be used again', async () => {
    const usage = '"usage":{"input_tokens":1,"output_tokens":1}';
    const events = [
      `message_start\ndata: {"message":{${usage}}}`,
      `message_delta\ndata: {${usage}}`,
      'message_stop\ndata: {}',
    ];
    const content = Readable.from([
      Buffer.from(events.map((event) => `event: ${event}\n\n`).join('')),
      Buffer.from('\n'),
    ]);
    const stream = new MessageEventStream(replyOf(content), null);
    const end = once(content, 'end', { signal: AbortSignal.timeout(500) });
    await stream.read(() => stream.pause());
    await end;
  });

  it('count a number that the last message_delta leaves out as an earlier one gave it', async () => {
    const events = [
      ['message_start', { message: { usage: { input_tokens: 10, output_tokens: 1 } } }],
      ['message_delta', { usage: { output_tokens: 25 } }],
      ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 11 } }],
      ['message_stop', {}],
    ] as const;
    const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    const stream = new MessageEventStream(replyOf(Readable.from([Buffer.from(text)])), null);
    expect((await stream.read(() => undefined)).usage).toMatchObject({ input: 11, output: 25 });
  });
});

describe('EventSplitter', () => {
  /** Names and data of the events in a text that arrives in pieces of a size. */
  function eventsIn(text: string, size: number): [string | undefined, string][] {
    const [splitter, wire] = [new EventSplitter(), Buffer.from(text)];
    const found: [string | undefined, string][] = [];
    for (let at = 0; at < wire.length; at += size) {
      const { bytes, events } = splitter.split(wire.subarray(at, at + size));
      for (const event of events) found.push([event.name, dataOf(bytes, event)]);
    }
    return found;
  }

  it.each(['\n', '\r\n'])('finds every event in pieces of any size, with lines that end with %j', (end) => {
    const lines = [
      'event: a',
      'data: æ',
      '',
      ': alive',
      '',
      'data: 1',
      'data:2',
      '',
      'event:b',
      'data: {}',
      '',
      'rest',
    ];
    const text = lines.join(end);
    const events = [
      ['a', 'æ'],
      [undefined, ''],
      [undefined, '1\n2'],
      ['b', '{}'],
    ];
    for (const size of [1, 2, 3, 7, 1000]) expect(eventsIn(text, size)).toEqual(events);
  });

  it('puts a long event together at its end, and not with each of its pieces', () => {
    const [piece, count] = [1_000, 500];
    const splitter = new EventSplitter();
    const concat = jest.spyOn(Buffer, 'concat');
    splitter.split(Buffer.from('event: a\ndata: '));
    for (let at = 0; at < count; at++) splitter.split(Buffer.alloc(piece, 'x'));
    const { bytes, events } = splitter.split(Buffer.from('\n\n'));
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    concat.mockRestore();
    expect(events.map((event) => dataOf(bytes, event))).toEqual(['x'.repeat(piece * count)]);
    expect(copied).toBeLessThan(2 * piece * count);
  });

  it('refuses an event without end', () => {
    const splitter = new EventSplitter();
    expect(() => {
      for (let count = 0; count < 20; count++) splitter.split(Buffer.alloc(100_000, 'x'));
    }).toThrow(OversizedEventError);
  });
});
