/**
 * The only place of this app that reads the environment. The sandbox accepts any credential, so it must not run in
 * production. It does not use the project's configuration because the check must work even if that configuration is
 * broken or absent.
 */
export function refuseInProduction(): void {
  // eslint-disable-next-line no-restricted-properties -- see above
  if (process.env.NODE_ENV === 'production') {
    throw new Error('The sandbox upstreams refuse to start when NODE_ENV=production.');
  }
}
