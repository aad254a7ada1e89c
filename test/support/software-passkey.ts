import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto';

const sha256 = (data: string | Buffer) => hash('sha256', data, 'buffer');
const base64url = (data: string | Buffer) => Buffer.from(data).toString('base64url');
/** User present, user verified, attested credential data. */
const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

/** What it is asked for: the options of the service, as far as they matter. */
interface Challenge {
  challenge: string;
}

/** An authenticator in software, as a browser would use it for a site (WebAuthn). It counts its uses. */
export class SoftwarePasskey {
  counter = 0;
  /** Whether it asks for a PIN or a finger, not for a touch alone. */
  verifiesUser = true;
  private said: object = { transports: ['internal'] };
  private readonly id = randomBytes(16);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(
    private readonly site: { rpID: string; origin: string },
    private readonly userHandle: string = base64url('nobody'),
  ) {}

  /** Says this of itself in a registration, which no signature covers. */
  with(said: object): this {
    this.said = said;
    return this;
  }

  /** The answer to the options of a registration. */
  create({ challenge }: Challenge): Record<string, unknown> {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    // A COSE key (RFC 9053): EC2, ES256, P-256.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, key]);
    const data = this.authenticatorData(ATTESTED, attested);
    // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', challenge),
      attestationObject: base64url(attestation),
      ...this.said,
    });
  }

  /** The answer to the options of a login. */
  get({ challenge }: Challenge): Record<string, unknown> {
    this.counter++;
    const clientData = this.clientData('webauthn.get', challenge);
    const data = this.authenticatorData(0);
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(Buffer.from(clientData, 'base64url'))]))
      .sign(this.keys.privateKey);
    return this.credential({
      clientDataJSON: clientData,
      authenticatorData: base64url(data),
      signature: base64url(signature),
      userHandle: this.userHandle,
    });
  }

  private credential(response: object): Record<string, unknown> {
    const id = base64url(this.id);
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  private clientData(type: string, challenge: string): string {
    return base64url(JSON.stringify({ type, challenge, origin: this.site.origin, crossOrigin: false }));
  }

  private authenticatorData(flags: number, rest: Buffer = Buffer.alloc(0)): Buffer {
    const user = this.verifiesUser ? PRESENT | VERIFIED : PRESENT;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(this.site.rpID), Buffer.from([flags | user]), counter, rest]);
  }
}
