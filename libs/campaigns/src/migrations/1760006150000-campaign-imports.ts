import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Without a campaign once that is deleted: a worker then deletes the file and the row.
  `CREATE TABLE campaign_imports (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    campaign_id integer REFERENCES campaigns ON DELETE SET NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
    file_name text NOT NULL,
    file_bytes integer NOT NULL,
    file_key text,
    encoding text NOT NULL,
    delimiter text NOT NULL,
    columns jsonb NOT NULL,
    duplicates text NOT NULL,
    progress integer NOT NULL DEFAULT 0,
    rows integer NOT NULL DEFAULT 0,
    added integer NOT NULL DEFAULT 0,
    merged integer NOT NULL DEFAULT 0,
    refused integer NOT NULL DEFAULT 0,
    processing_error text,
    attempts integer NOT NULL DEFAULT 0,
    lease_owner text,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
  )`,
  `CREATE INDEX campaign_imports_list ON campaign_imports (campaign_id, id)`,
  `CREATE INDEX campaign_imports_unfinished ON campaign_imports (account_id, id) WHERE file_key IS NOT NULL`,
  `CREATE INDEX campaign_imports_ended ON campaign_imports (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE TABLE campaign_import_refusals (
    import_id uuid NOT NULL REFERENCES campaign_imports ON DELETE CASCADE,
    line integer NOT NULL,
    field text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (import_id, line, field)
  )`,
];

/** Imports of contacts from CSV files. */
export class CampaignImports1760006150000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE campaign_import_refusals, campaign_imports');
  }
}
