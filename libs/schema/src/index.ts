export { CustomerDataOperatorModule } from './customer-data/customer-data-operator.module';
export { CustomerDataOperatorService } from './customer-data/customer-data-operator.service';
export type { ErasedRows } from './customer-data/customer-erasure';
export type { ExportedRows } from './customer-data/customer-export';
export { customerTables } from './customer-data/customer-tables';
export { migrateSchema, migrations } from './migrations';
