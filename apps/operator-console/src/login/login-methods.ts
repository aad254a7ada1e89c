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

const LOGINS = 'operator-login';

/**
 * The same, but it asks the person again: only then the login is fresh. In a window of its own, so that the page keeps its form. The
 * pages' Cross-Origin-Opener-Policy leaves no tie between the two: a channel of this origin tells of the login. @param form the id of
 * the form that waits for it
 */
export function logInAgainByOidc(form: string): void {
  const opened = window.open(`${BASE}/login/oidc?fresh=${form}`, LOGINS, 'popup,width=520,height=720');
  if (opened === null) throw new Error('The browser has opened no window for the login: allow this page to open one.');
}

/** Calls back when a person has logged in in another window, with the id of the form that the login is for. @returns the end of it */
export function onLoginElsewhere(callback: (form: unknown) => void): () => void {
  const channel = new BroadcastChannel(LOGINS);
  channel.onmessage = ({ data }) => {
    forgetSession();
    callback(data);
  };
  return () => channel.close();
}

/** Tells the other windows that a person has logged in here, for a form of one of them. */
export function tellOfLogin(form: string | null): void {
  const channel = new BroadcastChannel(LOGINS);
  channel.postMessage(form);
  channel.close();
}
