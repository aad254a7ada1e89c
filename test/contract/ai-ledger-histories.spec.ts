import { AiOverviewModule, AiOverviewService } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { shortDecimal } from '@platform/money';
import { LEDGER_NAMES } from '@test/ledger.fixture';
import { randomHistory } from '@test/ledger-history';
import { type AiFixture, asCustomer, createAiFixture, problemsOf } from '@test/ai.fixture';

/** Other ones with each seed. `npm run accept:histories` runs more. */
const HISTORIES = Number(process.env.ACCEPT_HISTORIES ?? 5);
const STEPS = 250;

/** After each step of a random history, the ledger's functions and a small model of the rules agree. */
describe.each(LEDGER_NAMES)('The credit ledger, through random histories, %s', (way) => {
  let fixture: AiFixture;
  beforeAll(
    async () => (fixture = await createAiFixture({}, 1, { engine: [AiOverviewModule.with(CreditRequestsModule)] })),
  );
  afterAll(() => fixture.close());

  const shown = async (customerId: string) => {
    const engine = fixture.engines[0]!;
    const status = await asCustomer(engine, customerId, () => engine.get(AiOverviewService).find());
    return {
      included: shortDecimal(status.includedCreditRemaining),
      purchased: shortDecimal(status.purchasedCredit),
      reserved: shortDecimal(status.reservedCredit),
      usage: shortDecimal(status.currentMonthUsage),
      limit: shortDecimal(status.currentMonthLimit),
    };
  };

  it.each(Array.from({ length: HISTORIES }, (_, index) => index))(
    'agrees with its model: history %i',
    async (index) => {
      const history = await randomHistory(fixture, Number(process.env.TEST_SEED) + index, way);
      for (let step = 0; step < STEPS; step++) {
        const { what, done, expected } = await history.step();
        expect([what, done]).toEqual([what, expected]);
        expect([what, await history.accounts()]).toEqual([what, history.expectedAccounts()]);
        // No account has been rolled over yet when time has passed.
        if (step % 5 === 0 || what.startsWith('time')) {
          for (const [customerId, view] of history.views())
            expect([what, await shown(customerId)]).toEqual([what, view]);
        }
      }
      expect(await problemsOf(fixture)).toEqual([]);
    },
  );
});
