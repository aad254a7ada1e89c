import { ALL_ASYMMETRIC, ALL_HIDDEN } from '@test/hostile-requests';
import { AttackedApi } from '@test/share-attacks';
import { useTestDatabase } from '@test/use-test-database';

/** Other specs take most of the processors meanwhile. */
const SLOW_MS = 90_000;
/** Refusals of the attacker that are waited for. */
const ENOUGH = 50;
/** So seldom that it is less than an equal part even of what a very busy machine can serve. */
const NEIGHBOUR_EVERY_MS = 250;
const database = useTestDatabase();

describe('one who takes more than its share of the time', () => {
  let attacked: AttackedApi;
  beforeAll(async () => {
    attacked = await AttackedApi.start(database, database.superuser, { OVERLOAD_WAIT_MS: '50' });
  }, SLOW_MS);
  afterAll(() => attacked.stop());

  it.each([
    ['bodies of 190 unknown names', 'customer_id', /^429: Your requests use more than your share of the service/],
    ['ever new unknown tokens', 'address', /^429: Requests without a valid token from your address use more/],
  ])(
    'with %s is refused and told why, and named in the log; a neighbour gets all its answers',
    async (kind, who, reason) => {
      const { attacker, neighbour } = await attacked.attack(
        kind,
        1000,
        (attacker, neighbour) => (attacker.tally[429] ?? 0) >= ENOUGH && (neighbour.tally[200] ?? 0) >= 10,
        // So many that a fast machine that has nothing else to do is late, too.
        { everyMs: NEIGHBOUR_EVERY_MS, connections: 512 },
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(attacker.texts).toContainEqual(expect.stringMatching(reason));
      const lines = attacked.api
        .output()
        .stdout.split('\n')
        .filter((line) => line.includes('more than their share'));
      expect(lines).toContainEqual(expect.stringContaining(`"${who}"`));
      const metrics = await (await fetch(attacked.api.metricsUrl)).text();
      expect(Number(/^overload_refusals_total\{used="share"\} (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(
        ENOUGH,
      );
    },
    SLOW_MS,
  );

  it(
    'with requests for the largest pages of tickets is refused, and a neighbour gets all its answers',
    async () => {
      const { attacker, neighbour } = await attacked.attack(
        'the largest pages of tickets',
        500,
        (attacker, neighbour) => (attacker.tally[429] ?? 0) >= ENOUGH && (neighbour.tally[200] ?? 0) >= 10,
        { everyMs: NEIGHBOUR_EVERY_MS, connections: 128 },
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      // Its share of the time may be used up before its reads have waited.
      expect(attacker.texts).toContainEqual(
        expect.stringMatching(
          /^429: (Your requests read so much that they wait for each other|Your requests use more than your share)/,
        ),
      );
    },
    SLOW_MS,
  );

  it(
    'with small requests that could cost much is told why, and a neighbour gets all its answers',
    async () => {
      const { attacker, neighbour, largestRssMb } = await attacked.attack(
        ALL_ASYMMETRIC,
        500,
        (attacker, neighbour) => (attacker.tally[400] ?? 0) >= ENOUGH && (neighbour.tally[200] ?? 0) >= 10,
        { everyMs: NEIGHBOUR_EVERY_MS },
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      // On a busy machine 503 may come before 429.
      expect(attacker.tally).not.toHaveProperty('500');
      // Unknown names and chunks of a byte; their tokens, if they are unknown; files that do not exist.
      for (const status of ['200', '400', '401', '404', '413']) expect(attacker.tally).toHaveProperty(status);
      expect(largestRssMb).toBeLessThan(600);
    },
    SLOW_MS,
  );

  it(
    'in hidden ways, and abandons its requests, breaks nothing, and a neighbour gets all its answers',
    async () => {
      const { attacker, neighbour, largestRssMb } = await attacked.attack(
        ALL_HIDDEN,
        500,
        (attacker, neighbour) => (attacker.tally.abandoned ?? 0) >= ENOUGH && (neighbour.tally[200] ?? 0) >= 10,
        { everyMs: NEIGHBOUR_EVERY_MS },
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(attacker.tally).not.toHaveProperty('500');
      expect(largestRssMb).toBeLessThan(600);
      // A client that has gone is no error of the service.
      expect(attacked.api.output().stdout).not.toMatch(/"level":"error".*(PREMATURE_CLOSE|ClientGone)/);
    },
    SLOW_MS,
  );

  it(
    'of connections, with headers that do not end, shuts nobody out',
    async () => {
      const { neighbour, largestRssMb } = await attacked.attack(
        'headers that do not end',
        500,
        (_, neighbour) => (neighbour.tally[200] ?? 0) >= 10,
        { everyMs: NEIGHBOUR_EVERY_MS, connections: 8 },
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(largestRssMb).toBeLessThan(600);
    },
    SLOW_MS,
  );
});
