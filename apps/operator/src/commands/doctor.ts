import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/doctor.services.js'));

const examine = command({
  name: 'examine',
  description:
    'check settings, credentials, other systems, clock, erasures, memory and disk; fails if anything does not work',
  options: {},
  examples: ['', '--json'],
  reads: true,
  examinesDatabase: true,
  columns: ['check', 'result', 'detail'],
  async run({ doctor }, _options, { foundFault }) {
    const findings = await doctor.examine();
    if (findings.some(({ result }) => result === 'failed')) foundFault();
    return findings;
  },
});

export const doctorNoun: Noun = {
  name: 'doctor',
  description: 'checks of the installation',
  commands: [examine],
  usual: 'examine',
};
