-- The one clock: whatever is booked, expired or due is decided by it. The instant at which the transaction began, so all
-- that one transaction writes has one time. Plain SQL, so that PostgreSQL puts its body in place of the call, at no cost.
-- Tests replace the function in their own database; no login of the service may.
create function app.now() returns timestamptz language sql stable parallel safe as $$
  select now()
$$
