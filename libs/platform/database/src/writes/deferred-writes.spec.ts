import { setImmediate as turn } from 'node:timers/promises';
import { DeferredWrites } from './deferred-writes';

describe('deferred writes', () => {
  it('are stored even if they are added while earlier writes end', async () => {
    for (let moment = 0; moment < 12; moment++) {
      const stored: string[] = [];
      const lost = jest.fn();
      const later = new DeferredWrites<string>({
        store: (item) => Promise.resolve(stored.push(item)),
        lost,
        capacity: 10,
        retryMs: 1,
      });
      later.add('first');
      for (let passed = 0; passed < moment; passed++) await Promise.resolve();
      later.add('second');
      await turn();
      expect({ moment, stored, waiting: later.size }).toEqual({ moment, stored: ['first', 'second'], waiting: 0 });
      expect(lost).not.toHaveBeenCalled();
    }
  });
});
