import { AccountsService } from '@app/accounts';
import { AuthModule, parseScopes, type TokenRow, TokensService } from '@app/auth';
import type { Env } from '@app/common';
import { type AccountOptions, accountIdOf, onlyAccount, operator, withServices } from '../command-context.js';
import { printList } from '../listed-records.js';
import { Problem } from '../problem.js';

const UNITS_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export interface IssueOptions extends AccountOptions {
  name: string;
  scopes: string;
  expires?: string;
}

/** `trunkline tokens issue`: prints the token; it cannot be shown again. */
export async function issueCommand(env: Env, options: IssueOptions): Promise<void> {
  const scopes = orProblem(() => parseScopes(options.scopes));
  const expiresAt = options.expires === undefined ? undefined : expiryOf(options.expires, new Date());
  await withServices(env, [AuthModule], async (services) => {
    const accounts = services.get(AccountsService);
    const account = options.account ?? (await onlyAccount(accounts));
    const accountId = await accountIdOf(accounts, account);
    const { name } = options;
    const command = { accountId, name, scopes, expiresAt, actor: operator() };
    const { token, id } = await services.get(TokensService).issue(command);
    const expires_at = expiresAt?.toISOString() ?? null;
    const issued = { token, id, account_id: accountId, account, name, scopes, expires_at };
    console.log(options.json ? JSON.stringify(issued, null, 2) : token);
  });
}

/** `trunkline tokens list`. */
export async function listCommand(env: Env, options: { account?: string; json?: boolean }): Promise<void> {
  const { account } = options;
  await withServices(env, [AuthModule], async (services) => {
    const accounts = services.get(AccountsService);
    const accountId = account === undefined ? undefined : await accountIdOf(accounts, account);
    const tokens = await services.get(TokensService).all(accountId);
    printList(options.json, tokens, inOneLine, 'There are no tokens.');
  });
}

/** `trunkline tokens revoke ID`: running processes reject the token within 5 s. */
export async function revokeCommand(env: Env, id: string, options: { json?: boolean }): Promise<void> {
  const tokenId = idOf(id);
  const known = await withServices(env, [AuthModule], (services) =>
    services.get(TokensService).revoke(tokenId, { actor: operator() }),
  );
  if (!known) throw new Problem(`There is no token ${id}; \`tokens list\` shows all tokens.`);
  console.log(options.json ? JSON.stringify({ id: tokenId, revoked: true }) : `token ${id} is revoked`);
}

/** `trunkline tokens rotate ID`: replaces the token; the old one stays valid for the overlap. */
export async function rotateCommand(
  env: Env,
  id: string,
  { overlap, json }: { overlap: string; json?: boolean },
): Promise<void> {
  const now = new Date();
  const ends = overlap === '0' ? now : expiryOf(overlap, now, '--overlap');
  const command = { overlapMinutes: (ends.getTime() - now.getTime()) / 60_000, actor: operator() };
  const rotated = await withServices(env, [AuthModule], (services) =>
    services.get(TokensService).rotate(idOf(id), command),
  );
  if (!rotated)
    throw new Problem(
      `Token ${id} does not exist, has ended or was already rotated; \`tokens list\` shows all tokens.`,
    );
  if (json) return console.log(JSON.stringify(rotated, null, 2));
  console.error(`token ${rotated.id} replaces token ${id}, which ends ${rotated.previous_ends_at.toISOString()}`);
  console.log(rotated.token);
}

/** Throws Problem. */
function idOf(text: string): number {
  const id = Number(text);
  if (Number.isInteger(id) && id >= 1 && id <= 2_147_483_647) return id;
  throw new Problem(`"${text}" is not a token id; \`tokens list\` shows all ids.`);
}

function inOneLine(token: TokenRow): string {
  const state = token.revoked_at
    ? 'revoked'
    : token.expires_at
      ? `expires ${token.expires_at.toISOString()}`
      : 'active';
  return `${token.id}  ${token.account}  ${token.name}  ${token.hint}  ${token.scopes.join(',')}  ${state}`;
}

function orProblem<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Problem((error as Error).message, { cause: error });
  }
}

/** `12h`, `30d`, `4w` from now, or a date in the future. Throws Problem. */
export function expiryOf(text: string, now: Date, option = '--expires'): Date {
  const at = fromNow(text, now) ?? new Date(text);
  if (at.getTime() > now.getTime()) return at;
  throw new Problem(`${option} "${text}" is not a time in the future. Examples: 12h, 30d, 2027-01-31`);
}

function fromNow(text: string, now: Date): Date | undefined {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const ms = unit && UNITS_MS[unit];
  return ms ? new Date(now.getTime() + Number(count) * ms) : undefined;
}
