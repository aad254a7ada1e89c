/** Address of the service, and the caller's records. */
export interface Environment {
  baseUrl: string;
  token: string;
  /** An invoice whose PDF can be fetched. */
  invoiceId: string;
  /** A service of the caller. */
  serviceId: number;
}

/** The values that the test passes on. */
export function environment(): Environment {
  return JSON.parse(process.env['CALLER'] ?? '') as Environment;
}

/** Reports to the test the status of each operation. */
export function report(statuses: Record<string, number>): void {
  console.log(JSON.stringify(statuses));
}
