import { AttackedApi, failures, p99, SHARE_ATTACKS } from '@test/share-attacks';
import { useTestDatabase } from '@test/use-test-database';

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60);
const database = useTestDatabase();

/** npm run attack:shares. On a quiet machine: it measures times. */
describe.each(Object.keys(SHARE_ATTACKS))(`${SECONDS} s of %s`, (kind) => {
  let attacked: AttackedApi;
  beforeAll(async () => {
    attacked = await AttackedApi.start(database, database.superuser, { OVERLOAD_WAIT_MS: '100' });
  });
  afterAll(() => attacked.api.stop('SIGKILL'));

  it(
    'leave a neighbour its answers, in time',
    async () => {
      const end = performance.now() + (SECONDS + 10) * 1000;
      const { attacker, before, neighbour } = await attacked.attack(kind, 10_000, () => performance.now() > end);
      console.log(
        `${kind}: the neighbour's p99 ${p99(before)} ms before, ${p99(neighbour)} ms meanwhile, of`,
        neighbour.tally,
        'the attacker',
        attacker.tally,
        attacker.texts,
      );
      expect(failures(neighbour)).toBe(0);
      expect(Object.keys(neighbour.tally)).toEqual(['200']);
      expect(p99(neighbour)).toBeLessThanOrEqual(Math.max(100, 2 * p99(before)));
    },
    (SECONDS + 60) * 1000,
  );
});
