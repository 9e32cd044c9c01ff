import { createLog } from '@app/common';
import { Database } from '@app/database';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

const log = createLog({ level: 'silent', role: 'test' });
const databases = new WeakMap<Pool, Database>();

/** A Database on a pool of the test, for prepared statements of repositories; entities need `openServices`. */
export function databaseOver(pool: Pool): Database {
  const known = databases.get(pool);
  if (known) return known;
  const database = new Database({ driver: { master: pool } } as unknown as DataSource, log);
  databases.set(pool, database);
  return database;
}
