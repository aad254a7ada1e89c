import type { Client } from 'pg';
import { createCaller, type TestApi } from '../api';
import { expectProblem } from '../expect-problem';

interface PageBody {
  data: Record<string, unknown>[];
  has_more: boolean;
  next_cursor: string | null;
}

/**
 * A paged list, newest first. `add` stores an item of a customer with a given time, `idOf` finds its id in the list;
 * `table` is where items are stored.
 */
export function describePaging(
  api: () => TestApi,
  path: string,
  table: string,
  add: (client: Client, customerId: string, createdAt: Date) => Promise<{ id: unknown }>,
  idOf: (item: Record<string, unknown>) => unknown,
): void {
  describe(`pages of GET ${path}`, () => {
    const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const page = async (call: (path: string) => Promise<Response>, query: string) => {
      const reply = await call(`${path}?${query}`);
      expect(reply.status).toBe(200);
      return (await reply.json()) as PageBody;
    };

    /** Follows the cursors to the end. */
    async function walk(
      call: (path: string) => Promise<Response>,
      limit: number,
      between = () => Promise.resolve(),
    ): Promise<unknown[]> {
      const ids: unknown[] = [];
      for (let cursor = ''; ;) {
        const { data, has_more, next_cursor } = await page(call, `limit=${limit}${cursor}`);
        // A next page is announced only if it has items.
        if (cursor !== '') expect(data).not.toEqual([]);
        ids.push(...data.map(idOf));
        expect(has_more).toBe(next_cursor !== null);
        if (next_cursor === null) return ids;
        cursor = `&cursor=${next_cursor}`;
        await between();
      }
    }

    it('hold every item once, newest first, also of those made at the same time, in pages of any size', async () => {
      const { customer, call } = await createCaller(api());
      const added: { id: unknown; second: number }[] = [];
      for (let item = 0; item < 11; item++) {
        const second = Math.floor(item / 4);
        added.push({ id: (await add(api().superuser, customer.id, time(second))).id, second });
      }
      const all = await walk(call, 200);
      expect([...all].sort()).toEqual(added.map(({ id }) => id).sort());
      const seconds = all.map((id) => added.find((item) => item.id === id)?.second);
      expect(seconds).toEqual([2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0]);
      for (const limit of [1, 2, 3, 5, 10, 11]) expect(await walk(call, limit)).toEqual(all);
    });

    it('skip and double nothing while newer items are added', async () => {
      const { customer, call } = await createCaller(api());
      for (let item = 0; item < 9; item++) await add(api().superuser, customer.id, time(item));
      const before = await walk(call, 200);
      let second = 100;
      const seen = await walk(call, 2, async () => void (await add(api().superuser, customer.id, time(second++))));
      expect(seen).toEqual(before);
    });

    it('tell microseconds apart', async () => {
      const { customer, call } = await createCaller(api());
      for (let item = 0; item < 5; item++) await add(api().superuser, customer.id, time(0));
      // Times with microseconds, like PostgreSQL's clock: a cursor in milliseconds would skip rows.
      const { rows } = await api().superuser.query<{ id: string; time: string }>(
        `select id, (created_at + row_number() over (order by id) * interval '1 microsecond')::text as time
         from ${table} where customer_id = $1`,
        [customer.id],
      );
      for (const { id, time: moved } of rows) {
        const move = `update ${table} set created_at = $3 where customer_id = $1 and id = $2`;
        await api().superuser.query(move, [customer.id, id, moved]);
      }
      expect(new Set(await walk(call, 1)).size).toBe(5);
    });

    it('refuse the cursor of another list', async () => {
      const { customer, call } = await createCaller(api());
      for (let item = 0; item < 2; item++) await add(api().superuser, customer.id, time(item));
      const { next_cursor } = await page(call, 'limit=1');
      const others = ['/services', '/support/tickets', '/status', '/sms/log', '/invoices', '/ai/credit-requests'];
      for (const other of others.filter((candidate) => candidate !== path)) {
        const problem = await expectProblem(await call(`${other}?cursor=${next_cursor}`), 400, 'invalid_request');
        expect(problem.detail).toBe('cursor comes from another list or other filters; begin again without it');
      }
    });

    it("show nothing of another customer's, also with its cursor", async () => {
      const [mine, theirs] = [await createCaller(api()), await createCaller(api())];
      for (let item = 0; item < 3; item++) await add(api().superuser, theirs.customer.id, time(item));
      const { next_cursor } = await page(theirs.call, 'limit=1');
      expect(await page(mine.call, `cursor=${next_cursor}`)).toEqual({ data: [], has_more: false, next_cursor: null });
    });

    it.each(['x', '', 'W10', 'a'.repeat(401), Buffer.from('["2026-02-31 00:00:00+00","1","x"]').toString('base64url')])(
      'refuse the cursor %s',
      async (cursor) => {
        const { call } = await createCaller(api());
        const problem = await expectProblem(await call(`${path}?cursor=${cursor}`), 400, 'invalid_request');
        expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/cursor']);
      },
    );
  });
}
