-- Resolves a customer's reservations that nobody will come back for, uncharged: their deadline has passed, or the process
-- that made them is gone (process-is-gone.sql). The operator sees them as calls whose outcome is unknown.
--
-- Returns how many, or null when somebody else has the account locked: the caller tries again later instead of waiting, so
-- that one locked account delays no other customer.
create function app.ai_resolve_abandoned(p_customer uuid) returns integer
language plpgsql
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  moment timestamptz := app.now();
  freed numeric;
  resolved integer;
  over_month boolean;
begin
  perform app.set_customer(p_customer);
  perform from ai_account where customer_id = p_customer for no key update skip locked;
  if not found then
    return null;
  end if;
  with resolved as (
    update ai_reservation h
    set state = 'outcome_unknown', resolved_at = moment,
        reason = case when h.deadline < moment then 'deadline passed' else 'process gone' end
    where h.customer_id = p_customer and h.state = 'pending' and (h.deadline < moment or app.process_is_gone(h.process_id))
    returning h.amount, h.month)
  select coalesce(sum(r.amount), 0), count(*), bool_or(r.month < a.month) into freed, resolved, over_month
  from resolved r cross join ai_account a where a.customer_id = p_customer;
  if resolved > 0 then
    update ai_account set reserved = reserved - freed where customer_id = p_customer;
  end if;
  if over_month then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
  return resolved;
end $$
