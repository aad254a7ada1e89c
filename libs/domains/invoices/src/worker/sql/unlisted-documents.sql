-- Documents that no feed has listed since a run began, and that must be requested one by one: those with a status that the source
-- lists as unsettled ($9; $6: all documents, on a run that reads everything), and documents that could not be read before. A draft (`draft`) may disappear from the source;
-- `gone`: the source did not have it the last time either. $1 customer, $2 source, $3 the last id before, $4 when the run
-- began, $5 how many, $7 the problem of a document that the source no longer has,
-- $8 the ids of documents without an id.
select id, bool_and(draft) as draft, bool_or(gone) as gone from (
  select i.source_id as id, i.status = 'draft' as draft,
    exists (select from invoice_sync_problem p where p.customer_id = $1 and p.source = $2
      and p.source_id = i.source_id and p.detail = $7) as gone
  from invoice i
  where i.customer_id = $1 and i.source = $2 and i.source_id > $3
    and ((i.status in ('draft', 'open', 'uncollectible') and i.status = any ($9)) or $6) and (i.synced_at is null or i.synced_at < $4)
  union all
  select p.source_id, i.id is null or i.status = 'draft', p.detail = $7 from invoice_sync_problem p
  left join invoice i on i.customer_id = $1 and i.source = $2 and i.source_id = p.source_id
  where p.customer_id = $1 and p.source = $2 and p.source_id > $3 and p.seen_at < $4
    and p.source_id <> all ($8)
) unseen group by id order by id limit $5
