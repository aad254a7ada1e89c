-- Stores a customer's documents as their source has them now. A document keeps its id and, once it could be seen, its place
-- in the list. $1 customer, $2 source, $3 documents. Returns each with its id, and whether its customer sees something else than
-- before.
insert into invoice as i (customer_id, id, source, source_id, type, number, status, currency, amount, amount_due,
  issue_date, due_date, paid_at, kid, pdf_reference, hosted_url, created_at, updated_at, synced_at)
select $1, v.id, $2, v.source_id, v.type, v.number, v.status, v.currency, v.amount, v.amount_due,
  v.issue_date, v.due_date, v.paid_at, v.kid, v.pdf_reference, v.hosted_url, v.created_at, app.now(), app.now()
from jsonb_to_recordset($3::jsonb) as v (id uuid, source_id text, type text, number text, status text, currency text,
  amount bigint, amount_due bigint, issue_date date, due_date date, paid_at timestamptz, kid text, pdf_reference text,
  hosted_url text, created_at timestamptz)
on conflict (customer_id, source, source_id) do update set
  type = excluded.type, number = excluded.number, status = excluded.status, currency = excluded.currency, amount = excluded.amount,
  amount_due = excluded.amount_due, issue_date = excluded.issue_date, due_date = excluded.due_date,
  paid_at = excluded.paid_at, kid = excluded.kid, pdf_reference = excluded.pdf_reference,
  hosted_url = excluded.hosted_url, synced_at = excluded.synced_at,
  -- A draft gets its place when it is issued: customers have not seen it before.
  created_at = case when i.status = 'draft' then excluded.created_at else i.created_at end,
  updated_at = case when
      (i.type, i.number, i.status, i.currency, i.amount, i.amount_due, i.issue_date, i.due_date, i.paid_at, i.kid)
      is distinct from
      (excluded.type, excluded.number, excluded.status, excluded.currency, excluded.amount, excluded.amount_due, excluded.issue_date,
       excluded.due_date, excluded.paid_at, excluded.kid)
    then excluded.updated_at else i.updated_at end
returning i.id, i.source_id, i.updated_at = i.synced_at as changed
