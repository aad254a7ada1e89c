import { Injectable } from '@nestjs/common';
import { ServicesOperatorService } from '@domains/services';
import { TicketsOperatorService } from '@domains/support';
import type { AuditLogEntry } from '@platform/audit';
import type { InboxPage } from '@platform/pagination';
import { TokensOperatorService } from '@platform/tokens';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the names of tokens, tickets and services to audit entries, which have their ids. */
@Injectable()
export class AuditedNamesService {
  constructor(
    private readonly tokens: TokensOperatorService,
    private readonly tickets: TicketsOperatorService,
    private readonly services: ServicesOperatorService,
  ) {}

  async addTo<Row extends Pick<AuditLogEntry, 'actor' | 'metadata'>>(
    page: InboxPage<Row>,
  ): Promise<InboxPage<Row & { names: Record<string, string> }>> {
    const valuesOf = (row: Row, names: string[]) => names.map((name) => row.metadata[name]);
    const uuids = (values: unknown[]) => [...new Set(values.filter((value) => UUID.test(String(value))))] as string[];
    const tokensOf = (row: Row) =>
      uuids([row.actor.replace(/^token:/, ''), ...valuesOf(row, ['token_id', 'new_token_id'])]);
    const ticketsOf = (row: Row) => uuids(valuesOf(row, ['ticket_id']));
    const servicesOf = (row: Row) => valuesOf(row, ['service_id']).filter((id) => Number.isInteger(id)) as number[];
    const all = <Id>(idsOf: (row: Row) => Id[]) => [...new Set(page.items.flatMap(idsOf))];
    const [tokens, tickets, services] = await Promise.all([
      this.tokens.namesOf(all(tokensOf)),
      this.tickets.titlesOf(all(ticketsOf)),
      this.services.namesOf(all(servicesOf)),
    ]);
    const nameOfToken = (id: string) => {
      const token = tokens.get(id);
      return token && (token.name ?? token.fingerprint);
    };
    return page.map((row) => {
      const names = [
        ...tokensOf(row).map((id) => [id, nameOfToken(id)]),
        ...ticketsOf(row).map((id) => [id, tickets.get(id)]),
        ...servicesOf(row).map((id) => [String(id), services.get(id)]),
      ].filter(([, name]) => name !== undefined) as [string, string][];
      return Object.assign(row, { names: Object.fromEntries(names) });
    });
  }
}
