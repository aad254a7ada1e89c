import type { Mutant } from '../mutant';

const RENEWAL = 'libs/domains/ai/src/operator/provider-keys-operator.service.ts';
const ROTATION = ['test/e2e/operator-secrets'];

/** Secrets, errors, and details that replies must not reveal. */
export const secrets: Mutant[] = [
  {
    name: 'secrets: what a secret is for is not sealed with it',
    file: 'libs/platform/secrets/src/secret-box.ts',
    find: '.setAAD(Buffer.from(purpose));',
    replace: ".setAAD(Buffer.from(''));",
    specs: ['libs/platform/secrets'],
  },
  {
    name: 'secrets: every nonce is the same',
    file: 'libs/platform/secrets/src/secret-box.ts',
    find: 'const nonce = randomBytes(NONCE_BYTES);',
    replace: 'const nonce = Buffer.alloc(NONCE_BYTES, randomBytes(1).length);',
    specs: ['libs/platform/secrets'],
  },
  {
    name: 'secrets: a 500 tells what went wrong inside',
    file: 'libs/platform/http/src/problems/problem.ts',
    find: "    'The request failed for a reason on our side; quote the request id to the operator',\n  );\n}",
    replace: '    String(error),\n  );\n}',
    specs: ['test/e2e/errors', 'libs/platform/http/src/problem'],
  },
  {
    name: 'errors: a database that is away is a 500',
    file: 'libs/platform/http/src/problems/problem.ts',
    find: 'if (isTransientFailure(error)) {',
    replace: "if (isTransientFailure(error) && String(error) === '') {",
    specs: ['libs/platform/http/src/problem', 'test/e2e/fail-over'],
  },
  {
    name: 'errors: a read-only standby is a 500',
    file: 'libs/platform/database/src/errors/database-errors.ts',
    find: '|58030|25006|',
    replace: '|58030|',
    specs: ['test/e2e/fail-over'],
  },
  {
    name: 'errors: a statement that took too long is a 500',
    file: 'libs/platform/database/src/errors/database-errors.ts',
    find: '|57P0.|57014|',
    replace: '|57P0.|',
    specs: ['libs/platform/database/src/errors', 'libs/platform/http/src/problem'],
  },
  {
    name: "errors: the caller's request id is not taken",
    file: 'libs/platform/http/src/problems/problem.ts',
    find: 'request_id: requestId,',
    replace: "request_id: requestId === '' ? requestId : requestId.slice(1),",
    specs: ['test/e2e/errors'],
  },
  {
    name: 'errors: a number in the path that is none is 400 by the database',
    file: 'libs/platform/http/src/routing/path-id.ts',
    find: 'integer: /^[1-9]\\d{0,8}$/',
    replace: 'integer: /^.+$/',
    specs: ['test/e2e/ai-credit'],
  },
  {
    name: 'rotation: what the former SECRETS_KEY sealed cannot be read',
    file: 'libs/platform/secrets/src/secret-box.ts',
    find: 'for (const key of this.keys)',
    replace: 'for (const key of this.keys.slice(0, 1))',
    specs: ['libs/platform/secrets', ...ROTATION],
  },
  {
    name: 'rotation: what the former SECRETS_KEY sealed counts as up to date',
    file: 'libs/platform/secrets/src/secret-box.ts',
    find: 'return openWith(this.presentKey(), sealed, purpose) !== undefined;',
    replace: 'return this.keys.some((key) => openWith(key, sealed, purpose) !== undefined);',
    specs: ROTATION,
  },
  {
    name: 'rotation: what nobody can read counts as up to date',
    file: RENEWAL,
    find: "return 'unreadable';",
    replace: "return 'up_to_date';",
    specs: ROTATION,
  },
  {
    name: 'rotation: a new encryption leaves no trace',
    file: RENEWAL,
    find: "await this.audit.record(manager, { customerId, actor, action: 'secrets.reencrypt', metadata: {} });",
    replace: '',
    specs: ROTATION,
  },
  {
    name: 'rotation: a new encryption is not stored',
    file: RENEWAL,
    find: '{ keyCiphertext: renewed }',
    replace: '{ keyCiphertext: settings.keyCiphertext }',
    specs: ROTATION,
  },
];
