import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, In, LessThan, MoreThanOrEqual, Raw } from 'typeorm';
import { OperatorList } from '@platform/database';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Filters of the list. */
export interface AuditQuery {
  customerId?: string;
  /** An action, such as `token.issue`, or a group of them, such as `token`. */
  action?: string;
  /** Who did it, as the log has it, such as `operator:kari`; or a person's name alone. Names of people are compared without case. */
  by?: string;
  /** Only entries since then. */
  since?: Date;
  /** Only entries before then. */
  until?: Date;
  /** Without entries of these groups of actions. */
  withoutGroups?: readonly string[];
}

/** Before the name of a person of the operator. */
const PERSON = 'operator:';

const DAY_MS = 24 * 3_600_000;
const LONGEST_TRANSACTION_MS = DAY_MS;

/** Lists the audit log for the operator. */
@Injectable()
export class AuditOperatorService {
  private readonly entries: OperatorList<AuditLogEntry, AuditQuery>;

  constructor(private readonly dataSource: DataSource) {
    this.entries = new OperatorList(dataSource, AuditLogEntry, {
      name: 'audit',
      filters: {
        customerId: 'customerId',
        action: async (name) => ({ action: await this.actionsCalled(name) }),
        by: async (name) => ({ actor: In(await this.authorsCalled(name)) }),
        // By the ids as well, which begin with the time and have an index. One is made up to a transaction's length after the entry's time.
        since: (since) => ({
          createdAt: MoreThanOrEqual(since),
          id: Raw((id) => `${id} >= app.first_id(:idsSince)`, { idsSince: since }),
        }),
        until: (until) => ({
          createdAt: LessThan(until),
          id: Raw((id) => `${id} < app.first_id(:idsUntil)`, {
            idsUntil: new Date(until.getTime() + LONGEST_TRANSACTION_MS),
          }),
        }),
        withoutGroups: (groups) => [`split_part(t.action, '.', 1) <> all(:groups)`, { groups }],
      },
      orders: { created_at: { by: 't.id', kind: 'uuid' } },
    });
  }

  /** Entries, newest first. */
  list(query: AuditQuery, listing: ListingRequest): Promise<Listing<AuditLogEntry>> {
    return this.entries.list(query, listing);
  }

  /** A page of the entries, newest first; with the number of all. */
  inbox(filter: AuditQuery, request: InboxRequest): Promise<InboxPage<AuditLogEntry>> {
    return this.entries.inbox(filter, request);
  }

  /** The actions that there are entries of, in the order of their names. */
  actions(): Promise<string[]> {
    return this.valuesOf('action');
  }

  /**
   * Who made the records of a customer: the authors of the entries since a time, by the id that their details have as `by`.
   * @param since the time of the first record; one that was put behind others may have a later time than its entry, so that entries
   * of the day before are looked at, too
   * @param where what the details have besides
   */
  async authors({
    customerId,
    actions,
    since,
    where,
    by,
  }: {
    customerId: string;
    actions: readonly string[];
    since: Date;
    where: Record<string, string>;
    by: string;
  }): Promise<Map<string, string>> {
    const rows = await this.dataSource.query<{ record: string; actor: string }[]>(
      `select metadata ->> $5 as record, actor from audit_log
       where customer_id = $1 and action = any($2) and id >= app.first_id($3) and metadata @> $4`,
      [customerId, actions, new Date(since.getTime() - DAY_MS), JSON.stringify(where), by],
    );
    return new Map(rows.map(({ record, actor }) => [record, actor]));
  }

  private async actionsCalled(name: string): Promise<FindOptionsWhere<AuditLogEntry>['action']> {
    if (name.includes('.')) return name;
    return In((await this.actions()).filter((action) => action === name || action.startsWith(`${name}.`)));
  }

  /** The authors of entries that have a name: people may be called otherwise than they are written here. */
  private async authorsCalled(name: string): Promise<string[]> {
    // No person's name has a colon.
    const person = name.includes(':') ? name : PERSON + name;
    if (!person.startsWith(PERSON)) return [name];
    const people = await this.valuesOf('actor', PERSON);
    return [name, ...people.filter((one) => one.toLowerCase() === person.toLowerCase())];
  }

  /** The values that a column of the entries has, in their order. Each is one look into the index, however many entries it has. */
  private async valuesOf(column: 'action' | 'actor', prefix = ''): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const [next] = await this.dataSource.query<{ value: string }[]>(
        `select ${column} as value from audit_log where ${column} > $1 order by ${column} limit 1`,
        [found.at(-1) ?? prefix],
      );
      if (!next?.value.startsWith(prefix)) return found;
      found.push(next.value);
    }
  }
}
