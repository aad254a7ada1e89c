-- Whether an invoice is overdue on a day: it is open and was due before. A credit note never is. The day is that of the billing time zone.
create or replace function app.invoice_is_overdue(p_status text, p_type text, p_due date, p_day date) returns boolean
language sql immutable
as $$
  select p_status = 'open' and p_type = 'invoice' and p_due is not null and p_due < p_day
$$;
