import { expect, it } from '@jest/globals';
import { guessedMapping, type TableFields } from './table-columns.js';

const FIELDS: TableFields = {
  fields: ['to_number', 'time_zone'],
  groups: ['variables', 'metadata'],
  aliases: [{ phone: 'to_number' }],
  required: 'to_number',
};
const HEADER = ['Kontakt', 'First Name', 'Ort'];
const ROWS = [
  ['030 1', 'Ada', 'Bonn'],
  ['030 2', 'Bo', '53113'],
  ['', 'Cy', ''],
];

it.each<[string, string[], Record<string, unknown>, Record<string, unknown>]>([
  ['by its values and by variables', HEADER, {}, { Kontakt: 'to_number', 'First Name': 'variables.first_name' }],
  ['as they were mapped', HEADER, { Kontakt: null }, { Kontakt: null, 'First Name': 'variables.first_name' }],
  ['not where a name is known', ['Kontakt', 'phone', 'Ort'], {}, {}],
])('columns are guessed %s', (_, header, mapping, expected) => {
  const isNumber = (cell: string): boolean => cell.startsWith('030');
  expect(guessedMapping(FIELDS, header, ROWS, { mapping, variables: ['first_name'], isNumber })).toEqual(expected);
});
