/** Stops what the global set-up started. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestServer?.();
}
