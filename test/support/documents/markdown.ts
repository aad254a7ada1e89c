import { globSync, readFileSync } from 'node:fs';

/** A block of code in a document. */
export interface CodeBlock {
  /** Such as `sh`; empty if none is named. */
  language: string;
  /** What is written behind the language, such as `file=pages.ts`. */
  options: Record<string, string>;
  text: string;
}

/** A Markdown document of the repository, taken apart. */
export interface Document {
  /** From the repository's root. */
  path: string;
  blocks: CodeBlock[];
  /** Code within the text, one line each. */
  spans: string[];
  /** Where its links lead, as they are written. */
  links: string[];
  /** What a link to one of its headings can end in, as GitHub makes it. */
  anchors: Set<string>;
}

const FENCE = /^( *)```(\w*)(.*)\n([^]*?)^\1```$/gm;

/** All documents of the repository. */
export function readDocuments(): Document[] {
  const found = globSync(['*.md', '{apps,docs,libs,test}/**/*.md'], { exclude: ['**/node_modules/**'] });
  return found.sort().map(readDocument);
}

/** A document by its path from the repository's root. */
export function readDocument(path: string): Document {
  return parseDocument(path, readFileSync(path, 'utf8'));
}

/** Takes a text apart. */
export function parseDocument(path: string, text: string): Document {
  const blocks = [...text.matchAll(FENCE)].map(([, , language = '', rest = '', code = '']) => ({
    language,
    options: Object.fromEntries([...rest.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
    text: code,
  }));
  const prose = text.replace(FENCE, '').replace(/<!--[^]*?-->/g, '');
  const withoutSpans = prose.replace(/`[^`]+`/g, 'code');
  return {
    path,
    blocks,
    spans: [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' ')),
    links: [...withoutSpans.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target),
    anchors: new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))),
  };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
