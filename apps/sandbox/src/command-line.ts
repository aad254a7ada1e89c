import { parseArgs } from 'node:util';

/** Options of the command line. */
export interface CommandLine {
  port: number;
  linkGates: Record<string, string>;
}

/** Reads `--port N` (4010 by default) and any number of `--link-gate ID=URL`. */
export function readCommandLine(args: string[]): CommandLine {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '4010' },
      'link-gate': { type: 'string', multiple: true, default: [] },
    },
  });
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new Error(`--port takes a number from 0 to 65535, not ${values.port}`);
  const gates = values['link-gate'].map((gate) => {
    const [, id, url] = /^([^=]+)=(.+)$/.exec(gate) ?? [];
    if (!id || !url || !URL.canParse(url)) throw new Error(`--link-gate takes ID=URL, not ${gate}`);
    return [id, url];
  });
  return { port, linkGates: Object.fromEntries(gates) as Record<string, string> };
}
