import { readFileSync, writeFileSync } from 'node:fs';
import { envExample } from './env-example';
import { withSettingsTable } from './settings-table';

/** `npm run settings`: brings `.env.example` and the README's table up to date with the schema. */
writeFileSync('.env.example', envExample());
writeFileSync('README.md', withSettingsTable(readFileSync('README.md', 'utf8')));
