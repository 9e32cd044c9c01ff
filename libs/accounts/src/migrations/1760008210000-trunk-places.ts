import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // `place`: host and port of a target, or an address that it resolved to. `target`: the place of the target itself.
  `CREATE TABLE trunk_places (
    trunk_id integer NOT NULL REFERENCES sip_trunks ON DELETE CASCADE,
    place text NOT NULL,
    target text NOT NULL,
    answered_at timestamptz NOT NULL,
    PRIMARY KEY (trunk_id, place)
  )`,
  `CREATE INDEX trunk_places_place ON trunk_places (place)`,
  `ALTER TABLE sip_trunks ADD COLUMN response_timeout_seconds integer
    CONSTRAINT sip_trunks_response_timeout_seconds_check CHECK (response_timeout_seconds BETWEEN 8 AND 32)`,
];

/** The places of trunks that have answered a call or OPTIONS, and the wait of a call for the first response of its last target. */
export class TrunkPlaces1760008210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sip_trunks DROP COLUMN response_timeout_seconds');
    await runner.query('DROP TABLE trunk_places');
  }
}
