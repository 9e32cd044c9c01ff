import { type Role, ROLES } from '@app/accounts';
import { OPERATOR_SCOPES, type Scope, SCOPES } from './token.js';

/**
 * The lowest role that has a scope; the roles above have it as well. A scope that is not listed belongs to owners only, and a test
 * fails: every scope needs a decision.
 */
export const LOWEST_ROLE: Readonly<Record<string, Role>> = {
  'account:read': 'viewer',
  'agents:read': 'viewer',
  'analytics:read': 'viewer',
  'calls:read': 'viewer',
  'campaigns:read': 'viewer',
  'compliance:read': 'viewer',
  'knowledge:read': 'viewer',
  'numbers:read': 'viewer',
  'tools:read': 'viewer',
  'trunks:read': 'viewer',
  'webhooks:read': 'viewer',
  'agents:write': 'agent_editor',
  'knowledge:write': 'agent_editor',
  'tools:write': 'agent_editor',
  'calls:listen': 'operator',
  'calls:write': 'operator',
  'campaigns:write': 'operator',
  'compliance:write': 'operator',
  'numbers:write': 'operator',
  'webhooks:write': 'operator',
  'audit:read': 'owner',
  'tokens:read': 'owner',
  'tokens:write': 'owner',
  'trunks:write': 'owner',
};

const rankOf = (role: Role): number => ROLES.indexOf(role);

const scopesOf = (role: Role): readonly Scope[] =>
  SCOPES.filter((scope) => {
    const lowest = LOWEST_ROLE[scope] ?? 'owner';
    return !OPERATOR_SCOPES.includes(scope) && rankOf(lowest) <= rankOf(role);
  });

/** The scopes of each role; scopes of operators of the installation belong to none. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: scopesOf('viewer'),
  agent_editor: scopesOf('agent_editor'),
  operator: scopesOf('operator'),
  owner: scopesOf('owner'),
};

/** The role with the most rights; undefined: none is given. */
export function highestRole(roles: readonly (Role | null | undefined)[]): Role | undefined {
  return ROLES.findLast((role) => roles.includes(role));
}
