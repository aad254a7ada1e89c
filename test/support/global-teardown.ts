/** Ends what the global set-up made. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.endTestServer?.();
}
