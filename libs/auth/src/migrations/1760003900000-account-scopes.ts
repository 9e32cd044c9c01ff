import type { MigrationInterface, QueryRunner } from 'typeorm';

const EARLIER = [
  'agents:read',
  'audit:read',
  'calls:read',
  'calls:write',
  'knowledge:read',
  'knowledge:write',
  'numbers:read',
  'tokens:read',
  'tokens:write',
  'tools:read',
  'tools:write',
  'trunks:read',
  'webhooks:read',
  'webhooks:write',
];
const ADDED = ['account:read', 'agents:write', 'numbers:write', 'trunks:write'];

const list = (scopes: string[]): string => `ARRAY[${scopes.map((scope) => `'${scope}'`).join(', ')}]::text[]`;

/** Tokens with every scope of a tenant (`*`) keep every scope: the new ones are added to them. */
export class AccountScopes1760003900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE api_tokens SET scopes = scopes || ${list(ADDED)} WHERE scopes @> ${list(EARLIER)} AND NOT scopes && ${list(ADDED)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE api_tokens SET scopes = ARRAY(SELECT s FROM unnest(scopes) s WHERE s <> ALL (${list([...ADDED, 'account:write'])}))
        WHERE scopes && ${list([...ADDED, 'account:write'])}`,
    );
  }
}
