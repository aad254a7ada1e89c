import { createSign, generateKeyPairSync } from 'node:crypto';

/** DER: a tag, the length, the content (X.690). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 128
      ? Buffer.from([content.length])
      : content.length < 256
        ? Buffer.from([0x81, content.length])
        : Buffer.from([0x82, content.length >> 8, content.length & 255]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const utcTime = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
/** ecdsa-with-SHA256 */
const ALGORITHM = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
/** commonName */
const nameOf = (host: string) =>
  sequence(der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)))));

const DAY_MS = 86_400_000;

/** A self-signed certificate (RFC 5280) of a host with its key, generated for this run. @param lastsMs until it ends */
export function selfSigned(host = '127.0.0.1', lastsMs = DAY_MS): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf(host);
  const end = Date.now() + lastsMs;
  const validity = sequence(utcTime(new Date(Math.min(Date.now(), end) - DAY_MS)), utcTime(new Date(end)));
  const body = sequence(
    der(0x02, Buffer.from([1])),
    ALGORITHM,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, ALGORITHM, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}
