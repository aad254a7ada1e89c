import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { ServiceError } from '@platform/errors';

/** Interval at which the database is asked for events that requests wait for: one statement for all of them. */
const LOOK_EVERY_MS = 200;

const LOOK = 'select app.customers_with_events($1::uuid[], $2::bigint[]) as customer';

/** A request that waits. */
interface Waiter {
  customerId: string;
  position: string;
  wake: (found: boolean) => void;
}

/** A request's permission to wait. */
export interface EventWait {
  /** Whether the time is over, or the caller or the process ends. */
  readonly isOver: boolean;
  /** Waits until there may be an event behind a position. @returns false if it {@link isOver} before */
  forEventBehind(position: string): Promise<boolean>;
  end(): void;
}

/** Requests that wait for events. None of them keeps a connection to the database. */
@Injectable()
export class EventWaitsService implements OnModuleDestroy {
  private readonly logger = new Logger(EventWaitsService.name);
  private readonly waiters = new Set<Waiter>();
  private readonly waiting = new Map<string, number>();
  private timer?: NodeJS.Timeout;
  private stopping = false;
  private failing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly context: CustomerContextService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Begins to wait as the customer in context, for that long at most. @param gone when the caller has gone
   * @throws ServiceError rate_limited if as many of the customer's requests wait as may
   */
  begin(ms: number, gone: AbortSignal): EventWait {
    const { customerId } = this.context;
    const already = this.waitingOf(customerId);
    if (already >= this.config.EVENT_WAITS_PER_CUSTOMER)
      throw new ServiceError('rate_limited', `${already} of your requests wait for events already`, {
        retryAfterSeconds: 1,
      });
    this.waiting.set(customerId, already + 1);
    const over = AbortSignal.any([gone, AbortSignal.timeout(ms)]);
    const isOver = () => this.stopping || over.aborted;
    return {
      get isOver() {
        return isOver();
      },
      forEventBehind: (position) => this.wait(customerId, position, over),
      end: () => this.leave(customerId),
    };
  }

  /** How many requests of a customer wait. */
  waitingOf(customerId: string): number {
    return this.waiting.get(customerId) ?? 0;
  }

  onModuleDestroy(): void {
    this.stopping = true;
    for (const waiter of this.waiters) waiter.wake(false);
    clearTimeout(this.timer);
  }

  private wait(customerId: string, position: string, over: AbortSignal): Promise<boolean> {
    if (this.stopping || over.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = () => waiter.wake(false);
      const waiter: Waiter = {
        customerId,
        position,
        wake: (found) => {
          this.waiters.delete(waiter);
          over.removeEventListener('abort', end);
          resolve(found);
        },
      };
      over.addEventListener('abort', end);
      this.waiters.add(waiter);
      this.timer ??= setTimeout(() => void this.look(), LOOK_EVERY_MS);
    });
  }

  private leave(customerId: string): void {
    const left = this.waitingOf(customerId) - 1;
    if (left > 0) this.waiting.set(customerId, left);
    else this.waiting.delete(customerId);
  }

  private async look(): Promise<void> {
    const asked = [...this.waiters];
    try {
      const positions = new Map<string, string>();
      for (const { customerId, position } of asked) {
        const least = positions.get(customerId);
        if (least === undefined || BigInt(position) < BigInt(least)) positions.set(customerId, position);
      }
      const found = await this.dataSource.query<{ customer: string }[]>(LOOK, [
        [...positions.keys()],
        [...positions.values()],
      ]);
      const customers = new Set(found.map(({ customer }) => customer));
      for (const waiter of asked) if (customers.has(waiter.customerId)) waiter.wake(true);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn({ msg: 'looking for events that requests wait for failed', err: error });
      this.failing = true;
    }
    this.timer = undefined;
    if (this.waiters.size > 0 && !this.stopping) this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS);
  }
}
