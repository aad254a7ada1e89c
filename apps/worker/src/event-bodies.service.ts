import { Injectable } from '@nestjs/common';
import { type DeliveredEvent, EventBodiesPort } from '@domains/events';
import { AppConfig, customerApiAddress } from '@platform/config';
import type { Scope } from '@platform/tokens';
import { toEventDto } from '@records/event.dto';

/** Writes events as the API shows them. */
@Injectable()
export class EventBodiesService extends EventBodiesPort {
  private readonly baseUrl: string;

  constructor(config: AppConfig) {
    super();
    this.baseUrl = customerApiAddress(config);
  }

  write(event: DeliveredEvent, scopes: readonly Scope[] | null): string {
    return JSON.stringify(toEventDto(event, { scopes: scopes && new Set(scopes), baseUrl: this.baseUrl }));
  }
}
