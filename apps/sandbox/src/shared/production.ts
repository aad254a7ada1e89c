/**
 * The one place of this app that looks at the environment: the stand-ins take any credential and answer whatever the
 * caller asks them to, so nothing of them may run where real customers are. It is read here and not through the
 * project's configuration because the lock must hold even when that configuration is broken or absent.
 */
export function refuseInProduction(): void {
  // eslint-disable-next-line no-restricted-properties -- see above
  if (process.env.NODE_ENV === 'production') {
    throw new Error('The sandbox upstreams refuse to start when NODE_ENV=production.');
  }
}
