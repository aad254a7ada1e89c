import { CircuitBreaker } from './circuit-breaker';

describe('CircuitBreaker', () => {
  let now = 0;
  const breaker = () => new CircuitBreaker({ failures: 3, resetMs: 1000 }, () => now);
  const failing = (count: number) => {
    const made = breaker();
    for (let index = 0; index < count; index++) made.failed();
    return made;
  };

  it('opens after the given number of failures in a row', () => {
    expect(failing(2).admit()).toBe(true);
    expect(failing(3).admit()).toBe(false);
    const interrupted = failing(2);
    interrupted.succeeded();
    interrupted.failed();
    expect(interrupted.admit()).toBe(true);
  });

  it('lets one call try after the reset time, and all once it succeeded', () => {
    const made = failing(3);
    now += 1000;
    expect([made.admit(), made.admit(), made.open]).toEqual([true, false, true]);
    made.succeeded();
    expect([made.admit(), made.admit(), made.open]).toEqual([true, true, false]);
  });

  it('stays open when the one that tried fails, and lets another try later', () => {
    const made = failing(3);
    now += 1000;
    made.admit();
    made.failed();
    expect(made.admit()).toBe(false);
    now += 1000;
    expect(made.admit()).toBe(true);
  });
});
