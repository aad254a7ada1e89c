import { PassThrough } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { ClsServiceManager } from 'nestjs-cls';
import { loadConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { ServiceError } from '@platform/errors';
import { createLogger } from './logger';

const context = new CustomerContextService(ClsServiceManager.getClsService());
const as = context.run.bind(context);

/** The lines that a call of the logger writes. */
function written(log: (logger: ReturnType<typeof createLogger>) => void, settings: NodeJS.ProcessEnv = {}): string {
  const stream = new PassThrough();
  log(createLogger(loadConfig({ LOG_LEVEL: 'info', ...settings }), stream));
  return String(stream.read() ?? '');
}

describe('the log', () => {
  it('has one JSON object a line, with level, time and the fields of the present work', () => {
    const line = written((logger) => as('c1', () => logger.warn({ job: 'x' }, 'late'), 'r1'));
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.any(String),
      request_id: 'r1',
      customer_id: 'c1',
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
    ['an error by another name', { error: Object.assign(new Error('x'), { token: 'hidden' }) }],
    ["an error's headers", { err: Object.assign(new Error('x'), { headers: { cookie: 'hidden' } }) }],
  ])('logs nothing of %s', (_name, fields) => {
    expect(written((logger) => logger.error(fields, 'x'))).not.toContain('hidden');
  });

  it('shows which statement failed, and nothing of the values or the rows', () => {
    const driver = Object.assign(new Error('violates a constraint'), {
      code: '23514',
      detail: 'Failing row: (hidden)',
      where: 'hidden',
    });
    const error = new QueryFailedError('insert into t values ($1)', ['hidden'], driver);
    const failed = new ServiceError('service_unavailable', 'Try again', { cause: error });
    const errors = [error, new AggregateError([error]), new AggregateError([new AggregateError([error])])];
    for (const err of [...errors, failed, new AggregateError([failed])]) {
      const line = written((logger) => logger.error({ err }, 'request failed'));
      expect(line).toContain('insert into t');
      expect(line).toContain('23514');
      expect(line).not.toContain('hidden');
    }
  });

  it('shows no configured secret, wherever it stands', () => {
    const error = new Error('Invalid API key: the-key-of-ours', { cause: new Error('the-key-of-ours') });
    const line = written(
      (logger) => logger.error({ err: error, detail: { text: 'the-key-of-ours' } }, 'the-key-of-ours'),
      {
        ANTHROPIC_API_KEY: 'the-key-of-ours',
      },
    );
    expect(JSON.parse(line)).toMatchObject({ msg: '[redacted]', detail: { text: '[redacted]' } });
    expect(line).not.toContain('the-key-of-ours');
  });

  it('stays one line of JSON when a secret holds what JSON is made of', () => {
    const secret = '"},{"a\\b';
    const line = written((logger) => logger.error({ text: secret }, `x ${secret}`), { ANTHROPIC_API_KEY: secret });
    expect(JSON.parse(line)).toMatchObject({ text: '[redacted]', msg: 'x [redacted]' });
  });

  it('has no control characters', () => {
    const line = written((logger) => logger.error({ text: '\u001b[2J\u009b31m\u202e' }, 'x'));
    expect(line.trim()).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).toMatchObject({ text: '\u001b[2J\u009b31m\u202e' });
  });
});
