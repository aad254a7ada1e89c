// Prints what load.mjs wrote, and judges it: node table.mjs FILE LOGS SECONDS…, the seconds that each phase took. Planned
// operations may lose nothing; a restart of PostgreSQL only 503s, for less than 2 s; a kill what was in progress. Each failure is printed with the lines of its request in the folder LOGS.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [file, logs, ...seconds] = process.argv.slice(2);
const phases = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const allowed = {
  'restart postgres': ({ outcomes, failing_ms }) =>
    failing_ms < 2000 && Object.keys(outcomes).every((outcome) => outcome.includes(' 503 ')),
  'kill -9 of a replica': ({ failed, in_progress }) => failed <= in_progress,
};
const isGood = (phase) => phase.failed === 0 || Boolean(allowed[phase.name]?.(phase));

console.table(
  phases.map((phase, index) => ({
    ...phase,
    seconds: Number(seconds[index]),
    outcomes: JSON.stringify(phase.outcomes),
    good: isGood(phase),
  })),
  ['name', 'seconds', 'requests', 'in_progress', 'slowest_ms', 'failed', 'failing_ms', 'outcomes', 'good'],
);

const lines = readdirSync(logs).flatMap((name) =>
  readFileSync(join(logs, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ from: name.slice(0, 20), line })),
);
for (const { name, failures } of phases) {
  for (const failure of failures) {
    console.log(`${name}: ${JSON.stringify(failure)}`);
    const own = failure.request_id && lines.filter(({ line }) => line.includes(failure.request_id));
    for (const { from, line } of own || []) console.log(`  ${from}: ${line.slice(0, 1500)}`);
  }
}
for (const { from, line } of lines.filter(({ from }) => from.startsWith('proxy')).slice(0, 40))
  console.log(`${from}: ${line}`);
process.exit(phases.slice(1).every(isGood) ? 0 : 1);
