import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Steps of the conversation of an agent, and the agents that it may hand calls over to. */
export class Flows1760009000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // null: no flow.
    await runner.query(`ALTER TABLE agents ADD COLUMN flow jsonb, ADD COLUMN handoffs jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents DROP COLUMN flow, DROP COLUMN handoffs`);
  }
}
