import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The country of numbers without a country code in the file of an import. */
export class ImportCountry1760008710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_imports ADD COLUMN default_country text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_imports DROP COLUMN default_country');
  }
}
