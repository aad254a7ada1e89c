import type { TestApi } from '../api';
import { createCaller } from '../api';
import { expectProblem } from '../expect-problem';
import type { RouteUnderTest } from './authentication.suite';

/** Values of one field: valid ones, and those that cause a 400. `undefined` leaves the field out. */
export interface FieldCases {
  accepted: [name: string, value: unknown][];
  refused: [name: string, value: unknown][];
}

/**
 * Tests one field's rules at their limits. `route.body` must be valid; `prepare` brings a new caller into the state
 * that the route needs.
 */
export function describeValidation(
  api: () => TestApi,
  route: RouteUnderTest & { body: Record<string, unknown> },
  field: string,
  cases: FieldCases,
  prepare: (customerId: string) => Promise<void> = () => Promise.resolve(),
): void {
  const send = async (value: unknown) => {
    const { customer, call } = await createCaller(api());
    await prepare(customer.id);
    return call(route.path, {
      method: route.method,
      body: JSON.stringify({ ...route.body, [field]: value }),
      headers: { 'content-type': 'application/json' },
    });
  };

  describe(`validation of ${field} in ${route.method} ${route.path}`, () => {
    it.each(cases.accepted)('accepts %s', async (_name, value) => {
      const reply = await send(value);
      // If the request is refused, the body says why.
      expect({ status: reply.status, body: await reply.text() }).toMatchObject({
        status: route.method === 'GET' ? 200 : 201,
      });
    });

    it.each(cases.refused)('refuses %s', async (_name, value) => {
      const problem = await expectProblem(await send(value), 400, 'invalid_request');
      expect(problem.errors?.map(({ pointer }) => pointer.split('/')[1])).toContain(field);
    });
  });
}
