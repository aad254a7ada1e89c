import { CONNECTION_ATTACKS } from '@test/hostile-requests';
import { describeWithNginx } from '@test/nginx-proxy';
import { AttackedApi, failures, p99 } from '@test/share-attacks';
import { useTestDatabase } from '@test/use-test-database';

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 30);
/** The neighbour is measured alone for so long before. */
const ALONE = Math.min(5, SECONDS);
const database = useTestDatabase();

/** npm run attack:connections. On a quiet machine: they measure times. */
function describeAttack(kind: string, proxied: boolean): void {
  let attacked: AttackedApi;
  beforeAll(async () => {
    attacked = await AttackedApi.start(database, database.superuser, { OVERLOAD_WAIT_MS: '100' }, { proxied });
  }, 120_000);
  afterAll(() => attacked.stop());

  it(
    'leave a neighbour at another address its answers, in time, on kept connections and on new ones',
    async () => {
      const end = performance.now() + (SECONDS + ALONE) * 1000;
      const { attacker, before, neighbour, largestRssMb, proxyRssMb } = await attacked.attack(
        kind,
        ALONE * 1000,
        () => performance.now() > end,
        { connections: 1, neighbourAddress: '127.0.0.2' },
      );
      console.log(
        `${kind}${proxied ? ' through nginx' : ''}: the neighbour's p99 ${p99(before)} ms before, ${p99(neighbour)} ms meanwhile,`,
        `${p99({ replies: neighbour.onNew })} ms of those on new connections, of`,
        neighbour.tally,
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
    (SECONDS + 90) * 1000,
  );
}

for (const kind of Object.keys(CONNECTION_ATTACKS)) {
  describe(`${SECONDS} s of ${kind}`, () => describeAttack(kind, false));
  describeWithNginx(`${SECONDS} s of ${kind} through nginx`, () => describeAttack(kind, true));
}
