import type { Client } from 'pg';

/** Characters of the longest text. */
const LONGEST = 5000;

/** Saves tickets with threads whose texts are the longest in JSON: 30 kB for each reply. */
export async function saveLargeTickets(client: Client, customerId: string, count: number, replies = 10): Promise<void> {
  await client.query(
    `with ticket as (
       insert into support_ticket (customer_id, id, title, body, created_at)
       select $1, gen_random_uuid(), 'Ticket ' || n, 'A question', now() - n * interval '1 minute'
       from generate_series(1, $2) n returning id)
     insert into support_ticket_reply (customer_id, id, ticket_id, author, body, created_at)
     select $1, gen_random_uuid(), t.id, 'customer', repeat(chr(1), ${LONGEST}), now() + n * interval '1 millisecond'
     from ticket t, generate_series(1, $3) n`,
    [customerId, count, replies],
  );
}
