import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Digits that agents ask for, tools that pause the recording, and consent to it. */
export class RecordingConsent1760007200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents ADD COLUMN pause_recording_tool boolean NOT NULL DEFAULT false,
      ADD COLUMN digit_inputs jsonb NOT NULL DEFAULT '[]', ADD COLUMN recording_consent jsonb`);
    await runner.query(`ALTER TABLE calls ADD COLUMN recording_consent jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN recording_consent`);
    await runner.query(
      `ALTER TABLE agents DROP COLUMN pause_recording_tool, DROP COLUMN digit_inputs, DROP COLUMN recording_consent`,
    );
  }
}
