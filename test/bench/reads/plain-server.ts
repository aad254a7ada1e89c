import { hash } from 'node:crypto';
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { isWellFormed } from '@platform/tokens';

/** Lists: the same columns of the same rows as the API's. */
const LISTS = [
  {
    path: '/api/v1/invoices',
    columns: `id, type, number, source, status, status = 'open' and due_date < current_date as overdue, currency,
      amount / 100.0 as amount, amount_due / 100.0 as amount_due, issue_date, due_date, paid_at, kid, pdf_url, hosted_url,
      created_at, updated_at`,
    from: `invoice where customer_id = $1 and status <> 'draft'`,
    order: 'created_at desc, id desc',
  },
  {
    path: '/api/v1/sms/log',
    columns: `id, recipient as "to", sender_id, message, status, segments, encoding, error_code, created_at, updated_at,
      delivered_at`,
    from: 'sms_message where customer_id = $1',
    // The ids carry the time, and are what is indexed.
    order: 'id desc',
  },
  {
    path: '/api/v1/support/tickets',
    columns: `id, title, body, status, priority, service_id, resource_type, resource_id, created_at, updated_at,
      coalesce(thread.replies, '[]') as replies`,
    from: `support_ticket ticket left join lateral (
        select json_agg(json_build_object('id', r.id, 'author', r.author, 'body', r.body, 'created_at', r.created_at)
          order by r.created_at, r.id) as replies
        from support_ticket_reply r where r.customer_id = $1 and r.ticket_id = ticket.id and not r.internal
      ) thread on true where customer_id = $1`,
    order: 'created_at desc, id desc',
  },
];

/**
 * A hand-written server for comparison: Fastify, a pool, the same queries and the same token rules and cache; no
 * framework, no row level security, no limits, no log.
 */
async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const server = fastify();
  const remembered = new Map<string, { customerId: string; scopes: Set<string>; expiresAt: number }>();

  const authenticate = async (header: string | undefined) => {
    const token = header?.startsWith('Bearer ') ? header.slice(7) : '';
    if (!isWellFormed(token)) return undefined;
    const digest = hash('sha256', token, 'buffer');
    const key = digest.toString('base64');
    const known = remembered.get(key);
    if (known && known.expiresAt > Date.now()) return known;
    const { rows } = await pool.query<{ customer_id: string; scopes: string[]; expires_at: Date | null }>(
      `select t.customer_id, t.scopes, t.expires_at from service_token t join customer c on c.id = t.customer_id
       where t.token_hash = $1 and t.active and c.active and (t.expires_at is null or t.expires_at > now())`,
      [digest],
    );
    const [row] = rows;
    if (!row) return undefined;
    const found = {
      customerId: row.customer_id,
      scopes: new Set(row.scopes),
      expiresAt: row.expires_at?.getTime() ?? Infinity,
    };
    remembered.set(key, found);
    return found;
  };

  server.get('/api/v1/customer', async (request, reply) => {
    const caller = await authenticate(request.headers.authorization);
    if (!caller) return reply.code(401).send();
    const { rows } = await pool.query({
      name: 'customer',
      text: `select id, name, organization_number, customer_number, email, active, created_at from customer where id = $1`,
      values: [caller.customerId],
    });
    return rows[0];
  });

  server.get<{ Querystring: { limit?: string } }>('/api/v1/services', async (request, reply) => {
    const caller = await authenticate(request.headers.authorization);
    if (!caller) return reply.code(401).send();
    const limit = Number(request.query.limit ?? 50);
    const { rows } = await pool.query<{ place?: string }>({
      name: 'services',
      text: `select id, type, name, status, config, created_at, updated_at, created_at::text as place
             from customer_service where customer_id = $1 order by created_at desc, id desc limit $2`,
      values: [caller.customerId, limit + 1],
    });
    const data = rows.slice(0, limit).map(({ place: _place, ...row }) => row);
    return { data, has_more: rows.length > limit, next_cursor: null };
  });

  for (const { path, columns, from, order } of LISTS) {
    server.get<{ Querystring: { limit?: string; cursor?: string } }>(path, async (request, reply) => {
      const caller = await authenticate(request.headers.authorization);
      if (!caller) return reply.code(401).send();
      const limit = Number(request.query.limit ?? 50);
      const { rows } = await pool.query<{ place?: string; id: string }>({
        name: path,
        text: `select ${columns}, created_at::text as place from ${from} order by ${order} limit $2`,
        values: [caller.customerId, limit + 1],
      });
      const last = rows[limit - 1];
      const data = rows.slice(0, limit).map(({ place: _place, ...row }) => row);
      return { data, has_more: rows.length > limit, next_cursor: last ? `${last.place} ${last.id}` : null };
    });
  }

  await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  process.send?.('ready');
  process.on('SIGTERM', () => void server.close().then(() => pool.end()));
}

void main();
