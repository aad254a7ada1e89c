import { readCommandLine } from './command-line';
import { addDemoData } from './demo-data';
import { type Sandbox, startSandbox } from './sandbox';
import { refuseInProduction } from './shared/production';

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

main().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const taken = code === 'EADDRINUSE' ? 'The port of the sandbox is taken; choose another with --port N.' : undefined;
  process.stderr.write(`${taken ?? message}\n`);
  process.exit(1);
});
