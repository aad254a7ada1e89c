-- Closes one of the customer's tickets, and returns it with its thread; no row if there is no such ticket. A closed one stays
-- as it is.
create or replace function app.close_support_ticket(p_customer uuid, p_ticket uuid, p_actor text, p_audit_id uuid)
returns table (title text, body text, priority text, service_id integer, resource_type text, resource_id text,
  created_at timestamptz, updated_at timestamptz, replies json)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := app.now();
  former text;
begin
  perform app.set_customer(p_customer);
  select t.status into former from support_ticket t where t.customer_id = p_customer and t.id = p_ticket for update;
  if former <> 'closed' then
    update support_ticket t set status = 'closed', updated_at = present where t.customer_id = p_customer and t.id = p_ticket;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(p_audit_id), p_actor, 'ticket.close', jsonb_build_object('ticket_id', p_ticket, 'from', former), present);
  end if;
  return query
    select t.title, t.body, t.priority, t.service_id, t.resource_type, t.resource_id, t.created_at, t.updated_at, (
      select coalesce(json_agg(json_build_object('id', r.id, 'author', r.author, 'body', r.body, 'createdAt',
        to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) order by r.created_at, r.id), '[]')
      from support_ticket_reply r where r.customer_id = p_customer and r.ticket_id = p_ticket and not r.internal)
    from support_ticket t where t.customer_id = p_customer and t.id = p_ticket;
end $$
