import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, ask, CONSOLE_HEADER } from './client.js';
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

/** What the sign-in page offers. */
interface SignInOptions {
  /** The organisation of the installation. */
  name: string | null;
  /** Whether the browser has a session, which scripts cannot see. */
  has_session: boolean;
}

/** undefined: the service did not answer. */
export async function signInOptions(): Promise<SignInOptions | undefined> {
  try {
    const response = await fetch(new URL('../sign-in/options', location.href), { cache: 'no-store' });
    return response.ok ? ((await response.json()) as { data: SignInOptions }).data : undefined;
  } catch {
    // The form for a token remains.
    return undefined;
  }
}

interface SignInStart {
  /** Absent: the organisation of the installation. */
  organisation?: string;
  /** Page of the console to return to. */
  place?: string;
  /** The person agreed to leave the running session. */
  replace_session?: boolean;
}

/** Starts a sign-in in this browser. @returns the address at the issuer, or the code of a problem; `signed_in`: it needs `replace_session` */
export async function startSignIn(of: SignInStart): Promise<{ url: string } | { problem: string }> {
  const response = await fetch(new URL('../sign-in/start', location.href), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [CONSOLE_HEADER]: '1' },
    body: JSON.stringify(of),
    cache: 'no-store',
  });
  const answer = (await response.json()) as { data?: { url: string }; code?: string; message?: string };
  if (response.ok && answer.data) return answer.data;
  if (answer.code !== undefined) return { problem: answer.code };
  throw new ApiError(response.status, answer.message ?? 'The sign-in was not started.');
}

/** Ends the session of the cookie. @returns the address of the logout at the issuer, if it offers one */
export async function endSession(): Promise<string | null> {
  const { data } = await ask<{ data: { end_session_url: string | null } }>('DELETE', apiPath`session`);
  return data.end_session_url;
}

/** Whether the session has a scope. True while it is read: the service decides in any case. */
export const may = (scope: Scope): boolean => current.value?.scopes.includes(scope) ?? true;

/** Scopes without which the pages below a path show nothing. */
const READS: Readonly<Record<string, readonly Scope[]>> = {
  overview: ['analytics:read'],
  calls: ['calls:read'],
  campaigns: ['campaigns:read'],
  agents: ['agents:read'],
  knowledge: ['knowledge:read', 'agents:read'],
  tools: ['tools:read', 'agents:read'],
  numbers: ['numbers:read'],
  trunks: ['trunks:read'],
  'do-not-call': ['compliance:read'],
  webhooks: ['webhooks:read'],
  tokens: ['tokens:read'],
  'web-keys': ['agents:read'],
  account: ['account:read'],
  'sign-in': ['account:read'],
  audit: ['audit:read'],
  operations: ['account:write'],
};

const missingScope = (path: string): Scope | undefined => READS[path.split('/')[1] ?? '']?.find((scope) => !may(scope));

export const mayRead = (path: string): boolean => missingScope(path) === undefined;

/** Why the session may not read a page; undefined: it may. */
export const refusalOfPlace = (path: string): string | undefined => refusalOf(missingScope(path));

/** Why the session may not do what needs the scope; undefined: it may. */
export function refusalOf(scope: Scope | undefined): string | undefined {
  if (scope === undefined || may(scope)) return undefined;
  const role = current.value?.role;
  return role
    ? `Your role, ${role.replace('_', ' ')}, lacks the scope ${scope}.`
    : `The token lacks the scope ${scope}.`;
}
