import type { Scenario } from '../scenario';
import type { WatchedService } from '../watched-service';

/** The provider is overloaded. */
export function overloadedProvider(service: WatchedService): Scenario {
  return {
    cause: 'the AI provider answers 529',
    alerts: [
      { alert: 'UpstreamFails', labels: { upstream: 'ai-provider' } },
      { alert: 'UpstreamCircuitOpen', labels: { upstream: 'ai-provider' } },
    ],
    meanwhile: () => service.ask(0, '[[sandbox:status=529]]'),
    afterwards: () => service.ask(0, 'Hello'),
  };
}

/** The provider, and every other system, refuses connections. */
export function stoppedProvider(service: WatchedService): Scenario {
  return {
    cause: 'the AI provider refuses connections',
    alerts: [
      { alert: 'UpstreamFails', labels: { upstream: 'ai-provider' } },
      { alert: 'UpstreamCircuitOpen', labels: { upstream: 'ai-provider' } },
    ],
    provoke: () => service.sandbox.refuseConnections(),
    meanwhile: () => service.ask(0, 'Hello'),
    mend: () => service.sandbox.acceptConnections(),
    afterwards: () => service.ask(0, 'Hello'),
  };
}

/** The provider does not know our key. */
export function refusedKey(service: WatchedService): Scenario {
  return {
    cause: 'the AI provider answers 401',
    alerts: [{ alert: 'UpstreamRefuses', labels: { upstream: 'ai-provider' } }],
    meanwhile: () => service.ask(1, '[[sandbox:status=401]]'),
    afterwards: () => service.ask(1, 'Hello'),
  };
}

/** The SMS gateway has no credit left for us. */
export function refusedSms(service: WatchedService): Scenario {
  const send = () => service.call(0, '/sms/send', { to: '+4790000000', message: 'Hello' });
  return {
    cause: 'the SMS gateway answers 403',
    alerts: [{ alert: 'SmsFail' }],
    provoke: () => Promise.resolve(service.sandbox.elks46.always({ status: 403 })),
    meanwhile: send,
    mend: () => Promise.resolve(service.sandbox.elks46.always()),
    afterwards: send,
  };
}
