-- Adds an item to a queue as pg-boss's own insert does, within the transaction that calls this: they commit together. An item with the
-- same key that waits (or is in progress, as the queue's policy says) takes its place. p_group: items of one group share places; null for
-- none. Nothing is added before a worker has made the queue, so callers look for what is left over as well.
create or replace function app.enqueue(p_queue text, p_key text, p_group text) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if to_regclass('pgboss.job') is null then
    return;
  end if;
  insert into pgboss.job (name, data, singleton_key, group_id, policy, expire_seconds, deletion_seconds, keep_until, heartbeat_seconds,
    retry_limit, retry_delay, retry_backoff, retry_delay_max, dead_letter)
  select q.name, jsonb_build_object('key', p_key), p_key, p_group, q.policy, q.expire_seconds, q.deletion_seconds,
    now() + q.retention_seconds * interval '1 second', q.heartbeat_seconds, q.retry_limit, q.retry_delay, coalesce(q.retry_backoff, false),
    q.retry_delay_max, q.dead_letter
  from pgboss.queue q where q.name = p_queue
  on conflict do nothing;
end $$;
