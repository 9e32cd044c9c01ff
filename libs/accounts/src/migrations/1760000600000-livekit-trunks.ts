import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LivekitTrunks1760000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks ADD COLUMN livekit_trunk_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks DROP COLUMN livekit_trunk_id');
  }
}
