import { useQuery } from '@tanstack/react-query';
import type { AuthProvider } from 'react-admin';
import { ApiError, call } from './client/api';
import { actAs } from './client/unknown-outcomes';
import { REFRESH_MS } from './shared/refresh';

export type Role = 'viewer' | 'support' | 'billing' | 'admin';

export interface Session {
  account: { id: string; name: string; email: string; role: Role };
  expires_at: string;
  idle_expires_at: string;
  /** For so long money and tokens may be changed without another login. */
  fresh_for_seconds: number;
  login_methods: LoginMethods;
}

export interface LoginMethods {
  passkey: boolean;
  oidc: { label: string } | null;
}

let session: Promise<Session> | undefined;

/** Whether the operator API has said that nobody is logged in, and nobody has logged in since: then there is no session to end. */
let isOver = false;

/** Whose session it is; asked for once a page load and after each login. A failure is not kept: it is asked for again. */
export function currentSession(): Promise<Session> {
  if (session !== undefined) return session;
  const read = readSession();
  session = read;
  read.catch(() => {
    if (session === read) session = undefined;
  });
  return read;
}

async function readSession(): Promise<Session> {
  const found = await call<Session>('GET', 'session');
  actAs(found.account.id);
  isOver = false;
  return found;
}

/** Reads the session again. A role that was changed meanwhile counts at once; whose page it is stays. */
async function rereadSession(): Promise<Session> {
  const found = await readSession();
  const known = await session?.catch(() => undefined);
  if (known === undefined || known.account.id === found.account.id) session = Promise.resolve(found);
  return found;
}

export function forgetSession(): void {
  session = undefined;
  isOver = false;
}

function rememberEnd(): void {
  session = undefined;
  isOver = true;
}

/** A form is its person's: for another one who has logged in meanwhile, also in another window, the page begins anew. */
export async function assertSamePerson(before: Session | undefined): Promise<void> {
  const { account } = await readSession();
  if (before === undefined || account.id === before.account.id) return;
  window.location.reload();
  // The page ends here.
  await new Promise(() => undefined);
}

/** Ends the session; once more if that fails. @throws if it has not ended as far as is known */
async function endSession(): Promise<void> {
  const end = () =>
    call('POST', 'logout').catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    });
  await end().catch(end);
}

const SESSION = ['session'] as const;

/** The session as it is: read again and again, also to notice that the operator API is away. */
export const useSession = () =>
  useQuery({
    queryKey: SESSION,
    queryFn: rereadSession,
    refetchInterval: REFRESH_MS,
    retry: false,
  });

/** The operations that need a fresh login, by the operator API's document: see `vite.config.ts`. */
declare const FRESH_LOGINS: readonly string[];
const PATTERNS = FRESH_LOGINS.map((operation) => new RegExp(`^${operation.replace(/\{\w+\}/g, '[^/]+')}$`));

/**
 * Whether the operator API would ask for another login before a request. It decides: this only spares the person a refusal, and takes
 * a login that ends until the session is read again as ended.
 */
export function wantsLogin(session: Session | undefined, method: string, path: string): boolean {
  if (session === undefined || session.fresh_for_seconds > REFRESH_MS / 1_000) return false;
  return PATTERNS.some((pattern) => pattern.test(`${method} /${path}`));
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
    if (!isOver) await endSession();
    rememberEnd();
  },
  async checkAuth() {
    try {
      await currentSession();
    } catch (error) {
      forgetSession();
      // An API that is away is no reason to log in again.
      if (!(error instanceof ApiError) || error.status !== 401) return;
      rememberEnd();
      throw error;
    }
  },
  checkError(error: unknown) {
    if (!(error instanceof ApiError) || error.status !== 401) return Promise.resolve();
    rememberEnd();
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
