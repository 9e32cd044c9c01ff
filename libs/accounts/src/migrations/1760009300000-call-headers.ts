import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Headers of incoming INVITEs that calls keep, and of BYE and REFER that they write. */
export class CallHeaders1760009300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks ADD COLUMN inbound_headers jsonb, ADD COLUMN end_headers jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks DROP COLUMN inbound_headers, DROP COLUMN end_headers');
  }
}
