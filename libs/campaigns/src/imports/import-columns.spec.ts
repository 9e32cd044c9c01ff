import { describe, expect, it } from '@jest/globals';
import { columnsOf as columnsOfTable } from '@app/common/tables';
import { CONTACT_FIELDS, importedContact, numberHint } from './import-columns.js';

const columnsOf = (header: string[], mapping: Record<string, unknown>) =>
  columnsOfTable(CONTACT_FIELDS, header, mapping);

const fieldsOf = (header: string[], mapping: Record<string, unknown> = {}) =>
  columnsOf(header, mapping).columns.map(({ field }) => field);

describe('the columns of a file of contacts', () => {
  it.each<[string, string[], Record<string, unknown>, (string | null)[]]>([
    ['by their names', ['to_number', 'Time_Zone', 'not_before'], {}, ['to_number', 'time_zone', 'not_before']],
    [
      'with dots',
      ['to_number', 'metadata.Order id', 'Variables.name'],
      {},
      ['to_number', 'metadata.Order id', 'variables.name'],
    ],
    ['by usual names', ['Phone Number', 'Timezone', 'Notes'], {}, ['to_number', 'time_zone', null]],
    ['where several have usual names', ['Mobile', 'Phone'], {}, ['to_number', null]],
    ['where one has the very name', ['Phone', 'to_number'], {}, [null, 'to_number']],
    ['by usual names in other languages', ['Vorname', 'Téléphone', 'Zeitzone'], {}, [null, 'to_number', 'time_zone']],
    ['where one has a name of this service', ['Handy', 'Phone'], {}, [null, 'to_number']],
    [
      'by a mapping',
      ['Tel.', 'Vorname', 'phone'],
      { 'Tel.': 'to_number', Vorname: 'variables.name' },
      ['to_number', 'variables.name', null],
    ],
    ['where a mapping ignores one', ['phone', 'mobile'], { phone: null }, [null, 'to_number']],
  ])('are found %s', (_, header, mapping, expected) => {
    expect(columnsOf(header, mapping).errors).toEqual({});
    expect(fieldsOf(header, mapping)).toEqual(expected);
  });

  it.each<[string, string[], Record<string, unknown>, string]>([
    ['no column of numbers', ['name', 'city'], {}, 'file'],
    ['a mapped column that is missing', ['to_number'], { Name: 'variables.name' }, 'columns.Name'],
    ['a field that contacts do not have', ['to_number', 'x'], { x: 'email' }, 'columns.x'],
    ['a field that is not a text', ['to_number', 'x'], { x: 7 }, 'columns.x'],
    ['two columns of one field', ['a', 'to_number'], { a: 'to_number' }, 'columns'],
    ['too many columns', Array.from({ length: 201 }, (_, i) => `c${i}`), {}, 'file'],
  ])('are refused with %s', (_, header, mapping, key) => {
    expect(Object.keys(columnsOf(header, mapping).errors)).toEqual([key]);
  });
});

describe('a row of a file of contacts', () => {
  const { columns } = columnsOf(['to_number', 'time_zone', 'not_before', 'metadata.a', 'variables.name', 'x'], {});
  const contact = (...cells: string[]) => importedContact(columns, cells, { zone: 'Europe/Berlin', country: 'DE' });

  it('becomes a contact without its empty cells and unknown columns', () => {
    expect(contact('+4930123', 'Asia/Tokyo', '', '1', '', 'y', 'z')).toEqual({
      to_number: '+4930123',
      time_zone: 'Asia/Tokyo',
      metadata: { a: '1' },
    });
  });

  it.each([
    ['+49 (0)30 / 123-45', '+493012345'],
    ['0171/2345678', '+491712345678'],
    ["'+4930123", '+4930123'],
    ['sip:a.b@example.com', 'sip:a.b@example.com'],
    ['4711', '4711'],
  ])('has the number %j as %j', (cell, expected) => expect(contact(cell).to_number).toBe(expected));

  it.each([
    ['2026-12-01T09:00:00+01:00', '', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01 09:00', '', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01 09:00', 'Asia/Tokyo', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01', '', '2026-11-30T23:00:00.000Z'],
    ['tomorrow', '', 'tomorrow'],
  ])('is not called before %j in the zone %j', (time, zone, expected) =>
    expect(contact('+4930123', zone, time).not_before).toBe(expected),
  );

  it('has values of columns that are named like properties of objects', () => {
    const odd = columnsOf(['to_number', 'metadata.__proto__'], {}).columns;
    expect(
      Object.entries(importedContact(odd, ['+4930123', 'x'], { zone: 'UTC', country: null }).metadata ?? {}),
    ).toEqual([['__proto__', 'x']]);
  });

  it.each([
    ['', 'The number is missing.'],
    ['4.93012E+11', 'The number was rounded by a spreadsheet: format the column as text and enter it again.'],
    ['030 12345', 'The number must begin with + and its country code, unless there is a default country.'],
    ['Anna', undefined],
  ])('with the number %j says %j', (text, hint) => expect(numberHint(text, null)).toBe(hint));
});
