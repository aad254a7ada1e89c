-- Resolves a customer's abandoned reservations, uncharged: their deadline has passed, or the process
-- that made them is gone (app.process_is_gone). The operator sees them as calls whose outcome is unknown.
--
-- Returns how many, or null when somebody else has the account locked: the caller tries again later instead of waiting, so
-- that one locked account delays no other customer.
create or replace function app.ai_resolve_abandoned(p_customer uuid) returns integer
language plpgsql
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  moment timestamptz := app.now();
  live uuid[];
  account_month text;
  ended record;
  freed numeric := 0;
  resolved integer := 0;
  over_month boolean := false;
begin
  select a.month into account_month from ai_account a where a.customer_id = p_customer for no key update skip locked;
  if not found then
    return null;
  end if;
  -- After the account's lock, so that it knows every process whose reservations the update sees.
  live := array(select p.id from process_liveness p where not app.process_is_gone(p.id));
  for ended in
    update ai_reservation h
    set state = 'outcome_unknown', resolved_at = moment,
        reason = case when h.deadline < moment then 'deadline passed' else 'process gone' end
    where h.customer_id = p_customer and h.state = 'pending'
      and (h.deadline < moment or (h.process_id is not null and h.process_id <> all (live)))
    returning h.id, h.amount, h.month, h.key_hash
  loop
    resolved := resolved + 1;
    freed := freed + ended.amount;
    over_month := over_month or coalesce(ended.month < account_month, false);
    if ended.key_hash is not null then
      perform app.free_idempotency_key(p_customer, ended.key_hash, ended.id);
    end if;
  end loop;
  if resolved > 0 then
    update ai_account set reserved = reserved - freed where customer_id = p_customer;
  end if;
  if over_month then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
  return resolved;
end $$;

-- Resolves the abandoned reservations of a customer if this call is one of them: a retry of it need not wait for a worker.
-- Returns whether it did; false too while somebody else has the account locked.
create or replace function app.ai_resolve_abandoned_call(p_customer uuid, p_reservation uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  call record;
begin
  select h.deadline, h.process_id into call from ai_reservation h
  where h.customer_id = p_customer and h.id = p_reservation and h.state = 'pending';
  if not found or not (call.deadline < app.now() or app.process_is_gone(call.process_id)) then
    return false;
  end if;
  return coalesce(app.ai_resolve_abandoned(p_customer), 0) > 0;
end $$;
