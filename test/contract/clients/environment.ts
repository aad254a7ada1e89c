/** Where the service is, and what the caller has there. */
export interface Environment {
  baseUrl: string;
  token: string;
  /** An invoice whose PDF can be fetched. */
  invoiceId: string;
  /** A service of the caller's. */
  serviceId: number;
}

/** What the test passes on. */
export function environment(): Environment {
  return JSON.parse(process.env['CALLER'] ?? '') as Environment;
}

/** Tells the test what each operation answered. */
export function report(statuses: Record<string, number>): void {
  console.log(JSON.stringify(statuses));
}
