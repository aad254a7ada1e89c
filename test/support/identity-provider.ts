import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port';

/** An identity provider, and the settings of an operator API that logs people in with it. */
export interface TestIdentityProvider {
  settings: Record<string, string>;
  stop(): void;
}

/** Starts a provider, of a well-known library, with the people of `test/oidc`. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  spawnSync(process.execPath, ['test/support/install-if-stale.mjs', 'test/oidc'], { stdio: 'inherit' });
  const [providerPort, port] = [await freePort(), await freePort()];
  // Its issuer ends with a slash, as those of some providers do: it is another one without.
  const issuer = `http://localhost:${providerPort}/application/o/console/`;
  const callback = `http://localhost:${port}/operator/v1/login/oidc/callback`;
  const options = { execArgv: [], silent: true };
  const provider = fork('test/oidc/provider.mjs', [issuer, callback], options);
  await once(provider, 'message');
  return {
    settings: {
      OPERATOR_PORT: String(port),
      OPERATOR_OIDC_ISSUER: issuer,
      OPERATOR_OIDC_CLIENT_ID: 'console',
      OPERATOR_OIDC_CLIENT_SECRET: 'a-secret-of-the-console-and-the-provider',
      OPERATOR_OIDC_LABEL: 'Fjord ID',
    },
    stop: () => void provider.kill(),
  };
}
