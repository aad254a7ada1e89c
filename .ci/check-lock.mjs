import { readFileSync } from 'node:fs';

/**
 * Every package in the lock files that the command line names has a checksum and comes from the registry that is
 * configured. The exceptions are binaries for other systems, which are optional, and which the registry that the file was
 * made with does not have. npm ci wants them listed, and asks the registry for those of the system that it runs on.
 */
const isElsewhere = ({ optional, os = [], cpu = [], libc = [] }) =>
  optional && !(os.includes('linux') && libc[0] !== 'musl' && (cpu.includes('x64') || cpu.includes('arm64')));

for (const file of process.argv.slice(2)) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
  const unchecked = entries.filter(([, { integrity }]) => !integrity);
  const faults = [
    ...unchecked.filter(([, entry]) => !isElsewhere(entry)).map(([path]) => `no checksum: ${path}`),
    ...entries.filter(([, { resolved }]) => resolved).map(([path]) => `not from the configured registry: ${path}`),
  ];
  for (const fault of faults) console.error(`${file}: ${fault}`);
  console.log(`${file}: ${entries.length} packages; ${unchecked.length} binaries for other systems have no checksum`);
  if (faults.length > 0) process.exitCode = 1;
}
