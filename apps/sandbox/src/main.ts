import { parseArgs } from 'node:util';
import { addDemoData } from './demo-data';
import { refuseInProduction, type Sandbox, startSandbox } from './sandbox';

/** Delay of delivery reports, so that an SMS is visibly `accepted` before it is `delivered`. */
const REPORT_DELAY_MS = 500;

async function main(): Promise<void> {
  refuseInProduction();
  const { port, linkGates } = readCommandLine(process.argv.slice(2));
  // No test reads the recorded requests, so none are kept.
  const sandbox = await startSandbox({ port, linkGates, recordLimit: 0, reportDelayMs: REPORT_DELAY_MS });
  addDemoData(sandbox);
  stopWithItsParent(sandbox);
  process.stdout.write(`Sandbox upstreams (not the real ones) on ${sandbox.url}\n`);
  process.send?.({ type: 'sandbox-listening', url: sandbox.url, urls: sandbox.urls });
}

/** Stops on SIGINT, SIGTERM, and when the parent process is gone. */
function stopWithItsParent(sandbox: Sandbox): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    void sandbox.close().then(() => process.exit(0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('disconnect', stop);
}

/** Options of the command line. */
interface CommandLine {
  port: number;
  linkGates: Record<string, string>;
}

/** Reads `--port N` (4010 by default) and any number of `--link-gate ID=URL`. */
function readCommandLine(args: string[]): CommandLine {
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

main().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const taken = code === 'EADDRINUSE' ? 'The port of the sandbox is taken; choose another with --port N.' : undefined;
  process.stderr.write(`${taken ?? message}\n`);
  process.exit(1);
});
