import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { AppConfig } from '@platform/config';
import { SecretUnreadableError } from '@platform/secrets';
import { hashKey, type RequestKey } from './request-key';
import { ReplySealerService } from './reply-sealer.service';

describe('ReplySealerService', () => {
  const secret = () => randomBytes(32).toString('base64');
  const sealerOf = (SECRETS_KEY: string) => new ReplySealerService({ SECRETS_KEY } as AppConfig);
  const requestOf = (customerId: string, key: string): RequestKey => ({
    customerId,
    key,
    hash: hashKey(customerId, key),
    fingerprint: randomBytes(32),
  });
  const reply = { status: 201, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":7}') };
  const customerId = randomUUID();
  const sealer = sealerOf(secret());

  it("opens a reply with the caller's key alone, and for the customer alone", async () => {
    const request = requestOf(customerId, 'mine');
    const sealed = (await sealer.seal(request, reply))!;
    expect(await sealer.open(request, sealed)).toEqual(reply);
    for (const other of [requestOf(customerId, 'yours'), requestOf(randomUUID(), 'mine')])
      await expect(sealer.open(other, sealed)).rejects.toThrow('unable to authenticate');
  });

  it('opens no reply without the SECRETS_KEY that it was sealed under', async () => {
    const request = requestOf(customerId, 'mine');
    const sealed = (await sealer.seal(request, reply))!;
    await expect(sealerOf(secret()).open(request, sealed)).rejects.toThrow(SecretUnreadableError);
  });

  it('seals nothing twice with the same nonce', async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 1000; count++) {
      const { body } = (await sealer.seal(requestOf(customerId, 'mine'), reply))!;
      nonces.add(body.toString('hex', 0, 12));
    }
    expect(nonces.size).toBe(1000);
  });

  it.each([300_000, 14_000_000])('opens a reply of %d bytes as a stream, made while it is read', async (bytes) => {
    const request = requestOf(customerId, 'mine');
    const text = Buffer.from(`"${'event '.repeat(bytes / 6)}"`);
    const sealed = (await sealer.seal(request, { ...reply, body: text }))!;
    const { body, ...head } = await sealer.open(request, sealed);
    expect(head).toEqual({ status: reply.status, headers: reply.headers });
    if (!('content' in body)) throw new Error('It is no stream');
    expect(body.heldBytes).toBeLessThan(sealed.body.length);
    expect(body.content.readableLength).toBeLessThan(200_000);
    expect((await buffer(body.content)).equals(text)).toBe(true);
  });

  it('opens no stream of a reply that was changed', async () => {
    const request = requestOf(customerId, 'mine');
    const sealed = (await sealer.seal(request, { ...reply, body: Buffer.alloc(1_000_000, 'x') }))!;
    sealed.body[100]! ^= 1;
    await expect(sealer.open(request, sealed)).rejects.toThrow('unable to authenticate');
  });

  it('keeps no reply above 2 MB', async () => {
    const request = requestOf(customerId, 'mine');
    const ofSize = (bytes: number) => sealer.seal(request, { ...reply, body: randomBytes(bytes) });
    expect(await ofSize(2_000_000)).toBeDefined();
    expect(await ofSize(2_200_000)).toBeUndefined();
  });
});
