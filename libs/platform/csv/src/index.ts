export { type CsvCell, csvRecord, CsvTable } from './csv';
export { CsvFault, type CsvLine, parseCsv } from './parse-csv';
