import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The country of phone numbers without a country code. */
export class DefaultCountry1760008700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN default_country text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN default_country');
  }
}
