/** Waits for work to end, but no longer than that. @throws what the work throws meanwhile */
export async function endedWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
