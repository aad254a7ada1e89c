/** What a customer's provider key is sealed for: nobody else's opens in its place. */
export function keyPurpose(customerId: string): string {
  return `ai-key:${customerId}`;
}
