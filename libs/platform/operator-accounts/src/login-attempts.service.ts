import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OperatorLoginAttempt } from './entities/operator-login-attempt.entity';
import { hashOfSecret, isSecret, newSecret } from './secret-text';

/** How long a login may take. */
const ATTEMPT_MINUTES = 10;

/** Logins that wait for the answer of an authenticator or an identity provider: in the database, so that any replica takes it. */
@Injectable()
export class LoginAttemptsService {
  constructor(private readonly dataSource: DataSource) {}

  /** Keeps what the answer will be compared with. @returns the secret for the browser's cookie */
  async begin(expected: Record<string, string>): Promise<string> {
    const secret = newSecret();
    await this.dataSource.query('delete from operator_login_attempt where expires_at < app.now()');
    await this.dataSource.query(
      `insert into operator_login_attempt (token_hash, expected, expires_at)
       values ($1, $2, app.now() + interval '${ATTEMPT_MINUTES} minutes')`,
      [secret.hash, JSON.stringify(expected)],
    );
    return secret.text;
  }

  /** What was kept for this browser, once; undefined if there is nothing, or it took too long. */
  async end(cookie: string | undefined): Promise<OperatorLoginAttempt['expected'] | undefined> {
    if (cookie === undefined || !isSecret(cookie)) return undefined;
    const [rows] = await this.dataSource.query<[Pick<OperatorLoginAttempt, 'expected'>[], number]>(
      `delete from operator_login_attempt where token_hash = $1 and expires_at > app.now() returning expected`,
      [hashOfSecret(cookie)],
    );
    return rows[0]?.expected;
  }
}
