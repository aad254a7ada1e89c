import type { EntityManager } from 'typeorm';
import type { InvoiceSource, InvoiceType } from '../../invoice-record';

/** A document and the number that it bears. */
export interface NumberedDocument {
  type: InvoiceType;
  number: string;
  /** The source's own id of it. */
  sourceId: string;
}

const NUMBERED_DOCUMENTS = 'jsonb_to_recordset($2::jsonb) as v (type text, number text, source_id text)';
// In an order, so that transactions which want the same numbers wait for each other and do not lock each other out.
const CLAIM = `insert into invoice_number (source, type, number, source_id)
  select $1, v.type, v.number, v.source_id from ${NUMBERED_DOCUMENTS} order by v.type, v.number on conflict do nothing`;
const TAKEN = `select v.source_id from ${NUMBERED_DOCUMENTS}
  join invoice_number n on n.source = $1 and n.type = v.type and n.number = v.number and n.source_id <> v.source_id`;

/**
 * Claims the numbers of a source's documents within the caller's transaction. Claiming again what a document has is fine.
 * @returns the source's ids of those whose number another document bears, whoever its customer is: they must not be stored.
 */
export async function claimInvoiceNumbers(
  manager: EntityManager,
  source: InvoiceSource,
  documents: NumberedDocument[],
): Promise<Set<string>> {
  if (documents.length === 0) return new Set();
  const numbers = documents.map(({ type, number, sourceId }) => ({ type, number, source_id: sourceId }));
  const parameters = [source, JSON.stringify(numbers)];
  await manager.query(CLAIM, parameters);
  const taken = await manager.query<{ source_id: string }[]>(TAKEN, parameters);
  return new Set(taken.map(({ source_id }) => source_id));
}
