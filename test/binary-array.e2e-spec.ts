import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ArrayType, binaryArray } from '@app/database';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from './support/database.js';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const CASES: [ArrayType, (string | number | boolean | null)[]][] = [
  ['bigint', ['9223372036854775807', '-9223372036854775808', null, '0']],
  ['integer', [2_147_483_647, -2_147_483_648, null, 0]],
  ['double precision', [0.1, -1e300, null, 30_000]],
  ['boolean', [true, false, null]],
  ['text', ['', 'grüße, "{}" \\ \' NULL', null, '😀'.repeat(5_000)]],
  ['uuid', ['01a22140-3c42-709c-9785-a4334104ed46', null]],
  ['text', [null]],
  ['text', []],
];

describe('arrays in the binary format of PostgreSQL', () => {
  it.each(CASES)('%s: every element arrives unchanged', async (type, values) => {
    const text = `SELECT ($1::${type}[])[n] AS value FROM generate_series(1, cardinality($1::${type}[])) n`;
    const { rows } = await client.query<{ value: unknown }>(text, [binaryArray(type, values)]);
    expect(rows.map(({ value }) => value)).toEqual(values);
  });

  it('text: half of a surrogate pair is replaced, because UTF-8 has no form of it', async () => {
    const { rows } = await client.query('SELECT $1::text[] AS value', [binaryArray('text', ['a\ud83d', 'b'])]);
    expect(rows).toEqual([{ value: ['a\ufffd', 'b'] }]);
  });
});
