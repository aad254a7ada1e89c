import { setTimeout as wait } from 'node:timers/promises';
import type { BreakerOptions } from './upstream-options';
import { Circuit } from './circuit';

describe('Circuit', () => {
  const open = (options: Partial<BreakerOptions> = {}) =>
    new Circuit({ failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 60_000, ...options });
  const fail = (circuit: Circuit, ...callers: (string | undefined)[]) => {
    for (const caller of callers) circuit.enter()?.failed(caller);
    // The breaker processes it in a later microtask.
    return wait(0);
  };

  it('opens for the failures of several callers, never for those of one', async () => {
    const circuit = open();
    await fail(circuit, 'a', 'a', 'a', 'a', 'a', 'a', 'a');
    expect(circuit.open).toBe(false);
    await fail(circuit, 'b', 'c');
    expect([circuit.open, circuit.enter(), circuit.offers()]).toEqual([true, undefined, false]);
  });

  it('counts a call once, whatever it tells later', async () => {
    const circuit = open();
    const calls = ['a', 'b'].map((caller) => ({ caller, observation: circuit.enter() }));
    for (let time = 0; time < 3; time++) for (const { caller, observation } of calls) observation?.failed(caller);
    await fail(circuit, 'c');
    expect(circuit.open).toBe(false);
    await fail(circuit, 'd');
    expect(circuit.open).toBe(true);
  });

  it('opens for failures without a caller', async () => {
    const circuit = open();
    await fail(circuit, undefined, undefined, undefined, undefined);
    expect(circuit.open).toBe(true);
  });

  it('stays closed while more calls succeed', async () => {
    const circuit = open();
    for (let call = 0; call < 5; call++) circuit.enter()?.succeeded();
    await wait(0);
    await fail(circuit, 'a', 'b', 'c', 'd');
    expect(circuit.open).toBe(false);
    await fail(circuit, 'e', 'f');
    expect(circuit.open).toBe(true);
  });

  it('stays closed while the failures come all at once', async () => {
    const circuit = open({ spreadMs: 300 });
    await fail(circuit, 'a', 'b', 'c', 'd', 'e');
    expect(circuit.open).toBe(false);
    await wait(310);
    await fail(circuit, 'a');
    expect(circuit.open).toBe(true);
  });

  it('forgets failures after a while', async () => {
    const circuit = open({ windowMs: 20 });
    await fail(circuit, 'a', 'b', 'c');
    await wait(40);
    await fail(circuit, 'd');
    expect(circuit.open).toBe(false);
  });

  it('lets one call try after the reset time, and all once it succeeded', async () => {
    const circuit = open({ resetMs: 100 });
    await fail(circuit, 'a', 'b', 'c', 'd');
    await wait(110);
    expect([circuit.offers(), circuit.offers()]).toEqual([true, false]);
    const trying = circuit.enter();
    expect([trying === undefined, circuit.enter()]).toEqual([false, undefined]);
    trying?.succeeded();
    await wait(0);
    expect(circuit.open).toBe(false);
    await fail(circuit, 'a');
    expect(circuit.open).toBe(false);
  });

  it('offers the next trial soon to somebody else when a call was not made that it was offered to', async () => {
    const circuit = open({ resetMs: 1000 });
    await fail(circuit, 'a', 'b', 'c', 'd');
    await wait(1010);
    expect([circuit.offers(), circuit.offers()]).toEqual([true, false]);
    // The first was refused before it was made, for its credit, say.
    await wait(300);
    expect(circuit.offers()).toBe(true);
  });

  it('lets another call try while the one before has shown nothing, and closes with the first that succeeds', async () => {
    const circuit = open({ resetMs: 100 });
    await fail(circuit, 'a', 'b', 'c', 'd');
    await wait(110);
    const [slow, tooEarly] = [circuit.enter(), circuit.enter()];
    expect(tooEarly).toBeUndefined();
    await wait(110);
    const next = circuit.enter();
    expect(next).toBeDefined();
    next?.begun(200, true);
    expect(circuit.open).toBe(false);
    // What they tell by now is no more than any call's, and no less.
    slow?.failed();
    next?.failed('a');
    expect(circuit.open).toBe(false);
    await fail(circuit, 'b', 'c');
    expect(circuit.open).toBe(true);
  });

  it('is not closed by the end of a stream that has shown before that the upstream was back', async () => {
    const circuit = open({ resetMs: 100 });
    await fail(circuit, 'a', 'b', 'c', 'd');
    await wait(110);
    const trial = circuit.enter();
    trial?.begun(200, true);
    expect(circuit.open).toBe(false);
    await fail(circuit, 'a', 'b', 'c', 'd');
    trial?.succeeded();
    expect(circuit.open).toBe(true);
  });

  it('is closed by the late reply to a call that counted as failed, if it is none of a failure', () => {
    const circuit = open();
    const calls = ['a', 'b', 'c', 'd'].map((caller) => ({ caller, observation: circuit.enter() }));
    for (const { caller, observation } of calls) observation?.slow(caller);
    expect(circuit.open).toBe(true);
    calls[0]?.observation?.begun(503, false);
    expect(circuit.open).toBe(true);
    calls[1]?.observation?.begun(400, false);
    expect(circuit.open).toBe(false);
  });

  it.each(['failed', 'nothing'] as const)('stays open when the call that tries ends with: %s', async (end) => {
    const circuit = open({ resetMs: 500 });
    await fail(circuit, 'a', 'b', 'c', 'd');
    await wait(510);
    circuit.enter()?.[end]();
    await wait(0);
    expect([circuit.open, circuit.enter()]).toEqual([true, undefined]);
    await wait(510);
    expect(circuit.enter()).toBeDefined();
  });
});
