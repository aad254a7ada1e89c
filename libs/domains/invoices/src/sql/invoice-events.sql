-- Writes an event about an invoice, with the invoice as its customer reads it. Whether it is overdue depends on the day in p_zone. There
-- is none about a draft, which the customer cannot see.
create or replace function app.record_invoice_event(p_customer uuid, p_type text, p_invoice uuid, p_zone text) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  today constant date := (app.now() at time zone p_zone)::date;
  record json;
begin
  select json_build_object('id', i.id, 'type', i.type, 'number', i.number, 'source', i.source, 'status', i.status, 'currency', i.currency,
    'amount', i.amount::text, 'amountDue', i.amount_due::text, 'issueDate', i.issue_date, 'dueDate', i.due_date,
    'paidAt', app.json_time(i.paid_at), 'kid', i.kid, 'pdfUrl', i.pdf_url, 'hostedUrl', i.hosted_url,
    'createdAt', app.json_time(i.created_at), 'updatedAt', app.json_time(i.updated_at),
    'overdue', app.invoice_is_overdue(i.status, i.type, i.due_date, today),
    'streamed', i.pdf_reference is not null and i.pdf_url is null) into record
  from invoice i where i.customer_id = p_customer and i.id = p_invoice and i.status <> 'draft';
  if found then
    perform app.record_event(p_customer, p_type, json_build_object('id', p_invoice), record);
  end if;
end $$;
