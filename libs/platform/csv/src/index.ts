export { type CsvCell, csvRecord } from './csv';
export { CsvTable } from './csv-table';
