/**
 * Whether DATABASE_URL says that a pooler in transaction mode stands before the database: `?pgbouncer=true`. There every transaction
 * may meet another session, so nothing may be left behind in one: no named statements, no settings, no LISTEN, no session locks.
 */
export const isPooled = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';
