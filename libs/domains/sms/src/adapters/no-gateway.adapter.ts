import { type SendOutcome, SmsGateway } from '../ports/sms-gateway.port';

/** Used if the operator has configured no gateway. */
export class NoGatewayAdapter extends SmsGateway {
  readonly name = 'none';

  unsupported(): undefined {
    return undefined;
  }

  send(): Promise<SendOutcome> {
    return Promise.resolve({ kind: 'unreachable', errorCode: 'gateway_not_configured' });
  }
}
