-- The names of some of a customer's tokens. The API may not read the tokens' table: it has their hashes. Only the customer that
-- the transaction is set to is answered, whatever the statement says.
create or replace function app.token_names(p_customer uuid, p_tokens uuid[]) returns table (token_id uuid, name text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.id, t.name from service_token t
  where t.customer_id = p_customer and t.id = any (p_tokens)
    and t.customer_id = nullif(current_setting('app.customer_id', true), '')::uuid;
end
$$
