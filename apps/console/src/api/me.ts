import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, ask } from './client.js';
import { apiPath } from './path.js';
import type { Scope, Session } from './types.js';

const current = signal<Session | undefined>(undefined);

/** The account, the person or token, and the scopes of this session; undefined while it is read. */
export const me: ReadonlySignal<Session | undefined> = current;

/** Reads the session of the token, or of the cookie. false: there is none. Throws the other errors. */
export async function readSession(): Promise<boolean> {
  current.value = undefined;
  try {
    current.value = (await ask<{ data: Session }>('GET', apiPath`session`)).data;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

/** Ends the session of the cookie. @returns the address of the logout at the issuer, if it offers one */
export async function endSession(): Promise<string | null> {
  const { data } = await ask<{ data: { end_session_url: string | null } }>('DELETE', apiPath`session`);
  return data.end_session_url;
}

/** Whether the session has a scope. True while it is read: the service decides in any case. */
const may = (scope: Scope): boolean => current.value?.scopes.includes(scope) ?? true;

/** Scopes that the pages below a path need to show and to change records. */
const RIGHTS: Readonly<Record<string, readonly [read: Scope, write?: Scope]>> = {
  overview: ['analytics:read'],
  calls: ['calls:read', 'calls:write'],
  campaigns: ['campaigns:read', 'campaigns:write'],
  agents: ['agents:read', 'agents:write'],
  knowledge: ['knowledge:read', 'knowledge:write'],
  tools: ['tools:read', 'tools:write'],
  numbers: ['numbers:read', 'numbers:write'],
  trunks: ['trunks:read', 'trunks:write'],
  'do-not-call': ['compliance:read', 'compliance:write'],
  webhooks: ['webhooks:read', 'webhooks:write'],
  tokens: ['tokens:read', 'tokens:write'],
  account: ['account:read', 'account:write'],
  audit: ['audit:read'],
};

const rightsAt = (path: string) => RIGHTS[path.split('/')[1] ?? ''];

export function mayRead(path: string): boolean {
  const rights = rightsAt(path);
  return rights === undefined || may(rights[0]);
}

/** Why the session cannot change anything on the page of the address; undefined: it can. */
export function refusalHere(): string | undefined {
  const scope = rightsAt(location.hash.slice(1).split('?')[0] ?? '')?.[1];
  if (scope === undefined || may(scope)) return undefined;
  const role = current.value?.role;
  return role
    ? `Your role, ${role.replace('_', ' ')}, may only look at this page.`
    : `The token lacks the scope ${scope}.`;
}
