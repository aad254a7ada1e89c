-- Functions, because each decides by a row that it reads first: the service's owner, the ticket's status. Each is called in a transaction
-- that has set the customer.

-- A ticket as its customer reads it, with these replies.
create or replace function app.ticket_with_replies(t support_ticket, replies json, reply_count integer) returns json
language sql stable as $$
select json_build_object('id', t.id, 'title', t.title, 'body', t.body, 'status', t.status, 'priority', t.priority,
  'serviceId', t.service_id, 'resourceType', t.resource_type, 'resourceId', t.resource_id,
  'createdAt', app.json_time(t.created_at), 'updatedAt', app.json_time(t.updated_at),
  'replies', replies, 'replyCount', reply_count)
$$;

-- A ticket as its customer reads it, with its thread; null if its texts have more bytes than an event has room for.
create or replace function app.ticket_record(p_customer uuid, p_ticket uuid) returns json
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  ticket support_ticket;
  replies json;
  reply_count integer;
  bytes bigint;
begin
  select count(*), sum(octet_length(r.body)) into reply_count, bytes from support_ticket_reply r
  where r.customer_id = p_customer and r.ticket_id = p_ticket and not r.internal;
  if bytes > 20000 then
    return null;
  end if;
  select json_agg(json_build_object('id', r.id, 'author', r.author, 'body', r.body, 'createdAt', app.json_time(r.created_at))
    order by r.created_at, r.id) into replies
  from support_ticket_reply r where r.customer_id = p_customer and r.ticket_id = p_ticket and not r.internal;
  select t.* into ticket from support_ticket t where t.customer_id = p_customer and t.id = p_ticket;
  return case when found then app.ticket_with_replies(ticket, coalesce(replies, '[]'), reply_count) end;
end $$;

-- Writes an event about a ticket.
create or replace function app.record_ticket_event(p_customer uuid, p_type text, p_ticket uuid) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform app.record_event(p_customer, p_type, json_build_object('id', p_ticket), app.ticket_record(p_customer, p_ticket));
end $$;

-- Opens a ticket with this id. Returns the time of that; null, and nothing is stored, if the service is not one of the customer's.
create or replace function app.open_support_ticket(
  p_customer uuid, p_id uuid, p_title text, p_body text, p_priority text, p_service integer, p_resource_type text,
  p_resource_id text, p_actor text)
returns timestamptz
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  ticket support_ticket;
begin
  -- Asked before it is inserted: a foreign key that refuses it is an error in the server's log, and ends the transaction.
  if p_service is not null and not exists (
    select from customer_service s where s.customer_id = p_customer and s.id = p_service)
  then
    return null;
  end if;
  insert into support_ticket
    (customer_id, id, title, body, status, priority, service_id, resource_type, resource_id, created_at, updated_at)
  values
    (p_customer, p_id, p_title, p_body, 'open', p_priority, p_service, p_resource_type, p_resource_id, present, present)
  returning * into ticket;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'ticket.open', jsonb_build_object('ticket_id', p_id), present);
  perform app.record_operator_event(
    p_customer, 'ticket.created', json_build_object('id', p_id), app.ticket_with_replies(ticket, '[]', 0));
  return present;
end $$;

-- Adds a customer's reply to one of its tickets. The ticket is with the operator again then. outcome: replied, unknown, closed,
-- full (p_most replies of the two sides together). It comes behind what is there, whatever the clock says: who wrote last decides who waits.
-- Behind by a millisecond: the operator's programs compare a ticket's time to that with the one that a person has seen.
create or replace function app.reply_to_support_ticket(p_customer uuid, p_ticket uuid, p_body text, p_most integer, p_actor text)
returns table (outcome text, reply support_ticket_reply)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present timestamptz;
  former text;
begin
  -- The lock makes the count below exact, and keeps a closed ticket closed.
  select t.status, greatest(app.now(), t.updated_at + interval '1 millisecond') into former, present
  from support_ticket t where t.customer_id = p_customer and t.id = p_ticket for update;
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
  present timestamptz;
  former text;
begin
  select t.status, greatest(app.now(), t.updated_at + interval '1 millisecond') into former, present
  from support_ticket t where t.customer_id = p_customer and t.id = p_ticket for update;
  if former <> 'closed' then
    update support_ticket t set status = 'closed', updated_at = present where t.customer_id = p_customer and t.id = p_ticket;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(), p_actor, 'ticket.close', jsonb_build_object('ticket_id', p_ticket, 'from', former), present);
  end if;
end $$;
