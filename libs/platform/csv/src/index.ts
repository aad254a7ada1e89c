export { type CsvCell, csvRecord } from './csv';
export { CsvFault, type CsvLine, parseCsv } from './parse-csv';
export { CsvTable } from './csv-table';
