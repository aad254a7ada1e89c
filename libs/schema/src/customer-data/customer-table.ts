/** What an erasure does with a customer's rows of a table, and what of them is nobody's business in an export. */
export interface CustomerTable {
  table: string;
  /** The column that names the customer, if it is not `customer_id`. */
  customerColumn?: string;
  erase: Erasure;
  /** Columns that an export leaves out: secrets, and what only the program understands. */
  hides?: readonly string[];
}

/**
 * - `delete`: the rows go. `atOnce`: in one statement, because the rows refer to one another; for tables with few rows of each customer.
 * - `blank`: the rows stay, for the books or as evidence, and lose what could be somebody's: each column gets a value (SQL).
 *   `keeps` names every other column of text or JSON, which must not have anything personal. `except`: rows that stay whole.
 */
export type Erasure =
  | { how: 'delete'; atOnce?: true }
  | { how: 'blank'; blanks: Readonly<Record<string, string>>; keeps: readonly string[]; except?: string };
