import { ASYMMETRIC_ATTACKS, CONNECTION_ATTACKS, HIDDEN_ATTACKS, SHARE_ATTACKS } from '@test/hostile-requests';
import { AttackedApi, failures, p99 } from '@test/share-attacks';
import { describeWithNginx } from '@test/nginx-proxy';
import { useTestDatabase } from '@test/use-test-database';

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60);
const KINDS = {
  shares: SHARE_ATTACKS,
  asymmetries: ASYMMETRIC_ATTACKS,
  hidden: HIDDEN_ATTACKS,
  connections: CONNECTION_ATTACKS,
};
const ATTACKS = KINDS[(process.env.ATTACK_KINDS ?? 'shares') as keyof typeof KINDS];
/**
 * A flood of connections is one request of the attacker's program. The neighbour has an address of its own, as another customer has. The
 * processors are for the replica, its database and its proxy: an attacker has some of its own.
 */
const OPTIONS = {
  ...(ATTACKS === CONNECTION_ATTACKS && { connections: 1 }),
  neighbourAddress: '127.0.0.2',
  giveWay: true,
};
/** The neighbour is measured alone for so long before. */
const ALONE = Math.min(10, SECONDS);
/** Charges among which those of a token are looked for. */
const CHARGES = 750_000;
const database = useTestDatabase();

/** npm run attack:shares, attack:asymmetries, attack:hidden, attack:connections. On a quiet machine: they measure times. */
function describeAttack(kind: string, proxied: boolean): void {
  let attacked: AttackedApi;
  beforeAll(async () => {
    const arrange = { proxied, charges: /^(charges|exports|filters|pages in)/.test(kind) ? CHARGES : 0 };
    attacked = await AttackedApi.start(database, database.superuser, { OVERLOAD_WAIT_MS: '100' }, arrange);
  }, 240_000);
  afterAll(() => attacked.stop());

  it(
    'leave a neighbour its answers, in time, and the memory bounded',
    async () => {
      const end = performance.now() + (SECONDS + ALONE) * 1000;
      const { attacker, before, neighbour, largestRssMb, proxyRssMb } = await attacked.attack(
        kind,
        ALONE * 1000,
        () => performance.now() > end,
        OPTIONS,
      );
      console.log(
        `${kind}${proxied ? ' through nginx' : ''}: the neighbour's p99 ${p99(before)} ms before, ${p99(neighbour)} ms meanwhile, of`,
        neighbour.tally,
        `and ${p99({ replies: neighbour.onNew })} ms of the ${neighbour.onNew.length} on new connections;`,
        'the attacker',
        attacker.tally,
        attacker.texts,
        `${Math.round(largestRssMb)} MB, proxy ${Math.round(proxyRssMb)} MB`,
      );
      expect(failures(neighbour)).toBe(0);
      expect(Object.keys(neighbour.tally)).toEqual(['200']);
      expect(p99(neighbour)).toBeLessThanOrEqual(Math.max(100, 2 * p99(before)));
      expect(largestRssMb).toBeLessThan(1024);
    },
    (SECONDS + 60) * 1000,
  );
}

for (const kind of Object.keys(ATTACKS)) {
  describe(`${SECONDS} s of ${kind}`, () => describeAttack(kind, false));
  describeWithNginx(`${SECONDS} s of ${kind} through nginx`, () => describeAttack(kind, true));
}
