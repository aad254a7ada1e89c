import { enableAi, saveModelPrice } from '../../ai-factories';
import { saveFakeCustomer } from '../../factories/customer.factory';
import type { Scenario } from '../scenario';
import type { WatchedService } from '../watched-service';

/** A customer with AI credit, and pending reservations of it of 20 minutes ago. @returns the customer's id */
async function saveReservations({ superuser }: WatchedService, count: number, deadline: string): Promise<string> {
  const { id } = await saveFakeCustomer(superuser);
  await enableAi(superuser, id, { model: await saveModelPrice(superuser), included: 100 });
  await superuser.query(
    `insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, month, created_at)
     select $1, app.new_id(), 2, s.model, '2020-01-01', 1, 1, now() + $2::interval, a.month, now() - interval '80 minutes'
     from ai_settings s join ai_account a using (customer_id), generate_series(1, $3) where s.customer_id = $1`,
    [id, deadline, count],
  );
  await superuser.query('update ai_account set reserved = 2 * $2 where customer_id = $1', [id, count]);
  return id;
}

/** A krone in a balance that nobody paid; the hourly verification is hastened. */
export function kroneTooMuch(service: WatchedService): Scenario {
  const book = (amount: number) =>
    service.superuser.query('update ai_account set purchased = purchased + $2 where customer_id = $1', [
      service.customerId,
      amount,
    ]);
  return {
    cause: 'a krone too much in a balance',
    alerts: [{ alert: 'CreditDoesNotAddUp' }],
    provoke: () => book(1),
    meanwhile: () => service.hasten('ai.verify'),
    mend: () => book(-1),
    afterwards: () => service.hasten('ai.verify'),
  };
}

/** A reservation whose deadline is an hour ahead, and whose process is nobody's. */
export function stuckReservation(service: WatchedService): Scenario {
  let customerId = '';
  return {
    cause: 'a reservation that nobody ends',
    alerts: [{ alert: 'ReservationStuck' }],
    provoke: async () => (customerId = await saveReservations(service, 1, '1 hour')),
    mend: () =>
      service.superuser.query(`update ai_reservation set deadline = now() where customer_id = $1`, [customerId]),
  };
}

/** Calls that the worker ends with an unknown outcome. */
export function unknownOutcomes(service: WatchedService): Scenario {
  let customerId = '';
  return {
    cause: 'eleven calls that nobody knows the end of',
    alerts: [{ alert: 'OutcomesUnknown' }],
    provoke: async () => (customerId = await saveReservations(service, 11, '-1 second')),
    mend: () =>
      service.superuser.query(
        `update ai_reservation set resolved_at = now() - interval '2 days' where customer_id = $1`,
        [customerId],
      ),
  };
}

/** The provider reports more tokens than were asked for. */
export function costlyCall(service: WatchedService): Scenario {
  return {
    cause: 'a call that costs more than was reserved',
    alerts: [{ alert: 'UncoveredUsage', labels: { cause: 'beyond_reservation' } }],
    meanwhile: () => service.ask(1, '[[sandbox:usage={"output_tokens":5000}]]'),
  };
}
