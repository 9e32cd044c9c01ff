import type { Role, StoredSignIn } from '@app/accounts';
import { highestRole } from './role.js';

/** The claims of a verified token or of a UserInfo response. */
export type Claims = Readonly<Record<string, unknown>>;

const MAX_TEXT = 300;
/** More groups than a person has; the rest of a larger list is ignored. */
const MOST_GROUPS = 5_000;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && !/\p{Cc}/u.test(value) ? value : null;

/** A claim by its name, or by a path such as `realm_access.roles`. A claim whose name has dots comes before a path. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, key) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
    return isMap ? (value as Claims)[key] : undefined;
  }, claims);
}

/** One group, or a list of them. */
function groupsOf(claims: Claims, name: string): string[] {
  const value = claimAt(claims, name);
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MOST_GROUPS) : [value];
  return list.filter((group) => typeof group === 'string');
}

/** Some issuers send the text `true`. */
const isVerified = ({ email_verified: verified }: Claims): boolean => verified === true || verified === 'true';

const verifiedEmail = (claims: Claims): string | undefined =>
  isVerified(claims) ? textOf(claims.email)?.toLowerCase() : undefined;

type RoleRules = Pick<StoredSignIn, 'group_claim' | 'roles' | 'people' | 'default_role' | 'allowed_domains'>;

/** Why a person gets no role. */
export type NoRole = 'domain' | 'no_role';

/** The role of a person in an account, or why there is none. */
export function roleOfPerson(claims: Claims, rules: RoleRules): Role | { refused: NoRole } {
  const email = verifiedEmail(claims);
  const domains = rules.allowed_domains ?? [];
  if (domains.length > 0 && !domains.includes(email?.split('@').at(-1) ?? '')) return { refused: 'domain' };
  const { roles, people, default_role: byDefault } = rules;
  const byGroup = groupsOf(claims, rules.group_claim ?? 'groups').map((group) => ownRole(roles, group));
  const byEmail = ownRole(people, email ?? '');
  return highestRole([...byGroup, byEmail]) ?? byDefault ?? { refused: 'no_role' };
}

/** `Object.hasOwn`: groups are chosen by others, and `constructor` is no role. */
const ownRole = (roles: Readonly<Record<string, Role>> | null | undefined, key: string): Role | undefined =>
  roles && Object.hasOwn(roles, key) ? roles[key] : undefined;

/** What the console and the audit log show of a person. An unverified address is shown as well, but gives no right. */
export const describedPerson = (claims: Claims): { email: string | null; name: string | null } => ({
  email: (textOf(claims.email) ?? addressIn(claims.preferred_username) ?? addressIn(claims.upn))?.toLowerCase() ?? null,
  name: textOf(claims.name) ?? textOf(claims.preferred_username),
});

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && value.includes('@') ? textOf(value) : null;
