/** An amount in minor units that differs from one invoice to the next and is the same in every run. */
export function seededAmount(index: number): number {
  return 10_000 + ((index * 7919) % 990_000);
}
