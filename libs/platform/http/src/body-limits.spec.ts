import { loadConfig } from '@platform/config';
import { BodyMemory } from './body-limits';

describe('BodyMemory', () => {
  it('releases a lease once, however often release is called', () => {
    const memory = new BodyMemory(loadConfig({}));
    const [one, other] = [memory.lease('a'), memory.lease('a')];
    one.take(10);
    one.take(5);
    other.take(7);
    one.release();
    one.release();
    expect(memory.bytes).toBe(7);
    other.release();
    expect(memory.bytes).toBe(0);
  });
});
