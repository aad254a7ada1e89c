-- What a customer adds to a ticket depends on how the ticket is, so these are functions. Each is called in a transaction that has
-- set the customer.

-- Adds a customer's reply to one of its tickets. The ticket is with the operator again then. outcome: replied, unknown, closed,
-- full (p_most replies of the two sides together).
create or replace function app.reply_to_support_ticket(p_customer uuid, p_ticket uuid, p_body text, p_most integer, p_actor text)
returns table (outcome text, reply support_ticket_reply)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  former text;
begin
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
  insert into support_ticket_reply as r (customer_id, id, ticket_id, author, internal, body, created_at)
  values (p_customer, gen_random_uuid(), p_ticket, 'customer', false, p_body, present)
  returning r.* into reply;
  update support_ticket t set status = 'open', updated_at = present where t.customer_id = p_customer and t.id = p_ticket;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'ticket.reply', jsonb_build_object('ticket_id', p_ticket, 'reply_id', reply.id), present);
  outcome := 'replied';
  return next;
end $$;

-- Closes one of the customer's tickets. A closed one stays as it is.
create or replace function app.close_support_ticket(p_customer uuid, p_ticket uuid, p_actor text) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  former text;
begin
  select t.status into former from support_ticket t where t.customer_id = p_customer and t.id = p_ticket for update;
  if former <> 'closed' then
    update support_ticket t set status = 'closed', updated_at = present where t.customer_id = p_customer and t.id = p_ticket;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(), p_actor, 'ticket.close', jsonb_build_object('ticket_id', p_ticket, 'from', former), present);
  end if;
end $$;
