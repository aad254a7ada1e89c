import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  EntityWritesService,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { EventEntity } from '../entities/event.entity';
import { EventPosition } from '../entities/event-position.entity';
import type { CustomerEventType } from '../event-types';
import { EventWaitsService } from './event-waits.service';

/** Days for which events can be read. */
const EVENT_DAYS = 30;

/** Positions that one read looks through: with a filter that few events meet, a read would have no end otherwise. */
const LOOKED_THROUGH = 2000n;

/** Bytes of records at which a page ends before its limit: with the event that reaches them. */
const PAGE_BYTES = 256 * 1024;

const POSITION = /^\d{1,18}$/;

/** The fields of an event that are shown, or made into what is shown. */
const EVENT = ['id', 'type', 'reference', 'record', 'createdAt', 'position'] as const satisfies (keyof EventEntity)[];

/** An event as it is read from the log. */
export type EventRow = Omit<ReadRow<EventEntity, (typeof EVENT)[number]>, 'type' | 'position'> & {
  type: CustomerEventType;
  position: string;
};

/** An event of a page, with the number of those that the page would have but for its bytes. */
type FoundEvent = EventRow & { found: number };

/** What is asked for. */
export interface EventRequest {
  /** The position behind which events are wanted; undefined for the oldest. */
  after?: string;
  types?: readonly CustomerEventType[];
  limit: number;
}

/** Events in their order. */
export interface EventPage {
  events: EventRow[];
  /** The position behind which the next ones are. */
  position: string;
  /** Whether there are more already. */
  more: boolean;
}

/** Where a customer's log begins and ends. */
interface LogBounds {
  /** The last position. */
  last: string | null;
  /** That of the event with the oldest id that is shown. Events beside it may have lower ones: those that were committed before it. */
  first: string | null;
  /** Whether an event has no position yet. */
  unsequenced: boolean;
}

/** The customer's own events, oldest first. */
@Injectable()
export class EventsService {
  private readonly bounds: ReadStatement<LogBounds>;
  private readonly page: ReadStatement<FoundEvent>;
  private readonly sequence;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly waits: EventWaitsService,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    const event = reads.table(EventEntity, 'e');
    const position = reads.table(EventPosition, 'p');
    const [customer, id, place] = [event.column('customerId'), event.column('id'), event.column('position')];
    const shown = `${id} >= app.first_id(app.now() - interval '${EVENT_DAYS} days')`;
    this.bounds = reads.statement<LogBounds>(
      'events.bounds',
      `select (select ${position.column('last')} from ${position.from} where ${position.column('customerId')} = $1) as last,
        (select ${place} from ${event.from} where ${customer} = $1 and ${shown} and ${place} is not null order by ${id} limit 1) as first,
        exists (select from ${event.from} where ${customer} = $1 and ${place} is null) as unsequenced`,
      { last: decoders.text, first: decoders.text, unsequenced: decoders.boolean },
    );
    const names = EVENT.map((name) => `"${name}"`).join(', ');
    this.page = reads.define<FoundEvent>({
      name: 'events.page',
      text: `select ${names}, found from (
          select page.*, count(*) over () as found,
            sum(octet_length(record::text)) over (order by position rows between unbounded preceding and 1 preceding) as before
          from (
            select ${event.select(EVENT)} from ${event.from}
            where ${customer} = $1 and ${place} > $2::bigint and ${place} <= $3::bigint and ${shown}
              and ($4::text[] is null or ${event.column('type')} = any ($4::text[])) and not ${event.column('operatorOnly')}
            order by ${place} limit $5) page) page
        where before is null or before < ${PAGE_BYTES} order by position`,
      columns: [...event.columns<keyof EventRow>(EVENT), ['found', decoders.number]],
    });
    this.sequence = writes.call({
      name: 'events.sequence',
      calls: 'app.sequence_events',
      parameters: {},
      returns: { result: decoders.number },
    });
  }

  /**
   * Events behind a position. If there are none, waits for some; a long log of other types is looked through for as long.
   * @param waiting how long at most, and when the caller has gone
   * @throws ServiceError invalid_request for a position that the log did not give; rate_limited if too many wait already
   */
  async list(request: EventRequest, waiting?: { ms: number; gone: AbortSignal }): Promise<EventPage> {
    let page = await this.read(request);
    if (!waiting || waiting.ms === 0 || page.events.length > 0) return page;
    const wait = this.waits.begin(waiting.ms, waiting.gone);
    try {
      // With a filter the log may go on and none of its events be asked for.
      while (page.events.length === 0 && !wait.isOver && (page.more || (await wait.forEventBehind(page.position))))
        page = await this.read({ ...request, after: page.position });
      return page;
    } finally {
      wait.end();
    }
  }

  private async read({ after, types, limit }: EventRequest): Promise<EventPage> {
    const { first, last, unsequenced } = await this.findBounds();
    // A position beyond the last one is of a log that was restored since.
    if (after !== undefined && (!POSITION.test(after) || BigInt(after) > last)) {
      const detail = 'cursor must be a next_cursor of this list, sent back as it is';
      throw new ServiceError('invalid_request', detail, { errors: [{ pointer: '/cursor', detail }] });
    }
    // Positions of events that are shown no longer are passed over, but not those near the first one.
    const from = max(BigInt(after ?? 0), first - LOOKED_THROUGH);
    const to = min(max(from, first) + LOOKED_THROUGH, last);
    const filter = types && `{${types.join(',')}}`;
    const rows = from === to ? [] : await this.database.read(this.page, [String(from), String(to), filter, limit]);
    const isWhole = rows.length < limit && rows.length === (rows[0]?.found ?? 0);
    const reached = isWhole ? to : BigInt(rows.at(-1)?.position ?? to);
    const events = rows.map(({ found: _, ...event }) => event);
    return { events, position: String(reached), more: reached < last || unsequenced };
  }

  /** Gives positions to the events that have none before; of very many only to the first ones. */
  private async findBounds(): Promise<{ first: bigint; last: bigint; unsequenced: boolean }> {
    let [bounds] = await this.database.read(this.bounds);
    if (bounds?.unsequenced) {
      await this.database.write([this.sequence({})]);
      [bounds] = await this.database.read(this.bounds);
    }
    const last = BigInt(bounds?.last ?? 0);
    const unsequenced = bounds?.unsequenced ?? false;
    return { first: bounds?.first ? BigInt(bounds.first) - 1n : last, last, unsequenced };
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
