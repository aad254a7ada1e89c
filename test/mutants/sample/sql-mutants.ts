import type { Change } from './sampled-mutant';
import { otherNumber } from './typescript-mutants';

/** What is replaced in SQL, and by what. */
const OPERATORS: [kind: string, pattern: RegExp, replacement: string | ((text: string) => string)][] = [
  ['operator', / <= /g, ' < '],
  ['operator', / >= /g, ' > '],
  ['operator', / < /g, ' <= '],
  ['operator', / > /g, ' >= '],
  ['operator', / <> /g, ' = '],
  ['operator', /(?<=\b(?:where|and|or|on|if|when|not)\b[^\n;,]*) = /g, ' <> '],
  ['operator', / \+ /g, ' - '],
  ['operator', / - /g, ' + '],
  ['operator', / \* /g, ' / '],
  ['operator', /(?<!between [^\n]*)\band\b/g, 'or'],
  ['operator', /\bor\b(?! replace)/g, 'and'],
  ['method', /\bcoalesce\(/g, 'nullif('],
  ['method', /\bgreatest\(/g, 'least('],
  ['method', /\bleast\(/g, 'greatest('],
  ['method', /\bmin\(/g, 'max('],
  ['method', /\bmax\(/g, 'min('],
  ['method', /\bfloor\(/g, 'ceil('],
  ['method', /\bceil\(/g, 'floor('],
  ['condition', /\bis null\b/g, 'is not null'],
  ['condition', /\bis not null\b/g, 'is null'],
  ['condition', /\bnot exists\b/g, 'exists'],
  ['condition', /\bis distinct from\b/g, 'is not distinct from'],
  ['condition', /(?<=\b(?:if|when) )not /g, ''],
  ['boolean', /\btrue\b/g, 'false'],
  ['boolean', /\bfalse\b/g, 'true'],
  ['lock', /\s+for (?:no key )?update(?: skip locked)?\b/g, ''],
  ['order', / desc\b/g, ''],
  ['number', /(?<![\w$.])\d+(?![\w.])/g, otherNumber],
  // A whole line: a further condition, a statement, a column's new value.
  ['condition', /(?<=\n) +and [^\n]*(?=\n)/g, ''],
  ['statement', /(?<=\n) +(?:perform|raise|delete|update|insert)\b[^\n]*;(?=\n)/g, ''],
  ['statement', /(?<=\n) +\w+ := [^\n]*;(?=\n)/g, ''],
  ['statement', /(?<=\n) +\w+ = [^\n]*,(?=\n)/g, ''],
];

/** The small mistakes that can be made in the body of a function of the database. Comments and texts are left alone. */
export function sqlChanges(text: string): Change[] {
  // Blanks keep every place where it is.
  const code = text.replace(/--[^\n]*|'(?:[^'\n]|'')*'/g, (part) => ' '.repeat(part.length).replaceAll(' ', '\u00a0'));
  const body = code.search(/\bas \$/);
  return OPERATORS.flatMap(([kind, pattern, other]) =>
    [...code.matchAll(pattern)]
      .filter(({ index }) => index > body)
      .map(({ 0: found, index: start }) => ({
        kind,
        start,
        end: start + found.length,
        replacement: typeof other === 'string' ? other : other(found),
      })),
  );
}
