import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ExpiringTokensService } from '@domains/events';
import { UnconfirmedSmsService } from '@domains/sms';
import { BegunStatusEventsService } from '@domains/status';
import { JobRunnerService } from '@platform/jobs';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The scheduled jobs that write events of what happens by itself: a time comes. */
@Injectable()
export class EventJobs implements OnModuleInit {
  private readonly logger = new Logger(EventJobs.name);

  constructor(
    private readonly runner: JobRunnerService,
    private readonly tokens: ExpiringTokensService,
    private readonly status: BegunStatusEventsService,
    private readonly sms: UnconfirmedSmsService,
  ) {}

  onModuleInit(): void {
    this.runner.register({
      name: 'events.begun-status-events',
      everyMs: 10 * SECOND,
      leaseMs: MINUTE,
      run: async (signal) => void (await this.status.announce(signal)),
    });
    this.runner.register({
      name: 'events.expiring-tokens',
      everyMs: 10 * MINUTE,
      leaseMs: 10 * MINUTE,
      run: async (signal) => void (await this.tokens.announce(signal)),
    });
    this.runner.register({
      name: 'events.unconfirmed-sms',
      everyMs: 5 * SECOND,
      leaseMs: MINUTE,
      run: async (signal) => {
        const count = await this.sms.giveUp(signal);
        if (count > 0)
          this.logger.warn({ msg: 'SMS without an outcome: their process died while it sent them', count });
      },
    });
  }
}
