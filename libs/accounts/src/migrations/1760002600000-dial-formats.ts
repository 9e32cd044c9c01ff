import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DialFormats1760002600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks ADD COLUMN dial_formats jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks DROP COLUMN dial_formats');
  }
}
