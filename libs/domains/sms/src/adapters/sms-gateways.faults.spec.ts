import {
  CREDENTIAL,
  describeUpstreamFaults,
  type FaultyAdapter,
} from '@test/suites/upstream-faults/upstream-faults.suite';
import { rawReply } from '@test/raw-server';
import { createGateway } from './create-gateway';

const sms = { customerId: 'c', reference: 'r', to: '+4790000000', senderId: 'Acme', message: 'Hello' };
const common: Pick<FaultyAdapter, 'deadline' | 'open' | 'judge' | 'attempts'> & {
  expected: FaultyAdapter['expected'];
} = {
  deadline: 'SMS_GATEWAY_TIMEOUT_MS',
  open: (config, clients) => {
    const gateway = createGateway(config, clients);
    return () => gateway.send(sms);
  },
  judge: (result) => (result as { kind?: string }).kind ?? 'thrown',
  attempts: 3,
  // `unreachable` and `refused` say for certain that nothing was sent; after `unknown` the message must not be sent
  // again.
  expected: {
    ok: 'taken',
    unsent: 'unreachable',
    lost: 'unknown',
    unreadable: 'unknown',
    no_content: 'unknown',
    account_refused: 'unreachable',
    turned_away: 'unreachable',
    closed_for_now: 'unreachable',
    refused: 'refused',
    gave_up_for_now: 'unknown',
    gave_up: 'unknown',
    failed: 'unknown',
  },
};

describeUpstreamFaults('46elks', {
  ...common,
  settings: (address) => ({
    SMS_GATEWAY: '46elks',
    ELKS_URL: address,
    ELKS_USERNAME: 'user',
    ELKS_PASSWORD: CREDENTIAL,
  }),
  good: rawReply(200, '{"id":"s1","status":"created"}'),
});

describeUpstreamFaults('LINK Mobility', {
  ...common,
  settings: (address) => ({
    SMS_GATEWAY: 'link-mobility',
    LINK_URL: address,
    LINK_USERNAME: 'user',
    LINK_PASSWORD: CREDENTIAL,
  }),
  good: rawReply(200, '{"messageId":"m1","resultCode":1005}'),
  expected: { ...common.expected, no_content: 'taken' },
});
