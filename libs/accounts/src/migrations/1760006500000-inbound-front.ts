import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE phone_numbers ADD COLUMN hours jsonb, ADD COLUMN closed jsonb, ADD COLUMN queue jsonb,
    ADD COLUMN closed_agent_id integer CONSTRAINT phone_numbers_closed_agent_id_fkey REFERENCES agents ON DELETE SET NULL`,
  // A caller waits from `queued_at` until `served_at`.
  `ALTER TABLE calls ADD COLUMN queued_at timestamptz, ADD COLUMN served_at timestamptz`,
  `CREATE INDEX calls_waiting_callers ON calls (account_id, queued_at, id)
    WHERE queued_at IS NOT NULL AND served_at IS NULL AND ended_at IS NULL`,
];

/** Business hours and queues of numbers, and callers that wait. */
export class InboundFront1760006500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN queued_at, DROP COLUMN served_at');
    await runner.query(
      'ALTER TABLE phone_numbers DROP COLUMN hours, DROP COLUMN closed, DROP COLUMN queue, DROP COLUMN closed_agent_id',
    );
  }
}
