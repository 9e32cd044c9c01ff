import { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { PGlite, type Extensions } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { loadMigrations, migrationFiles } from '@app/database';
import { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';

export interface PGlitePool {
  /** PGlite has a single connection: a holder must not request a second one. */
  pool: Pool;
  close: () => Promise<void>;
}

/** A migrated PostgreSQL with pgvector inside this process; `pg` connects to it as to any server. */
export async function openPGlitePool(extensions: Extensions = { btree_gin, pg_trgm, vector }): Promise<PGlitePool> {
  const database = await PGlite.create({ extensions });
  const pool = new Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    stream: () => wireTo(database),
  });
  const runner = { query: (text: string, values?: unknown[]) => pool.query(text, values).then(({ rows }) => rows) };
  for (const Migration of await loadMigrations(migrationFiles()))
    await new Migration().up(runner as unknown as QueryRunner);
  return {
    pool,
    close: async () => {
      await pool.end();
      await database.close();
    },
  };
}

/** A socket for `pg` whose peer is PGlite's protocol interface. */
function wireTo(database: PGlite): Duplex {
  const answer = callbackify(async (message: Buffer) => {
    socket.push(Buffer.from(await database.execProtocolRaw(message)));
  });
  const socket: Duplex = new Duplex({
    read: () => undefined,
    write: (message: Buffer, _, done) => answer(message, done),
    final: (done) => {
      socket.push(null);
      done();
    },
  });
  const noOp = (): Duplex => socket;
  const connect = (): Duplex => {
    setImmediate(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect, setNoDelay: noOp, setKeepAlive: noOp, ref: noOp, unref: noOp });
}
