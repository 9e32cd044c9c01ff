import { Client } from 'pg';

/** Ends every connection of one application name to one database, like a restart of the server. Other test files use other databases. */
export async function cutConnections(databaseUrl: string, applicationName: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
    [applicationName],
  );
  await client.end();
}
