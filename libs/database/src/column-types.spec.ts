import { describe, expect, it } from '@jest/globals';
import { types } from 'pg';
import { COLUMN_TYPES, timestampOf } from './column-types.js';

const ofPg = types.getTypeParser(types.builtins.TIMESTAMPTZ);

describe('timestampOf', () => {
  it.each([
    '2026-11-29 19:51:47.123456+00',
    '2026-11-29 19:51:47.999999+00',
    '2026-11-29 19:51:47.1+00',
    '2026-11-29 19:51:47+00',
    '1969-12-31 23:59:59.5+00',
    '0001-01-01 00:00:00+00',
    '0099-06-01 12:00:00.25+00',
    '2026-11-29 19:51:47.123456+05:30',
    '2026-11-29 19:51:47-03',
    '12026-11-29 19:51:47+00',
    '0044-03-15 10:00:00+00 BC',
    '1880-01-01 00:00:00+00:53:28',
    'infinity',
    '-infinity',
  ])('reads %s as pg does', (text) => {
    expect(timestampOf(text)).toEqual(ofPg(text));
  });

  it('reads no other type', () => {
    expect(COLUMN_TYPES.getTypeParser(types.builtins.TIMESTAMPTZ, 'text')).toBe(timestampOf);
    for (const type of [types.builtins.TIMESTAMP, types.builtins.DATE, types.builtins.INT8])
      expect(COLUMN_TYPES.getTypeParser(type, 'text')).toBe(types.getTypeParser(type, 'text'));
  });
});
