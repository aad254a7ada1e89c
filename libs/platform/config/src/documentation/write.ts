import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, SETTINGS_PAGE, withComposeSettings, withSettingsTable } from './settings-documents';

/** `npm run settings`: updates `.env.example`, the handbook's table and docker-compose.yml from the schema. */
writeFileSync('.env.example', envExample());
writeFileSync(SETTINGS_PAGE, withSettingsTable(readFileSync(SETTINGS_PAGE, 'utf8')));
writeFileSync('docker-compose.yml', withComposeSettings(readFileSync('docker-compose.yml', 'utf8')));
