import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable, PipelinedConnections, prepared } from '@app/database';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';
import type { AuthenticatedCustomer } from '../authenticated-customer';

const WRITE_EVERY_MS = 1000;
const RECORD = prepared('access.record-token-use', 'select app.record_token_use($1, $2, $3)');

/** Writes down when tokens were last used: every valid call counts, in one statement a second for all of them. */
@Injectable()
export class TokenUseRecorder implements OnApplicationShutdown {
  private uses = new Map<string, { customerId: string; at: number }>();
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly pipeline: PipelinedConnections,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** Notes a valid call. */
  record({ customerId, tokenId }: AuthenticatedCustomer): void {
    const use = this.uses.get(tokenId);
    if (use) use.at = Date.now();
    else this.uses.set(tokenId, { customerId, at: Date.now() });
    this.schedule();
  }

  /** Writes what is noted. Not lost if the database is away: it is tried again every second. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
  }

  /** The last calls are written down here: Nest closes the database, a global module, after all others. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.flush();
    await this.writing;
  }

  private async write(): Promise<void> {
    // In one order everywhere: two replicas that write the same tokens must not wait for each other.
    const uses = [...this.uses].sort(([a], [b]) => (a < b ? -1 : 1));
    if (uses.length === 0) return;
    this.uses = new Map();
    try {
      await this.pipeline.single(RECORD, [
        uses.map(([, { customerId }]) => customerId),
        uses.map(([tokenId]) => tokenId),
        uses.map(([, { at }]) => new Date(at)),
      ]);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) {
        // Kept, what the database refuses would be refused for ever, and everything noted since with it.
        this.logger.error({ err: error }, 'last use of tokens could not be written');
        return;
      }
      this.logger.warn({ err: error }, 'last use of tokens could not be written yet');
      for (const [tokenId, use] of uses) if (!this.uses.has(tokenId)) this.uses.set(tokenId, use);
      if (!this.stopped) this.schedule();
    }
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), WRITE_EVERY_MS);
  }
}
