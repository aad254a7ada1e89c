import { dataOf, EventSplitter, OversizedEventError } from './message-event-stream';

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

  it('refuses an event without end', () => {
    const splitter = new EventSplitter();
    expect(() => {
      for (let count = 0; count < 20; count++) splitter.split(Buffer.alloc(100_000, 'x'));
    }).toThrow(OversizedEventError);
  });
});
