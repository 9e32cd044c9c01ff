import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE campaigns
    ADD COLUMN has_work boolean NOT NULL DEFAULT false,
    ADD COLUMN windows_changed boolean NOT NULL DEFAULT false,
    ADD COLUMN recent_results text NOT NULL DEFAULT '',
    ADD COLUMN cost_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN webhook_seq integer NOT NULL DEFAULT 0`,
  // In the order of the list of calls.
  `DROP INDEX calls_campaign`,
  `CREATE INDEX calls_list_campaign ON calls (account_id, campaign_id, created_at DESC, id DESC) WHERE campaign_id IS NOT NULL`,
  `CREATE INDEX campaigns_with_work ON campaigns (account_id, id) WHERE has_work`,
  `CREATE INDEX campaign_contacts_by_reason ON campaign_contacts (campaign_id, reason, id) WHERE reason IS NOT NULL`,
  `CREATE INDEX campaign_contacts_by_outcome ON campaign_contacts (campaign_id, outcome, id) WHERE outcome IS NOT NULL`,
  `ALTER TABLE webhook_streams ADD COLUMN campaign_id integer REFERENCES campaigns ON DELETE CASCADE`,
  `CREATE UNIQUE INDEX webhook_streams_campaign ON webhook_streams (campaign_id, url) WHERE campaign_id IS NOT NULL`,
];

/** The state of the campaign runner, and the webhooks of campaigns. */
export class CampaignRunner1760006100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM webhook_streams WHERE campaign_id IS NOT NULL');
    await runner.query('ALTER TABLE webhook_streams DROP COLUMN campaign_id');
    await runner.query(
      'DROP INDEX campaigns_with_work, campaign_contacts_by_reason, campaign_contacts_by_outcome, calls_list_campaign',
    );
    await runner.query('CREATE INDEX calls_campaign ON calls (campaign_id, id) WHERE campaign_id IS NOT NULL');
    await runner.query(
      `ALTER TABLE campaigns DROP COLUMN has_work, DROP COLUMN windows_changed, DROP COLUMN recent_results,
        DROP COLUMN cost_micros, DROP COLUMN webhook_seq`,
    );
  }
}
