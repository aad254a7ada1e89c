import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isTransientFailure, PipelinedConnectionsService, prepared, retryTransient } from '@platform/database';

const WRITE_EVERY_MS = 1000;
const RETRY_MS = 250;
/** How long the last write is retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5000;
/** Maximum number of pending tokens; above it further uses are dropped. */
const CAPACITY = 50_000;
const RECORD = prepared('tokens.record-use', 'select app.record_token_uses($1, $2)');

/** Records when tokens were last used: every valid call counts, with one statement per second for all of them. */
@Injectable()
export class TokenUseRecorderService implements OnApplicationShutdown {
  private readonly logger = new Logger(TokenUseRecorderService.name);
  /** When each token was last used, by the base64 text of its hash. */
  private uses = new Map<string, number>();
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly pipeline: PipelinedConnectionsService) {}

  /** Records a valid call. @param hash of its token, as base64 text */
  record(hash: string): void {
    if (this.uses.size < CAPACITY || this.uses.has(hash)) this.uses.set(hash, performance.now());
    this.schedule();
  }

  /** Writes the recorded uses. If the database is unavailable, it retries every second. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
  }

  /** Stores the last calls: Nest closes the database, a global module, after all others. */
  async onApplicationShutdown(): Promise<void> {
    const retries = { pauseMs: RETRY_MS, forMs: SHUTDOWN_RETRY_MS };
    this.writing = this.writing
      .then(() => retryTransient(() => this.store(), retries))
      .catch((error: unknown) =>
        this.logger.error({ msg: 'last use of tokens is lost', err: error, tokens: this.uses.size }),
      );
    await this.writing;
    clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    try {
      await this.store();
    } catch (error) {
      this.logger.warn({ msg: 'last use of tokens could not be written yet', err: error });
      this.schedule();
    }
  }

  /** Stores the recorded uses. @throws if the database is unavailable; they stay recorded */
  private async store(): Promise<void> {
    // Always in the same order: two replicas that write the same tokens must not deadlock.
    const uses = [...this.uses].sort(([a], [b]) => (a < b ? -1 : 1));
    if (uses.length === 0) return;
    this.uses = new Map();
    const now = performance.now();
    try {
      await this.pipeline.single(RECORD, [
        uses.map(([hash]) => Buffer.from(hash, 'base64')),
        uses.map(([, at]) => now - at),
      ]);
    } catch (error) {
      if (!isTransientFailure(error)) {
        // Not retried: the database would refuse it again and again, with everything recorded since.
        this.logger.error({ msg: 'last use of tokens could not be written', err: error });
        return;
      }
      for (const [hash, at] of uses) if (!this.uses.has(hash)) this.uses.set(hash, at);
      throw error;
    }
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), WRITE_EVERY_MS);
  }
}
