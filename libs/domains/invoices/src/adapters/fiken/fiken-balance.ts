/** What of an invoice tells what is still to be paid on it. */
export interface FikenAmounts {
  currency: string;
  gross: number;
  grossInNok?: number | null;
  sale?: {
    totalPaid?: number | null;
    totalPaidInCurrency?: number | null;
    outstandingBalance?: number | null;
  } | null;
}

/**
 * What is still to be paid on an unsettled invoice, in hundredths of its currency. Fiken keeps balance and payments in NOK,
 * and in another currency only what was paid: a balance in NOK is no amount of an invoice in euros, whatever the rate.
 */
export function fikenBalance({ currency, gross, grossInNok, sale }: FikenAmounts): number {
  const balance = sale?.outstandingBalance;
  if (currency === 'NOK') return balance ?? gross - (sale?.totalPaid ?? 0);
  // Credited or paid in full, or beyond it: that much the balance says in any currency.
  if (balance !== undefined && balance !== null && balance <= 0) return 0;
  if (balance !== undefined && balance !== null && balance === grossInNok) return gross;
  return gross - (sale?.totalPaidInCurrency ?? 0);
}
