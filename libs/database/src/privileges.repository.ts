import { hasCode, INSUFFICIENT_PRIVILEGE } from './error-codes.js';
import { rows, type Sql } from './statement.js';

export const isMissingPrivilege = (error: unknown): boolean => hasCode(error, INSUFFICIENT_PRIVILEGE);

/** The privileges that the role of a connection lacks in the schemas of this service. */
export interface Privileges {
  role: string;
  /** Schemas without USAGE. */
  schemas: string[];
  /** Tables without SELECT, INSERT, UPDATE or DELETE. */
  tables: string[];
}

/** Leaves out tables of other programs in the same schema, and the ledgers of migrations, which only their owner writes. */
const MISSING = {
  name: 'missing-privileges',
  text: `SELECT current_user::text AS role,
      ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname = ANY ($1::text[]) AND NOT has_schema_privilege(oid, 'USAGE') ORDER BY 1)
        AS schemas,
      ARRAY(SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('migrations', 'migration')
               AND (n.nspname <> 'public' OR c.relowner = (SELECT relowner FROM pg_class o JOIN pg_namespace p ON p.oid = o.relnamespace
                                                             WHERE p.nspname = 'public' AND o.relname = 'calls'))
               AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                    AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
             ORDER BY 1) AS tables`,
};

/** Reads the catalogue, which every role may read. Takes a connection, because it also checks connections outside of the pool. */
export async function missingPrivileges(sql: Sql, schemas: readonly string[]): Promise<Privileges> {
  const [found] = await rows<{ role: string; schemas: string[]; tables: string[] }>(sql, MISSING, [schemas]);
  return found ?? { role: '', schemas: [], tables: [] };
}
