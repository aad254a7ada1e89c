-- Adds a request for credit, or finds the one that has the same reference. outcome: created, existing, disabled, too_many.
-- A customer's requests follow one another, so that those with one reference become one row and the cap on waiting ones is
-- exact. They have a lock of their own: the AI account's may be kept for long, and the connections are everybody's.
create or replace function app.create_credit_request(
  p_customer uuid, p_amount numeric, p_note text, p_reference text, p_default_cap integer, p_actor text, p_audit_id uuid)
returns table (outcome text, id integer, amount_nok numeric, note text, reference text, status text, reason text,
  invoice_id uuid, decided_at timestamptz, created_at timestamptz)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := app.now();
  request ai_credit_request;
  waiting integer;
  cap integer;
begin
  perform app.set_customer(p_customer);
  if not exists (select from ai_settings s where s.customer_id = p_customer and s.enabled) then
    outcome := 'disabled';
    return next;
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('credit request of ' || p_customer, 0));
  select * into request from ai_credit_request r where r.customer_id = p_customer and r.reference = p_reference;
  if found then
    return query select 'existing', request.id, request.amount_nok, request.note, request.reference, request.status,
      request.reason, request.invoice_id, request.decided_at, request.created_at;
    return;
  end if;
  select coalesce(c.pending_credit_requests, p_default_cap) into cap from customer c where c.id = p_customer;
  select count(*) into waiting from ai_credit_request r where r.customer_id = p_customer and r.status = 'pending';
  if waiting >= cap then
    outcome := 'too_many';
    return next;
    return;
  end if;
  insert into ai_credit_request (customer_id, amount_nok, note, reference, created_at)
  values (p_customer, p_amount, p_note, p_reference, present)
  returning * into request;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(p_audit_id), p_actor, 'credit-request.create',
    jsonb_build_object('credit_request_id', request.id, 'amount_nok', p_amount), present);
  return query select 'created', request.id, request.amount_nok, request.note, request.reference, request.status,
    request.reason, request.invoice_id, request.decided_at, request.created_at;
end $$
