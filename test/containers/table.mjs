// Prints what load.mjs wrote, and judges it: node table.mjs FILE SECONDS…, the seconds that each phase took. Planned
// operations may lose nothing; a restart of PostgreSQL only 503s, for less than 2 s; a kill what was in progress.
import { readFileSync } from 'node:fs';

const [file, ...seconds] = process.argv.slice(2);
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
);
process.exit(phases.slice(1).every(isGood) ? 0 : 1);
