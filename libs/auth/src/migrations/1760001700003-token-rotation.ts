import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The successor of a rotated token; a token is rotated once. */
export class TokenRotation1760001700003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_tokens ADD COLUMN replaced_by integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_tokens DROP COLUMN replaced_by`);
  }
}
