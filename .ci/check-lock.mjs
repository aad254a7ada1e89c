import { readFileSync } from 'node:fs';

/**
 * Every package in the lock file has a checksum and comes from the registry that is configured. The exceptions are
 * binaries for other systems: optional parts of tools for developers, which the registry that the file was made with does
 * not have. npm ci wants them listed, and asks the registry for those of the system that it runs on.
 */
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
const isElsewhere = ({ dev, optional, os = [], cpu = [], libc = [] }) =>
  dev && optional && !(os.includes('linux') && libc[0] !== 'musl' && (cpu.includes('x64') || cpu.includes('arm64')));

const unchecked = entries.filter(([, { integrity }]) => !integrity);
const faults = [
  ...unchecked.filter(([, entry]) => !isElsewhere(entry)).map(([path]) => `no checksum: ${path}`),
  ...entries.filter(([, { resolved }]) => resolved).map(([path]) => `not from the configured registry: ${path}`),
];
for (const fault of faults) console.error(fault);
console.log(`${entries.length} packages; ${unchecked.length} binaries for other systems have no checksum`);
process.exitCode = faults.length > 0 ? 1 : 0;
