import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Document, parseDocument, readDocument, readDocuments } from '@test/documents/markdown';

/** Links of a document that lead nowhere in the repository. Addresses of the web are not looked at. */
function brokenLinks({ path, links, anchors }: Document): string[] {
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#', 2);
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(target)) return true;
    if (anchor === undefined) return false;
    return !(file === '' ? anchors : readDocument(target).anchors).has(anchor);
  });
}

describe('links of documents', () => {
  it.each(readDocuments().map((document) => [document.path, document] as const))(
    'lead somewhere: %s',
    (_, document) => {
      expect(brokenLinks(document)).toEqual([]);
    },
  );

  it('that lead nowhere are found', () => {
    const text =
      '# A b\n[1](missing.md) [2](README.md) [3](#a-b) [4](#no) [5](README.md#no) `[6](code.md)` [7](https://a.example)';
    expect(brokenLinks(parseDocument('README.md', text))).toEqual(['missing.md', '#no', 'README.md#no']);
  });

  it('reach every page of docs from the README', () => {
    const reached = new Set<string>(['README.md']);
    for (const path of reached)
      for (const link of readDocument(path).links) {
        const target = normalize(join(dirname(path), link.split('#', 1)[0] ?? ''));
        if (target.endsWith('.md') && existsSync(target)) reached.add(target);
      }
    const pages = readDocuments().map(({ path }) => path);
    expect(pages.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([]);
  });
});
