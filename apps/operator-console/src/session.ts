import type { AuthProvider } from 'react-admin';
import { ApiError, call } from './client/api';

export type Role = 'viewer' | 'support' | 'billing' | 'admin';

export interface Session {
  account: { id: string; name: string; email: string; role: Role };
  expires_at: string;
  idle_expires_at: string;
  /** Until then money and tokens may be changed without another login. */
  fresh_until: string | null;
  login_methods: LoginMethods;
}

export interface LoginMethods {
  passkey: boolean;
  oidc: { label: string } | null;
}

let session: Promise<Session> | undefined;

/** Whose session it is; asked for once a page load and after each login. */
export const currentSession = (): Promise<Session> => (session ??= call<Session>('GET', 'session'));

export function forgetSession(): void {
  session = undefined;
}

/** What a role may do; the operator API decides, the console only hides what would be refused. */
const MAY: Record<Permission, readonly Role[]> = {
  support: ['support', 'admin'],
  billing: ['billing', 'admin'],
  admin: ['admin'],
};
export type Permission = 'support' | 'billing' | 'admin';
export const may = (role: Role | undefined, permission: Permission): boolean =>
  role !== undefined && MAY[permission].includes(role);

export const authProvider: AuthProvider = {
  // The login page does it: by link, by passkey, or by the organisation's own login.
  login: () => Promise.resolve(),
  async logout() {
    await call('POST', 'logout').catch(() => undefined);
    forgetSession();
  },
  async checkAuth() {
    try {
      await currentSession();
    } catch (error) {
      forgetSession();
      // An API that is away is no reason to log in again.
      if (error instanceof ApiError && error.status === 401) throw error;
    }
  },
  checkError(error: unknown) {
    if (!(error instanceof ApiError) || error.status !== 401) return Promise.resolve();
    forgetSession();
    return Promise.reject(new Error('Your session has ended. Log in again.'));
  },
  async getIdentity() {
    const { account } = await currentSession();
    return { id: account.id, fullName: account.name };
  },
  async getPermissions(): Promise<Role | undefined> {
    try {
      return (await currentSession()).account.role;
    } catch {
      return undefined;
    }
  },
};
