-- Sets the customer whose rows the API's role sees and writes, until the transaction ends. Every read runs through it.
create or replace function app.set_customer(customer uuid) returns void
language plpgsql
as $$
begin
  -- SET LOCAL, not set_config(): a distributed database passes only this on to its workers.
  execute format('set local app.customer_id = %L', customer);
end $$;
