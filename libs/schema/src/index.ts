export { migrateSchema } from './migrate-schema';
export { migrations } from './migrations';
