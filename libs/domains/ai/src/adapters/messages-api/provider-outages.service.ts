import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Tells the operator, as an event, that the AI provider does not answer: once for all processes and for repeated trials. */
@Injectable()
export class ProviderOutagesService {
  private readonly logger = new Logger(ProviderOutagesService.name);

  constructor(private readonly dataSource: DataSource) {}

  async tell(): Promise<void> {
    try {
      await this.dataSource.query('select app.announce_ai_upstream_down()');
    } catch (error) {
      this.logger.warn({ msg: 'the event of an AI provider that does not answer could not be written', err: error });
    }
  }
}
