-- Adds a customer's reply to one of its tickets. The ticket is with the operator again then. outcome: replied, unknown, closed,
-- full (p_most replies of the two sides together).
create or replace function app.reply_to_support_ticket(
  p_customer uuid, p_ticket uuid, p_id uuid, p_body text, p_most integer, p_actor text, p_audit_id uuid)
returns table (outcome text, replied_at timestamptz)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  former text;
begin
  perform app.set_customer(p_customer);
  -- The lock makes the count below exact, and keeps a closed ticket closed.
  select t.status into former from support_ticket t where t.customer_id = p_customer and t.id = p_ticket for update;
  outcome := case when former is null then 'unknown' when former = 'closed' then 'closed' end;
  if outcome is null and p_most <= (
    select count(*) from support_ticket_reply r
    where r.customer_id = p_customer and r.ticket_id = p_ticket and not r.internal)
  then
    outcome := 'full';
  end if;
  if outcome is not null then
    return next;
    return;
  end if;
  insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body, created_at)
  values (p_customer, p_id, p_ticket, 'customer', false, p_body, present);
  update support_ticket t set status = 'open', updated_at = present where t.customer_id = p_customer and t.id = p_ticket;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(p_audit_id), p_actor, 'ticket.reply', jsonb_build_object('ticket_id', p_ticket, 'reply_id', p_id), present);
  outcome := 'replied';
  replied_at := present;
  return next;
end $$
