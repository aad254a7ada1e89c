import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PipelinedConnections, prepared } from '@app/database';
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

  constructor(
    private readonly pipeline: PipelinedConnections,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** Notes a valid call. */
  record({ customerId, tokenId }: AuthenticatedCustomer): void {
    const use = this.uses.get(tokenId);
    if (use) use.at = Date.now();
    else this.uses.set(tokenId, { customerId, at: Date.now() });
    this.timer ??= setTimeout(() => this.flush(), WRITE_EVERY_MS);
  }

  /** Writes what is noted. Not lost if the database is away: the next write has it. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
  }

  /** The last calls are written down before the connections close; both hooks belong to one stage, so this one waits for none. */
  async onApplicationShutdown(): Promise<void> {
    this.flush();
    await this.writing;
  }

  private async write(): Promise<void> {
    const uses = [...this.uses];
    if (uses.length === 0) return;
    this.uses = new Map();
    try {
      await this.pipeline.single(RECORD, [
        uses.map(([, { customerId }]) => customerId),
        uses.map(([tokenId]) => tokenId),
        uses.map(([, { at }]) => new Date(at)),
      ]);
    } catch (error) {
      this.logger.warn({ err: error }, 'last use of tokens could not be written yet');
      for (const [tokenId, use] of uses) if (!this.uses.has(tokenId)) this.uses.set(tokenId, use);
    }
  }
}
