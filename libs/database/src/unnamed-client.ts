import { Client, type ClientConfig } from 'pg';

/**
 * For a pooler in transaction mode: a named statement would be prepared in one session of the server and asked for in another.
 * PostgreSQL then parses and plans each time (pgbouncer 1.21 and newer could keep names; what Debian 12 has, 1.18, cannot).
 */
export class UnnamedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((statement: unknown, ...rest: unknown[]) =>
      query(withoutName(statement), ...rest)) as Client['query'];
  }
}

/** TypeORM's cursors have a `submit`, and are what they are. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement;
  return { ...statement, name: undefined };
}
