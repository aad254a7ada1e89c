-- Events about an account's credit. The account's row is locked by the caller, whatever caused them: so each is written once a month.

-- Writes an event about the credit, with the status as GET /ai shows it.
create or replace function app.record_ai_credit_event(
  p_customer uuid, p_type text, p_account ai_account, p_settings ai_settings, p_threshold smallint)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform app.record_event(p_customer, p_type, json_build_object('month', p_account.month),
    json_build_object('enabled', coalesce(p_settings.enabled, false), 'includedCreditRemaining', p_account.included::text,
      'purchasedCredit', p_account.purchased::text, 'totalAvailableCredit', (p_account.included + p_account.purchased)::text,
      'reservedCredit', p_account.reserved::text, 'currentMonthUsage', p_account.month_usage::text,
      'currentMonthLimit', app.ai_month_limit(p_account, p_settings)::text, 'month', p_account.month, 'threshold', p_threshold));
end $$;

-- Tells the customer of the thresholds that its usage has passed in the month and that it was not told of. To be called when the
-- usage has reached next_threshold_at, and when a change of the operator's may have lowered the limit. A customer without thresholds of
-- its own has USUAL_CREDIT_THRESHOLDS.
create or replace function app.ai_announce_thresholds(p_customer uuid) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  acc ai_account;
  settings ai_settings;
  month_limit numeric;
  threshold smallint;
  next_at numeric := 'infinity';
begin
  select * into acc from ai_account a where a.customer_id = p_customer for no key update;
  if not found then
    return;
  end if;
  select * into settings from ai_settings s where s.customer_id = p_customer;
  month_limit := app.ai_month_limit(acc, settings);
  foreach threshold in array coalesce(settings.credit_thresholds, '{80}') loop
    continue when threshold = any (acc.told_thresholds);
    if acc.month_usage > 0 and acc.month_usage * 100 >= month_limit * threshold then
      acc.told_thresholds := acc.told_thresholds || threshold;
      perform app.record_ai_credit_event(p_customer, 'ai.credit.low', acc, settings, threshold);
    else
      next_at := least(next_at, month_limit * threshold / 100);
    end if;
  end loop;
  update ai_account a set told_thresholds = acc.told_thresholds, next_threshold_at = next_at where a.customer_id = p_customer;
end $$;

-- Tells the customer that a call was refused for want of credit. Many may be refused: the first of the month is told. A call whose
-- Idempotency-Key, p_key_hash, another has is not refused: it gets the reply that is kept for that one, or waits for it.
create or replace function app.ai_announce_exhausted(p_customer uuid, p_key_hash bytea) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  acc ai_account;
  settings ai_settings;
begin
  select * into acc from ai_account a where a.customer_id = p_customer for no key update;
  if not found or 100 = any (acc.told_thresholds) or app.idempotency_key_is_taken(p_customer, p_key_hash) then
    return;
  end if;
  select * into settings from ai_settings s where s.customer_id = p_customer;
  perform app.record_ai_credit_event(p_customer, 'ai.credit.exhausted', acc, settings, null);
  update ai_account a set told_thresholds = a.told_thresholds || 100::smallint where a.customer_id = p_customer;
end $$;
