-- A request as its customer reads it.
create or replace function app.credit_request_record(p_customer uuid, p_request integer) returns json
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  return (
    select json_build_object('id', r.id, 'amountNok', r.amount_nok::text, 'note', r.note, 'reference', r.reference, 'status', r.status,
      'reason', r.reason, 'invoiceId', r.invoice_id, 'decidedAt', app.json_time(r.decided_at), 'createdAt', app.json_time(r.created_at))
    from ai_credit_request r where r.customer_id = p_customer and r.id = p_request);
end $$;

-- Writes an event about a request.
create or replace function app.record_credit_request_event(p_customer uuid, p_type text, p_request integer) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform app.record_event(
    p_customer, p_type, json_build_object('id', p_request), app.credit_request_record(p_customer, p_request));
end $$;

-- Adds a request for credit, or finds the one that has the same reference. outcome: created, existing, disabled, too_many.
-- Called in a transaction that has set the customer.
-- A customer's requests follow one another, so that those with one reference become one row and the cap on waiting ones is
-- exact. They have a lock of their own: the AI account's may be kept for long, and all customers share the connections.
create or replace function app.create_credit_request(
  p_customer uuid, p_amount numeric, p_note text, p_reference text, p_default_cap integer, p_actor text)
returns table (outcome text, request ai_credit_request)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := app.now();
  waiting integer;
  cap integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('credit request of ' || p_customer, 0));
  -- Before every refusal: whoever lost the reply to a request must learn that it exists.
  select r.* into request from ai_credit_request r where r.customer_id = p_customer and r.reference = p_reference;
  if found then
    outcome := 'existing';
    return next;
    return;
  end if;
  if not exists (select from ai_settings s where s.customer_id = p_customer and s.enabled) then
    outcome := 'disabled';
    return next;
    return;
  end if;
  select coalesce(c.pending_credit_requests, p_default_cap) into cap from customer c where c.id = p_customer;
  select count(*) into waiting from ai_credit_request r where r.customer_id = p_customer and r.status = 'pending';
  if waiting >= cap then
    outcome := 'too_many';
    return next;
    return;
  end if;
  insert into ai_credit_request as r (customer_id, amount_nok, note, reference, created_at)
  values (p_customer, p_amount, p_note, p_reference, present)
  returning r.* into request;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'credit-request.create',
    jsonb_build_object('credit_request_id', request.id, 'amount_nok', p_amount), present);
  perform app.record_operator_event(p_customer, 'credit_request.created', json_build_object('id', request.id),
    app.credit_request_record(p_customer, request.id));
  outcome := 'created';
  return next;
end $$
