-- Opens a ticket. Returns when; null, and nothing is stored, if the service is not one of the customer's.
create or replace function app.open_support_ticket(
  p_customer uuid, p_id uuid, p_title text, p_body text, p_priority text, p_service integer, p_resource_type text,
  p_resource_id text, p_actor text, p_audit_id uuid)
returns timestamptz
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
begin
  perform app.set_customer(p_customer);
  if p_service is not null and not exists (
    select from customer_service s where s.customer_id = p_customer and s.id = p_service)
  then
    return null;
  end if;
  insert into support_ticket
    (customer_id, id, title, body, priority, service_id, resource_type, resource_id, created_at, updated_at)
  values (p_customer, p_id, p_title, p_body, p_priority, p_service, p_resource_type, p_resource_id, present, present);
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(p_audit_id), p_actor, 'ticket.open', jsonb_build_object('ticket_id', p_id), present);
  return present;
end $$
