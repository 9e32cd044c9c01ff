import { Database, migrationFiles, missingPrivileges, type Privileges } from '@app/database';
import { Injectable } from '@nestjs/common';

const SERVER = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number`;
const CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at';
const CONNECTIONS = `SELECT count(*)::integer AS used, current_setting('max_connections')::integer AS most FROM pg_stat_activity`;
const EXTENSIONS = 'SELECT extname AS name FROM pg_extension';
/** Statements of `trunkline doctor` about the database server and the migrations. */
@Injectable()
export class DoctorRepository {
  constructor(private readonly database: Database) {}

  /** `number` is 140005 for PostgreSQL 14.5. */
  async server(): Promise<{ version: string; number: number } | undefined> {
    const [server] = await this.database.rows<{ version: string; number: number }>({ text: SERVER });
    return server;
  }

  /** The server's clock, in ms since 1970. */
  async clock(): Promise<number | undefined> {
    const [row] = await this.database.rows<{ at: number }>({ text: CLOCK });
    return row?.at;
  }

  async connections(): Promise<{ used: number; most: number }> {
    const [row] = await this.database.rows<{ used: number; most: number }>({ text: CONNECTIONS });
    return row ?? { used: 0, most: 1 };
  }

  missingPrivileges(schemas: readonly string[]): Promise<Privileges> {
    return missingPrivileges(this.database.pool, schemas);
  }

  /** Names of the migrations of this release, and of those that the database has run. */
  async migrations(): Promise<{ own: string[]; run: string[] }> {
    const run = await this.database.rows<{ name: string }>({ text: 'SELECT name FROM migrations' });
    return { own: migrationFiles().map(({ name }) => name), run: run.map(({ name }) => name) };
  }

  async extensions(): Promise<string[]> {
    return (await this.database.rows<{ name: string }>({ text: EXTENSIONS })).map(({ name }) => name);
  }
}
