import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { DoctorService, off, type Outcome, tryConnection } from '@platform/maintenance';
import { gatewayAccess } from '../adapters/create-gateway';

/** Checks whether the SMS gateway can be reached. A request with the credentials could send something: none is made. */
@Injectable()
export class SmsGatewayCheckOperatorService implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly doctor: DoctorService,
  ) {}

  onModuleInit(): void {
    this.doctor.register({ section: 'sms', check: 'SMS gateway', look: () => this.look() });
  }

  private async look(): Promise<Outcome> {
    const access = gatewayAccess(this.config);
    if (!access) return off(`${this.config.SMS_GATEWAY} has no credentials`);
    return access.inSandbox ? off('the sandbox takes SMS') : tryConnection(access.url);
  }
}
