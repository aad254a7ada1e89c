import { loadConfig } from '@platform/config';
import { mostConnections } from './connection-limit';

describe('mostConnections', () => {
  const config = loadConfig({});

  it('leaves descriptors for the database, and half of the rest for upstreams', () => {
    expect(mostConnections(config, 256)).toBe(85);
    expect(mostConnections(config, 1024)).toBe(469);
  });

  it('is what the settings say where there are enough', () => {
    expect(mostConnections(config, 1_000_000)).toBe(config.CLIENT_CONNECTIONS);
    expect(mostConnections(config, Infinity)).toBe(config.CLIENT_CONNECTIONS);
  });

  it('allows a few connections even with hardly any descriptors', () => {
    expect(mostConnections(config, 64)).toBeGreaterThan(0);
  });
});
