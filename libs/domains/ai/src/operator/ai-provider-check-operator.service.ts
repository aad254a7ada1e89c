import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { AppConfig } from '@platform/config';
import { DoctorService, failed, off, type Outcome, tryCredentials, warning } from '@platform/maintenance';
import { AiSettings } from '../entities/ai-settings.entity';
import { providerHeaders, providerSettings } from '../provider-keys/provider-settings';

/** Checks whether the AI provider takes the service-wide key; without one, whether customers need it. */
@Injectable()
export class AiProviderCheckOperatorService implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly doctor: DoctorService,
  ) {}

  onModuleInit(): void {
    this.doctor.register({ section: 'ai', check: 'AI provider', look: () => this.look() });
  }

  private async look(): Promise<Outcome> {
    const { baseUrl, sharedKey, inSandbox } = providerSettings(this.config);
    if (inSandbox) return off('the sandbox answers AI messages');
    if (sharedKey !== undefined) return tryCredentials(`${baseUrl}/v1/models?limit=1`, providerHeaders(sharedKey));
    const needed = { enabled: true, keyCiphertext: IsNull() };
    const without = await this.dataSource.getRepository(AiSettings).countBy(needed);
    const detail = 'ANTHROPIC_API_KEY is missing';
    return without === 0
      ? warning(`${detail}: only customers with a key of their own can use AI`)
      : failed(`${detail}: AI messages of ${without} customers without a key of their own fail`);
  }
}
