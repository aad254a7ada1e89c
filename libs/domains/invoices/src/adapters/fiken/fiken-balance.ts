/** The fields of an invoice that determine its unpaid amount. */
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
 * The unpaid amount of an unsettled invoice, in hundredths of its currency. Fiken gives balance and payments in NOK,
 * and in another currency only what was paid: a balance in NOK is not an amount of an invoice in euros, whatever the
 * rate.
 */
export function fikenBalance({ currency, gross, grossInNok, sale }: FikenAmounts): number {
  const balance = sale?.outstandingBalance;
  if (currency === 'NOK') return balance ?? gross - (sale?.totalPaid ?? 0);
  // Credited or paid in full, or more: a balance of zero or less says so in any currency.
  if (balance !== undefined && balance !== null && balance <= 0) return 0;
  if (balance !== undefined && balance !== null && balance === grossInNok) return gross;
  return gross - (sale?.totalPaidInCurrency ?? 0);
}
