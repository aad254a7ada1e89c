import { readCommandLine } from './command-line';
import { addDemoData } from './demo-data';
import { type Sandbox, startSandbox } from './sandbox';
import { refuseInProduction } from './shared/production';

/** How long delivery reports take here, so that somebody who looks sees an SMS accepted first and delivered later. */
const REPORT_DELAY_MS = 500;

async function main(): Promise<void> {
  refuseInProduction();
  const { port, linkGates } = readCommandLine(process.argv.slice(2));
  // Nobody looks at what was received, so nothing is kept.
  const sandbox = await startSandbox({ port, linkGates, recordLimit: 0, reportDelayMs: REPORT_DELAY_MS });
  addDemoData(sandbox);
  stopWithItsParent(sandbox);
  process.stdout.write(`Sandbox upstreams (not the real ones) on ${sandbox.url}\n`);
  process.send?.({ type: 'sandbox-listening', url: sandbox.url, urls: sandbox.urls });
}

/** Ends on Ctrl-C, on a polite kill, and when the process that forked this one is gone. */
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

main().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const taken = code === 'EADDRINUSE' ? 'The port of the sandbox is taken; choose another with --port N.' : undefined;
  process.stderr.write(`${taken ?? message}\n`);
  process.exit(1);
});
