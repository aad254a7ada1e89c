export { CustomerDataOperatorModule } from './customer-data/customer-data-operator.module';
export { CustomerErasureOperatorService, type ErasedRows } from './customer-data/customer-erasure-operator.service';
export { CustomerExportOperatorService, type ExportedRows } from './customer-data/customer-export-operator.service';
export { customerTables } from './customer-data/customer-tables';
export { migrateSchema, migrations } from './migrations';
