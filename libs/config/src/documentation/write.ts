import { readFileSync, writeFileSync } from 'node:fs';
import { withComposeSettings } from './compose-settings';
import { envExample } from './env-example';
import { withSettingsTable } from './settings-table';

/** `npm run settings`: brings `.env.example`, the README's table and docker-compose.yml up to date with the schema. */
writeFileSync('.env.example', envExample());
writeFileSync('README.md', withSettingsTable(readFileSync('README.md', 'utf8')));
writeFileSync('docker-compose.yml', withComposeSettings(readFileSync('docker-compose.yml', 'utf8')));
