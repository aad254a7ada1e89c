import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, decoders, readStatement } from '@platform/database';

const TOKEN_NAMES = readStatement<{ id: string; name: string | null }>(
  'tokens.names',
  'select token_id, name from app.token_names($1, $2)',
  { id: decoders.text, name: decoders.text },
);

/** The names that the operator gave to the customer's tokens. */
@Injectable()
export class TokenNamesService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /** The names by the tokens' ids, null for tokens without one. Other customers' tokens are not found. */
  async namesOf(tokenIds: Iterable<string>): Promise<ReadonlyMap<string, string | null>> {
    const ids = [...new Set(tokenIds)];
    if (ids.length === 0) return new Map();
    const rows = await this.database.read(TOKEN_NAMES, [`{${ids.join(',')}}`]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
