import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { highestRole, LOWEST_ROLE, ROLE_SCOPES } from './role.js';
import { OPERATOR_SCOPES, SCOPES } from './token.js';

const tenantScopes = SCOPES.filter((scope) => !OPERATOR_SCOPES.includes(scope));

describe('roles', () => {
  it.each(tenantScopes)('the scope %s has a role: add it to LOWEST_ROLE and to docs/sign-in.md', (scope) => {
    expect(Object.keys(LOWEST_ROLE)).toContain(scope);
    expect(ROLE_SCOPES.owner).toContain(scope);
  });

  it('include each other, and no scope of the operator of the installation', () => {
    const { viewer, agent_editor: editor, operator, owner } = ROLE_SCOPES;
    expect(editor).toEqual(expect.arrayContaining([...viewer]));
    expect(operator).toEqual(expect.arrayContaining([...editor]));
    expect(owner).toEqual(tenantScopes);
    expect(viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    expect(viewer).not.toEqual(expect.arrayContaining(['tokens:read']));
    expect(viewer).not.toEqual(expect.arrayContaining(['audit:read']));
  });

  it('are documented with these scopes', () => {
    const page = readFileSync('docs/sign-in.md', 'utf8');
    for (const scope of tenantScopes) {
      const row = new RegExp(`^\\| \`${LOWEST_ROLE[scope] ?? 'owner'}\` \\|.*\`${scope}\``, 'm');
      expect([scope, row.test(page)]).toEqual([scope, true]);
    }
  });

  it('add up to the highest one', () => {
    expect(highestRole(['viewer', undefined, 'operator', 'agent_editor'])).toBe('operator');
    expect(highestRole([undefined, null])).toBeUndefined();
  });
});
