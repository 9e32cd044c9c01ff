import { isMissingPrivilege, missingPrivileges, type Privileges, type Sql } from '@app/database';
import { Problem } from './problem.js';

const PAGE = 'docs/operate/install.md, section "Database roles", has the SQL.';

/** What to do when the role of DATABASE_URL may not do what a process does all the time. */
export const GRANT_REMEDY = `Grant the role of DATABASE_URL what it lacks, as the role that owns the tables: ${PAGE}`;

/** Rejects with a Problem that names the right role when PostgreSQL refuses a change of the schema to this one. */
export const asOwner = <T>(command: string, work: () => Promise<T>): Promise<T> =>
  explained(work, `\`trunkline ${command}\` needs the role that owns the tables: set DATABASE_URL to it. ${PAGE}`);

/** Rejects with a Problem that says what to grant when PostgreSQL refuses rows to this role. */
export const asServer = <T>(work: () => Promise<T>): Promise<T> =>
  explained(work, `Run \`trunkline migrate\` as the role that owns the tables. ${GRANT_REMEDY}`);

async function explained<T>(work: () => Promise<T>, remedy: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingPrivilege(error)) throw error;
    throw new Problem(`PostgreSQL refuses: ${(error as Error).message} (42501). ${remedy}`, { cause: error });
  }
}

/** Schemas that a process reads and writes: that of the queue only without a Redis. */
export const schemasOf = ({ QUEUE_URL: redis }: { QUEUE_URL?: string | undefined }): string[] =>
  redis === undefined ? ['public', 'bullmq'] : ['public'];

/** Throws a Problem before a process starts that could not work. */
export async function requirePrivileges(sql: Sql, schemas: readonly string[]): Promise<void> {
  const lack = lackOf(await missingPrivileges(sql, schemas));
  if (lack) throw new Problem(`The database refuses rows to this process: ${lack}. ${GRANT_REMEDY}`);
}

/** `the role x may not …`; undefined: it lacks nothing. */
export function lackOf({ role, schemas, tables }: Privileges): string | undefined {
  if (schemas.length > 0) return `the role ${role} may not use the schema ${schemas[0]}`;
  if (tables.length === 0) return undefined;
  const others = tables.length === 1 ? '' : ` and ${tables.length - 1} more`;
  return `the role ${role} may not read and write ${tables[0]}${others}`;
}
