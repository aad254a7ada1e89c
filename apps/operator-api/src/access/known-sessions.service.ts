import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sessionCookie } from './browser';

/** More people than any operator has, several times over. */
const MOST_KNOWN = 10_000;

/** Whose session each cookie was of when it came last: to tell who asks before the database is asked. It lets nobody in. */
@Injectable()
export class KnownSessionsService {
  private readonly accounts = new Map<string, string>();

  /** The account whose request this seems to be. */
  accountOf(request: FastifyRequest): string | undefined {
    const cookie = sessionCookie(request);
    return cookie === undefined ? undefined : this.accounts.get(nameOf(cookie));
  }

  /** Notes whose session a cookie is of; undefined: of none. */
  note(cookie: string, accountId: string | undefined): void {
    if (accountId === undefined) this.accounts.delete(nameOf(cookie));
    else {
      if (this.accounts.size >= MOST_KNOWN) this.accounts.clear();
      this.accounts.set(nameOf(cookie), accountId);
    }
  }
}

/** The cookie itself is a secret, which is kept nowhere. */
function nameOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64');
}
