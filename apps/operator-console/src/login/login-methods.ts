import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { BASE, call } from '../client/api';
import { forgetSession } from '../session';

/** Logs in with a passkey of this device, or a security key. */
export async function logInByPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>('POST', 'login/passkey/options');
  const answer = await startAuthentication({ optionsJSON: options });
  await call('POST', 'login/passkey/verify', { body: { response: answer } });
  forgetSession();
}

/** Adds a passkey of this device to the account of the session. */
export async function addPasskey(name: string): Promise<void> {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>('POST', 'passkeys/options');
  const answer = await startRegistration({ optionsJSON: options });
  await call('POST', 'passkeys', { body: { name, response: answer } });
}

/** The token of a one-time link, which the address has behind its `#`: it reaches no server's log. */
export async function logInByLink(token: string): Promise<void> {
  await call('POST', 'login/link', { body: { token } });
  forgetSession();
}

/** Leaves for the login of the organisation, which leads back. */
export function logInByOidc(): void {
  window.location.assign(`${BASE}/login/oidc`);
}

/** The same, but it asks the person again: only then the login is fresh. */
export function logInAgainByOidc(): void {
  window.location.assign(`${BASE}/login/oidc?fresh=1`);
}
