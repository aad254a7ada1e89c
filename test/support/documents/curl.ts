import { randomUUID } from 'node:crypto';

/** A call as curl would make it. */
export interface CurlCall {
  url: string;
  init: { method: string; headers: Record<string, string>; body?: string };
}

/** Options of curl that take a value. */
const WITH_VALUE = new Set(['-H', '-d', '-X']);

/** The calls of curl in a block for a POSIX shell. @throws for an option that is not read here */
export function curlCalls(shell: string, variables: Record<string, string>): CurlCall[] {
  const commands = shell.split(/^(?=curl )/m).filter((command) => command.startsWith('curl '));
  return commands.map((command) => curlCall(shellWords(command, variables).slice(1)));
}

function curlCall(words: string[]): CurlCall {
  const headers: Record<string, string> = {};
  const call: CurlCall = { url: '', init: { method: 'GET', headers } };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const value = WITH_VALUE.has(word) ? (words[++index] ?? '') : '';
    if (word === '-H') {
      const [name = '', text = ''] = value.split(/: (.*)/s);
      headers[name] = text;
    } else if (word === '-X') call.init.method = value;
    else if (word === '-d') Object.assign(call.init, { method: 'POST', body: value });
    else if (!word.startsWith('-')) call.url = word;
    else if (!/^-[siN]+$/.test(word)) throw new Error(`curl ${word} is not read by this test`);
  }
  // As curl does without that header; the API refuses it.
  if (call.init.body !== undefined) headers['Content-Type'] ??= 'application/x-www-form-urlencoded';
  return call;
}

/** Words of a command: quotes of both kinds, `$NAME`, `$(uuidgen)`, and lines that go on. */
function shellWords(command: string, variables: Record<string, string>): string[] {
  const parts = /'([^']*)'|"([^"]*)"|\\\n|([^\s'"\\]+)|(\s+)/g;
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, bare, blank] of command.matchAll(parts)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (single !== undefined) word = (word ?? '') + single;
    else if (double !== undefined || bare !== undefined)
      word =
        (word ?? '') +
        (double ?? bare ?? '')
          .replaceAll('$(uuidgen)', () => randomUUID())
          .replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? '');
  }
  return word === undefined ? words : [...words, word];
}
