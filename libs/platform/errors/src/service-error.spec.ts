import { ServiceError, UntracedError } from './service-error';

const frames = ({ stack = '' }: Error) => stack.split('\n').filter((line) => /^\s+at /.test(line)).length;

describe('the stack of an error', () => {
  it('is left out if the error only answers its caller', () => {
    const error = new ServiceError('rate_limited', 'Wait');
    expect([error.message, frames(error)]).toEqual(['rate_limited: Wait', 0]);
    expect(frames(new UntracedError('Not valid'))).toBe(0);
  });

  it('is there for faults of the service, and for all other errors', () => {
    const cause = new Error('The cause');
    const error = new ServiceError('ai_upstream_failed', 'The provider failed', { cause });
    expect(error.cause).toBe(cause);
    for (const traced of [error, cause, new ServiceError('internal_error', 'A fault')])
      expect(frames(traced)).toBeGreaterThan(1);
  });
});
