import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnBudget } from './body-limits';
import { readBody } from './request-body.guard';
import { LATE } from './unread-bodies';

const PIECE = Buffer.alloc(8192, 'a');
const LIMIT = 1024 * 1024;

/** A body all of whose chunks have arrived, as on a busy machine. */
function arrived(pieces: number, end = true, piece = PIECE): IncomingMessage {
  const request = new Readable({ read: () => undefined });
  for (let count = 0; count < pieces; count++) request.push(piece);
  if (end) request.push(null);
  return Object.assign(request, { headers: {} }) as unknown as IncomingMessage;
}

/** Uses up the time of a turn. */
function spendTurn(): void {
  const begun = performance.now();
  while (performance.now() - begun < 12);
}

describe('readBody', () => {
  it('ends when the last piece has been read, not when it has arrived', async () => {
    let read = 0;
    await readBody(arrived(4), { limit: LIMIT, turns: new TurnBudget(), party: 'a' }, () => {
      spendTurn();
      read++;
    });
    expect(read).toBe(4);
  });

  it('refuses what the last piece shows, though it waited for its turn', async () => {
    let read = 0;
    const reading = readBody(arrived(4), { limit: LIMIT, turns: new TurnBudget(), party: 'a' }, () => {
      spendTurn();
      if (++read === 4) throw new Error('too much');
    });
    await expect(reading).rejects.toThrow('too much');
  });

  it('passes on nothing after the client disconnected', async () => {
    const request = arrived(4, false);
    let read = 0;
    const reading = readBody(request, { limit: LIMIT, turns: new TurnBudget(), party: 'a' }, () => {
      spendTurn();
      read++;
    });
    request.once('data', () => request.destroy());
    await expect(reading).rejects.toThrow('The body ended before it was complete');
    const before = read;
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(read).toBe(before);
  });

  it('passes on nothing of a body that is late, though it goes on', async () => {
    const request = arrived(2, false);
    let read = 0;
    const reading = readBody(request, { limit: LIMIT, turns: new TurnBudget(), party: 'a' }, () => read++);
    await nextTurn();
    request.emit(LATE);
    request.push(PIECE);
    request.push(null);
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
    expect(read).toBe(2);
  });

  it('refuses a body in pieces of one byte when they are too many', async () => {
    let read = 0;
    const reading = readBody(
      arrived(20_000, true, Buffer.from('a')),
      { limit: LIMIT, turns: new TurnBudget(), party: 'a' },
      () => read++,
    );
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('too many small chunks') as string,
    });
    // 256, and one for 16 bytes.
    expect(read).toBeGreaterThan(256);
    expect(read).toBeLessThan(280);
  });

  it('leaves the turn to others after so many small pieces', async () => {
    const most: number[] = [];
    let inTurn = 0;
    let done = false;
    const watch = () => {
      most.push(inTurn);
      inTurn = 0;
      if (!done) setImmediate(watch);
    };
    setImmediate(watch);
    await readBody(
      arrived(10_000, true, Buffer.alloc(32)),
      { limit: LIMIT, turns: new TurnBudget(), party: 'a' },
      () => inTurn++,
    );
    done = true;
    expect(most.concat(inTurn).reduce((sum, one) => sum + one)).toBe(10_000);
    // A budget may end and begin within a turn.
    expect(Math.max(...most, inTurn)).toBeLessThan(1000);
  });

  it('lets the bodies of each party take turns', async () => {
    const turns = new TurnBudget();
    const begun = performance.now();
    turns.run(() => {
      while (performance.now() - begun < 2);
    });
    expect(turns.spent).toBe(true);
    const order: string[] = [];
    const works = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(
      (name) => new Promise<void>((resolve) => turns.later(name.charAt(0), () => resolve(void order.push(name)))),
    );
    await Promise.all(works);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(turns.spent).toBe(false);
  });

  it('refuses a body that grows beyond the limit', async () => {
    const reading = readBody(
      arrived(4),
      { limit: 3 * PIECE.length, turns: new TurnBudget(), party: 'a' },
      () => undefined,
    );
    await expect(reading).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
