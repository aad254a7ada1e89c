import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { loadConfig } from '@platform/config';
import { ReportReferencesService } from './report-references.service';

const withKey = (key: Buffer) => new ReportReferencesService(loadConfig({ SECRETS_KEY: key.toString('base64') }));

describe('ReportReferences', () => {
  const key = randomBytes(32);
  const [customerId, smsId] = [randomUUID(), randomUUID()];
  const reference = withKey(key).referenceOf(customerId, smsId);

  it('reads references of another process with the same key', () => {
    expect(withKey(key).read(reference)).toEqual({ customerId, smsId });
  });

  it('reads those that the former key signed, while it signs with the present one', () => {
    const [present, other] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64'));
    const changed = new ReportReferencesService(
      loadConfig({ SECRETS_KEY: present, FORMER_SECRETS_KEY: key.toString('base64') }),
    );
    expect(changed.read(reference)).toEqual({ customerId, smsId });
    const signed = changed.referenceOf(customerId, smsId);
    expect(changed.read(signed)).toEqual({ customerId, smsId });
    expect(withKey(key).read(signed)).toBeUndefined();
    const later = new ReportReferencesService(loadConfig({ SECRETS_KEY: other, FORMER_SECRETS_KEY: present }));
    expect([later.read(signed), later.read(reference)]).toEqual([{ customerId, smsId }, undefined]);
  });

  it('reads references of former releases', () => {
    const id = '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a11';
    const former = 'a49_Ck8OSjmdDH8PPC-KEWuPfwpPDko5nQx_DzwvihEGS5gUfjFBh0LbKh3XCkx-';
    expect(withKey(createHash('sha256').update('a former release').digest()).read(former)).toEqual({
      customerId: id,
      smsId: id,
    });
  });

  it('fits a URL and a gateway', () => expect(reference).toMatch(/^[\w-]{64}$/));

  it('does not contain the signing key', () => {
    expect(withKey(randomBytes(32)).read(reference)).toBeUndefined();
  });

  it('notices every changed character', () => {
    for (let at = 0; at < reference.length; at++) {
      const other = reference[at] === 'A' ? 'B' : 'A';
      expect(withKey(key).read(reference.slice(0, at) + other + reference.slice(at + 1))).toBeUndefined();
    }
  });

  it.each(['', 'x', reference.slice(1), `${reference}A`, `${reference}=`, ` ${reference}`])('refuses %j', (text) => {
    expect(withKey(key).read(text)).toBeUndefined();
  });
});
