import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConnectionGate } from './connection-gate';

describe('the gate of new connections', () => {
  let now: number;
  let networks: number;
  let full: string | undefined;
  let gate: ConnectionGate;
  beforeEach(() => {
    [now, networks, full] = [0, 2, undefined];
    gate = new ConnectionGate({ hasRoom: (network) => network !== full, networks: () => networks }, () => now);
  });

  /** Connections that come in one turn of the event loop. @returns how many are refused */
  async function begin(address: string, count: number, turnMs = 1): Promise<number> {
    let refused = 0;
    for (let place = 0; place < count; place++) {
      if (gate.check(address)) refused++;
      now += turnMs / count;
    }
    await nextTurn();
    return refused;
  }

  /** A turn that lasts, in which many come. */
  const flood = (address = '192.0.2.1') => begin(address, 1000, 20);

  it('refuses nothing while turns are short, however many come', async () => {
    for (let turn = 0; turn < 20; turn++) expect(await begin('192.0.2.1', 1000, 5)).toBe(0);
  });

  it('refuses nothing in long turns in which few come', async () => {
    for (let turn = 0; turn < 20; turn++) expect(await begin('192.0.2.1', 20, 100)).toBe(0);
  });

  it('refuses nothing of what a customer may send in a minute, although it comes at once and others wait', async () => {
    await flood();
    expect(await begin('192.0.2.2', 600, 20)).toBe(0);
    for (let period = 0; period < 10; period++) {
      now += 250;
      expect(await begin('192.0.2.2', 25, 20)).toBe(0);
    }
  });

  it('holds a network that floods, from the turn on that lasts, and nobody else', async () => {
    expect(await flood()).toBe(400);
    for (let period = 0; period < 10; period++) {
      now += 249;
      expect(await begin('192.0.2.1', 1000)).toBeGreaterThanOrEqual(970);
      expect(await begin('192.0.2.2', 25)).toBe(0);
    }
  });

  it('lets a network begin four times as many as others do on average', async () => {
    await flood();
    now += 250;
    for (let other = 0; other < 9; other++) expect(await begin(`198.51.100.${other}`, 20, 0)).toBe(0);
    expect(await begin('192.0.2.1', 80, 0)).toBe(0);
    expect(await begin('192.0.2.1', 1000, 0)).toBe(1000);
  });

  it('counts an IPv6 network as one, and an IPv4 address that is written as IPv6', async () => {
    await flood('2001:db8:1:2::1');
    expect(await begin('2001:db8:1:2:ffff::2', 10)).toBe(10);
    expect(await begin('2001:db8:1:3::1', 10)).toBe(0);
    now += 250;
    await flood('192.0.2.9');
    expect(await begin('::ffff:192.0.2.9', 10)).toBe(10);
  });

  it('holds nobody that is alone: none waits for it', async () => {
    networks = 1;
    await flood();
    for (let turn = 0; turn < 5; turn++) {
      now += 3000;
      expect(await flood()).toBe(0);
      expect(await flood()).toBe(0);
    }
    // Another one has just come, and has gone again.
    await begin('192.0.2.2', 1);
    expect(await flood()).toBe(1000);
  });

  it('opens when nobody had to be refused for two seconds', async () => {
    await flood();
    now += 1480;
    for (let time = 0; time < 3; time++) {
      expect(await begin('192.0.2.1', 1000, 0)).toBe(850);
      now += 1500;
    }
    now += 501;
    expect(await begin('192.0.2.1', 1000, 0)).toBe(0);
  });

  it('refuses a network for which there is no room, at any time', async () => {
    full = '192.0.2.1';
    expect(await begin('192.0.2.1', 3)).toBe(3);
    expect(await begin('192.0.2.2', 3)).toBe(0);
  });
});
