import { Conflict, InvalidFields } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { openServices } from '../../../test/support/services.js';
import { Database, type EntityTransaction } from './database.js';
import { idempotencyKey, IdempotencyRepository } from './idempotency.repository.js';

let database: TestDatabase;
let services: INestApplicationContext;
let answers: IdempotencyRepository;
let accountId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  services = await openServices({ DATABASE_URL: database.url }, []);
  answers = services.get(IdempotencyRepository);
  ({ accountId } = await aWorkspace(services.get(Database).pool));
});
afterAll(async () => {
  await services.close();
  await database.drop();
});

const keyOf = (header: string, body: object = {}) => idempotencyKey(header, body)!;

/** Creates the answers 1, 2, 3, … */
function counter() {
  const made = { prepared: 0, created: 0 };
  const create = (_tx: EntityTransaction, prepared = 'nothing') =>
    Promise.resolve({ number: ++made.created, prepared });
  const prepare = () => Promise.resolve(`prepared ${++made.prepared}`);
  return { made, create, prepare };
}

describe('a creation with an Idempotency-Key', () => {
  it('is done once: a repetition returns the first answer, without preparing it again', async () => {
    const { made, create, prepare } = counter();
    const key = keyOf(randomUUID());
    const first = { answer: { number: 1, prepared: 'prepared 1' }, replayed: false };
    expect(await answers.createOnce(accountId, key, create, prepare)).toEqual(first);
    expect(await answers.createOnce(accountId, key, create, prepare)).toEqual({ ...first, replayed: true });
    expect(made).toEqual({ prepared: 1, created: 1 });
  });

  it('is done by one of several concurrent requests, whose answer all return', async () => {
    const { create } = counter();
    const key = keyOf(randomUUID());
    const all = await Promise.all(Array.from({ length: 5 }, () => answers.createOnce(accountId, key, create)));
    expect(new Set(all.map(({ answer }) => answer.number)).size).toBe(1);
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('can be repeated after a failure, which keeps nothing', async () => {
    const { create } = counter();
    const key = keyOf(randomUUID());
    const failing = () => Promise.reject(new InvalidFields({ name: ['wrong'] }));
    await expect(answers.createOnce(accountId, key, failing)).rejects.toThrow(InvalidFields);
    expect(await answers.createOnce(accountId, key, create)).toMatchObject({ replayed: false });
  });

  it('returns the first answer if it fails because that one took a name', async () => {
    const key = keyOf(randomUUID());
    const { create } = counter();
    const late = async () => {
      await answers.createOnce(accountId, key, create);
      throw new Conflict('The name is taken.');
    };
    expect(await answers.createOnce(accountId, key, late)).toMatchObject({ answer: { number: 1 }, replayed: true });
  });

  it('is refused with another body, and is another one of another account', async () => {
    const { create } = counter();
    const header = randomUUID();
    await answers.createOnce(accountId, keyOf(header, { a: 1, b: [2] }), create);
    await expect(answers.createOnce(accountId, keyOf(header, { a: 2 }), create)).rejects.toThrow(Conflict);
    const other = await aWorkspace(services.get(Database).pool);
    expect(await answers.createOnce(other.accountId, keyOf(header), create)).toMatchObject({ replayed: false });
    const again = await answers.createOnce(accountId, keyOf(header, { b: [2], a: 1 }), create);
    expect(again).toEqual({ answer: { number: 1, prepared: 'nothing' }, replayed: true });
  });

  it('without a key is done every time', async () => {
    const { create } = counter();
    for (const number of [1, 2])
      expect(await answers.createOnce(accountId, undefined, create)).toMatchObject({ answer: { number } });
  });
});
