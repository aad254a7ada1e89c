import { PassThrough } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { loadConfig } from '@app/config';
import { LogContext } from './log-context';
import { createLogger } from './root-logger';

/** What one call of the logger writes. */
function written(log: (logger: ReturnType<typeof createLogger>) => void): string {
  const stream = new PassThrough();
  log(createLogger(loadConfig({ LOG_LEVEL: 'info' }), stream));
  return String(stream.read() ?? '');
}

describe('the log', () => {
  it('has one JSON object a line, with level, time and the fields of the present work', () => {
    const line = written((logger) => LogContext.run({ request_id: 'r1' }, () => logger.warn({ job: 'x' }, 'late')));
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.any(String),
      request_id: 'r1',
      job: 'x',
      msg: 'late',
    });
    expect(line.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['authorization', { headers: { authorization: 'hidden' } }],
    ['request headers', { request: { headers: { authorization: 'hidden', cookie: 'hidden' } } }],
    ['a token', { token: 'hidden' }],
    ['a key', { account: { api_key: 'hidden', key: 'hidden' } }],
    ['a password', { password: 'hidden' }],
  ])('shows nothing of %s', (_name, fields) => {
    expect(written((logger) => logger.error(fields, 'x'))).not.toContain('hidden');
  });

  it('shows which statement failed, and nothing of the values or the rows', () => {
    const driver = Object.assign(new Error('violates a constraint'), {
      code: '23514',
      detail: 'Failing row: (hidden)',
      where: 'hidden',
    });
    const error = new QueryFailedError('insert into t values ($1)', ['hidden'], driver);
    const line = written((logger) => logger.error({ err: error }, 'request failed'));
    expect(line).toContain('insert into t');
    expect(line).toContain('23514');
    expect(line).not.toContain('hidden');
  });
});
