import { globSync, readFileSync, statSync } from 'node:fs';

const PLACES = ['{apps,libs,test,docs}/**/*', 'README.md', 'CONTRIBUTING.md', 'openapi.json'];
const BINARY = /\.(png|jpe?g|ico|woff2?)$/;

/**
 * Patterns of words that the glossary replaces, such as private names of reservations, provider keys and seed data. They
 * are encoded, since this file is searched like all others.
 */
const FORBIDDEN = [
  'aG9sZC4/Ym9vaw==',
  'a2V5Lj9yaW5n',
  'TmV3ZXN0Rmlyc3Q=',
  'bmV3ZXN0LWZpcnN0',
  'ZnVybmlzaA==',
  'bGV0R28=',
  'aW1wYXRpZW50IGNsaWVudA==',
  'd2hhdCBiZWNhbWUgb2Y=',
  'YXMgaXQgaXMgc2VudA==',
  'bm9ib2R5IGVsc2UgaXMgYXQgaXQ=',
  'c2F5aW5nIGl0IGFnYWlu',
  'aG9sZHM/IHRoYXQgKGFyZXxpcykgKHBlbmRpbmd8c3RhbGUp',
  'aW1wYXRpZW50',
  'YnJvdWdodCBub3RoaW5n',
  'XGJ0aGVyZWJ5XGI=',
  'XGJsZXN0XGI=',
  'dGhlIHdpc2hcYg==',
].map((text) => new RegExp(Buffer.from(text, 'base64').toString(), 'i'));

/** Lines of a file, and its name, that contain a forbidden word. */
function violations(file: string): string[] {
  return [file, ...readFileSync(file, 'utf8').split('\n')]
    .filter((line) => FORBIDDEN.some((word) => word.test(line)))
    .map((line) => `${file}: ${line.trim()}`);
}

describe('the vocabulary', () => {
  it('has the terms of the glossary only', () => {
    const files = globSync(PLACES, { exclude: ['**/node_modules/**', '**/dist/**'] });
    const searched = files.filter((file) => !BINARY.test(file) && statSync(file).isFile());
    expect(searched.length).toBeGreaterThan(500);
    expect(searched.flatMap(violations)).toEqual([]);
  });

  it('is checked in names of files, of code and in prose, in upper and lower case', () => {
    const examples = ['a2V5LXJpbmcudHM=', 'Y29uc3QgTGV0R28gPSAx', 'QSBwYWdlIGFzIGl0IGlzIHNlbnQu'];
    for (const example of examples) {
      const text = Buffer.from(example, 'base64').toString();
      expect([text, FORBIDDEN.some((word) => word.test(text))]).toEqual([text, true]);
    }
  });
});
