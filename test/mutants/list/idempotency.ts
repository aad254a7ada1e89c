import type { Mutant } from '../mutant';

const PART = 'libs/platform/idempotency/src/';
const INTERCEPTOR = 'libs/platform/http/src/idempotency/idempotency.interceptor.ts';
const LEDGER_SQL = 'libs/domains/ai/src/ledger/sql/';
const KEYS = ['test/e2e/idempotency', 'test/contract/idempotency', 'libs/platform/idempotency'];
const KILLS = ['test/faults/idempotency-kills'];
const AGREE = ['test/contract/ai-ledgers-agree'];

/** Idempotency-Keys: whose they are, when they are claimed, completed, freed and forgotten. */
export const idempotency: Mutant[] = [
  {
    name: "keys: two customers with the same key are in each other's way",
    file: `${PART}request-key.ts`,
    find: '`${customerId} ${key}`',
    replace: '`${customerId.length} ${key}`',
    specs: KEYS,
  },
  {
    name: 'keys: the path is not part of the request',
    file: `${PART}request-key.ts`,
    find: '${method} ${path}\\n`',
    replace: '${method}\\n`',
    specs: KEYS,
  },
  {
    name: 'keys: one that is free again is not',
    file: `${PART}idempotency-store.service.ts`,
    find: " || row.state === 'free'",
    replace: '',
    specs: KEYS,
  },
  {
    name: 'keys: the body is not compared',
    file: `${PART}idempotency-store.service.ts`,
    find: 'if (!row.fingerprint.equals(request.fingerprint))',
    replace: 'if (row.fingerprint.length !== request.fingerprint.length)',
    specs: KEYS,
  },
  {
    name: 'keys: one whose time is up is in progress until the worker comes',
    file: `${PART}idempotency-store.service.ts`,
    find: 'if (overdue) await this.database.write(GIVE_UP, []);',
    replace: '',
    specs: KEYS,
  },
  {
    name: 'keys: that of a dead process waits for the worker',
    file: `${PART}idempotency-store.service.ts`,
    find: 'mayBeAbandoned && effectId !== null && this.abandoned.end(effectId)',
    replace: 'false',
    specs: KEYS,
  },
  {
    name: 'keys: a call is given up though its process lives',
    file: `${LEDGER_SQL}resolve-abandoned-call.sql`,
    find: 'not (call.deadline < app.now() or app.process_is_gone(call.process_id))',
    replace: 'call.deadline is null',
    specs: ['libs/domains/ai/src/liveness', ...KEYS],
  },
  {
    name: 'keys: a replay does not say what the message cost',
    file: 'apps/customer-api/src/ai/answer/replayed-charge.service.ts',
    find: "charged ? { 'x-ai-cost': shortDecimal(charged) } : {}",
    replace: 'charged ? {} : {}',
    specs: KEYS,
  },
  {
    name: 'keys: one that was freed is never claimed again',
    file: `${PART}sql/claim.sql`,
    find: "k.state = 'free' or ",
    replace: '',
    specs: KEYS,
  },
  {
    name: 'keys: one is taken forever',
    file: `${PART}sql/claim.sql`,
    find: 'k.created_at <= expired',
    replace: 'false',
    specs: KEYS,
  },
  {
    name: 'keys: one is taken although another request has it',
    file: `${PART}sql/claim.sql`,
    find: "k.state = 'free' or k.created_at",
    replace: 'true or k.created_at',
    specs: KEYS,
  },
  {
    name: 'keys: what was told once is told differently later',
    file: `${PART}sql/complete.sql`,
    find: `
    and k.state <> 'done';`,
    replace: ';',
    specs: KEYS,
  },
  {
    name: "keys: a reply is kept for another request's effect",
    file: `${PART}sql/complete.sql`,
    find: `and k.effect_id is not distinct from p_effect
    and k.state`,
    replace: 'and k.state',
    specs: KEYS,
  },
  {
    name: 'keys: one that is done is freed',
    file: `${PART}sql/free.sql`,
    find: " and k.state = 'in_progress'",
    replace: '',
    specs: [...KEYS, ...KILLS],
  },
  {
    name: "keys: another request's is freed",
    file: `${PART}sql/free.sql`,
    find: ' and k.effect_id = p_effect',
    replace: '',
    specs: [...KEYS, ...KILLS],
  },
  {
    name: 'keys: calls that still run are given up',
    file: `${PART}sql/give-up.sql`,
    find: ' and k.deadline < present',
    replace: ' and k.deadline is not null',
    specs: KEYS,
  },
  {
    name: 'keys: they are purged after an hour',
    file: `${PART}worker/idempotency-maintenance.service.ts`,
    find: "interval '24 hours' limit 500",
    replace: "interval '1 hour' limit 500",
    specs: KEYS,
  },
  {
    name: 'keys: replies are lost with a change of SECRETS_KEY',
    file: `${PART}replies/reply-sealer.service.ts`,
    find: 'this.secrets.find(({ name }) => name === secretsKey)',
    replace: 'this.secrets.slice(0, 1).find(({ name }) => name === secretsKey)',
    specs: KEYS,
  },
  {
    name: 'keys: SECRETS_KEY alone opens a reply',
    file: `${PART}replies/reply-sealer.service.ts`,
    find: '`${callers}\\n${customerId} idempotent',
    replace: '`${customerId} idempotent',
    specs: KEYS,
  },
  {
    name: 'keys: replies are sealed with the same nonce',
    file: `${PART}replies/nonces.ts`,
    find: 'this.used++ * Nonces.bytes',
    replace: '0 * this.used++',
    specs: KEYS,
  },
  {
    name: 'keys: what refuses a retry comes before the reply that was kept',
    file: INTERCEPTOR,
    find: 'first.hasClaimed || mayHaveRun(error)',
    replace: 'first.hasClaimed || !(error instanceof KeyTakenError)',
    specs: KEYS,
  },
  {
    name: 'keys: a retry that finds its key just freed is told that it is in progress',
    file: INTERCEPTOR,
    find: 'return await attempt(this.calls.begin(key, presenter));',
    replace: 'return await this.replay(presenter, await this.store.findTaken(key));',
    specs: KEYS,
  },
  {
    name: 'keys: a call that fails is told that its own key is in progress',
    file: `${PART}keyed-call.ts`,
    find: 'this.owned = true;',
    replace: '',
    specs: KEYS,
  },
  {
    name: 'keys: a retry has its tokens counted',
    file: 'libs/domains/ai/src/customer/messages/call-reservation.service.ts',
    find: 'await call.key?.assertFree();',
    replace: '',
    specs: KEYS,
  },
  {
    name: 'keys: a retry is refused while the account is locked',
    file: 'libs/platform/database/src/errors/database-errors.ts',
    find: 'return isDatabaseUnavailable(error) && !(error instanceof OverloadedError);',
    replace: 'return isDatabaseUnavailable(error);',
    specs: KEYS,
  },
  {
    name: 'keys: in a batch a reply is kept for another request',
    file: `${PART}sql/complete-many.sql`,
    find: ' and k.effect_id = u.effect',
    replace: '',
    specs: ['test/contract/idempotency-functions'],
  },
  {
    name: 'keys: one runs forever',
    file: `${PART}keyed-calls.service.ts`,
    find: 'this.running.delete(key);',
    replace: "this.running.delete('');",
    specs: KEYS,
  },
  {
    name: 'keys: the reply is stored after the commit',
    file: `${PART}keyed-transactions.service.ts`,
    find: 'await this.store.complete(transaction, request, reply);',
    replace: 'void this.store.complete(transaction, request, reply).catch(() => undefined);',
    specs: KEYS,
  },
  {
    name: 'keys: an end that cannot be stored at once is forgotten',
    file: `${PART}keyed-transactions.service.ts`,
    find: 'this.later.add({ request, conclusion });',
    replace: '',
    specs: [...KEYS, 'test/faults/sms-outcomes', 'test/faults/idempotency'],
  },
  {
    name: 'keys: a failed end leaves its transaction open',
    file: `${PART}keyed-transactions.service.ts`,
    find: `await transaction.commit();
    } catch (error) {
      await transaction.rollback();`,
    replace: `await transaction.commit();
    } catch (error) {`,
    specs: [...KEYS, 'test/faults/sms-outcomes'],
  },
  {
    name: 'keys: an AI call does not claim its own',
    file: `${LEDGER_SQL}per-customer/reserve.sql`,
    find: 'if not app.claim_idempotency_key(',
    replace: 'if false and not app.claim_idempotency_key(',
    specs: KEYS,
  },
  {
    name: 'keys: AI calls of one batch do not claim theirs',
    file: `${LEDGER_SQL}batched/reserve.sql`,
    find: 'if not app.claim_idempotency_key(acc',
    replace: 'if false and not app.claim_idempotency_key(acc',
    specs: AGREE,
  },
  {
    name: 'keys: a refused AI call keeps its own',
    file: `${LEDGER_SQL}batched/release.sql`,
    find: 'perform app.free_idempotency_key(call',
    replace: 'perform app.free_idempotency_key(null, null, null) where exists (select call',
    specs: AGREE,
  },
  {
    name: "keys: an AI call's reply is not kept",
    file: `${LEDGER_SQL}batched/settle.sql`,
    find: 'call.reply_secrets_key, call.reply)',
    replace: 'call.reply_secrets_key, null)',
    specs: AGREE,
  },
  {
    name: 'keys: an AI call whose process died keeps its own',
    file: `${LEDGER_SQL}resolve-abandoned.sql`,
    find: 'if ended.key_hash is not null then',
    replace: 'if false then',
    specs: ['test/faults/idempotency-ai-kills'],
  },
  {
    name: 'keys: on a cluster a refused AI call keeps its own',
    file: `${LEDGER_SQL}per-customer/release.sql`,
    find: 'if reservation.key_hash is not null then',
    replace: 'if false then',
    specs: AGREE,
  },
];
