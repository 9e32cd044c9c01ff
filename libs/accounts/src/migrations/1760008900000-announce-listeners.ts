import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tenant scopes before `calls:listen`. */
const EARLIER = [
  ...['account:read', 'agents:read', 'agents:write', 'analytics:read', 'audit:read', 'calls:read', 'calls:write'],
  ...['campaigns:read', 'campaigns:write', 'compliance:read', 'compliance:write', 'knowledge:read', 'knowledge:write'],
  ...['numbers:read', 'numbers:write', 'tokens:read', 'tokens:write', 'tools:read', 'tools:write', 'trunks:read'],
  ...['trunks:write', 'webhooks:read', 'webhooks:write'],
];

const list = (scopes: string[]): string => `ARRAY[${scopes.map((scope) => `'${scope}'`).join(', ')}]::text[]`;

/** How users learn of people who listen to their calls; tokens with every scope of a tenant (`*`) may listen. */
export class AnnounceListeners1760008900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN announce_listeners jsonb');
    await runner.query(
      `UPDATE api_tokens SET scopes = scopes || ARRAY['calls:listen']
        WHERE scopes @> ${list(EARLIER)} AND NOT scopes @> ARRAY['calls:listen']`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE api_tokens SET scopes = array_remove(scopes, 'calls:listen') WHERE scopes @> ARRAY['calls:listen']`,
    );
    await runner.query('ALTER TABLE accounts DROP COLUMN announce_listeners');
  }
}
