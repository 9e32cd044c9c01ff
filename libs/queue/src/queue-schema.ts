import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations, SchemaMigrationRequiredError } from 'bullmq';
import { Client } from 'pg';

const CONNECT_MS = 10_000;

/**
 * Brings the tables of a queue in PostgreSQL (schema `bullmq`) to this release. It looks before it changes something: the role that
 * serves may create nothing once the role that owns the tables has run this (`trunkline migrate`). Throws what PostgreSQL says.
 */
export async function prepareQueueSchema(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // The query that is under way is rejected, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (!(await isCurrent(client))) await runMigrations(client);
  } finally {
    await client.end();
  }
}

async function isCurrent(client: Client): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client)) >= LATEST_SCHEMA_VERSION;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false;
    throw error;
  }
}
