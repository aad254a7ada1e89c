// Prints the spec files in which something failed, out of jest's JSON report. With --forgive it counts their failures as
// passed in the report instead: they passed when they ran again. With --reasons it prints why they failed, of all reports of a folder,
// those that passed when they ran again too.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [option] = process.argv.slice(2);
const path = process.argv.at(-1);
const LINES_OF_A_REASON = 25;

const reportOf = (file) => JSON.parse(readFileSync(file, 'utf8'));

if (option === '--forgive') {
  const report = reportOf(path);
  report.numPassedTests += report.numFailedTests;
  report.numFailedTests = 0;
  writeFileSync(path, JSON.stringify(report));
} else if (option === '--reasons') {
  for (const name of readdirSync(path).filter((file) => file.endsWith('.json')))
    for (const spec of reportOf(join(path, name)).testResults.filter(({ status }) => status === 'failed'))
      print(name, spec);
} else {
  for (const { name, status } of reportOf(path).testResults) if (status === 'failed') console.log(name);
}

function print(report, { name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const reasons = failed.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`);
  // A spec that could not be loaded has no tests.
  for (const reason of reasons.length > 0 ? reasons : [message]) {
    const lines = stripVTControlCharacters(reason).split('\n').slice(0, LINES_OF_A_REASON);
    console.log(`--- ${report}: ${relative(process.cwd(), name)}: ${lines.join('\n    ')}`);
  }
}
