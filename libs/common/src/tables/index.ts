export { type CsvRecord, csvRecords, UnreadableTable } from './csv-records.js';
export { columnsOf, NUMBER_NAMES, type TableColumn, type TableFields } from './table-columns.js';
export { rowsOf, type TableRequest, withTable } from './table-file.js';
export { previewTable, type RowOutcome, type TablePreview } from './table-preview.js';
