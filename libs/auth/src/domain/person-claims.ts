import type { Role, StoredSignIn } from '@app/accounts';
import { highestRole } from './role.js';

/** The claims of a verified token or of a UserInfo response. */
export type Claims = Readonly<Record<string, unknown>>;

const MAX_TEXT = 300;
/** More groups than a person has; the rest of a larger list is ignored. */
const MAX_GROUPS = 5_000;

/** OpenID Connect Core §2. */
const MAX_SUBJECT = 255;
/** Keycloak and Entra ID send 36 characters; an entry of an index holds about 2,700 bytes. */
const MAX_ISSUER_SESSION = 500;

/** Whether PostgreSQL stores a text as it is: it has no null character, and a lone surrogate would become another character. */
export const isStorable = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

const textOf = (value: unknown, max = MAX_TEXT): string | null =>
  typeof value === 'string' && value !== '' && value.length <= max && isStorable(value) ? value : null;

/** `sub`; null: it is missing or cannot be stored. */
export const subjectOf = ({ sub }: Claims): string | null => textOf(sub, MAX_SUBJECT);

/** `sid`, the session at the issuer; null: it is missing or cannot be stored. */
export const issuerSessionOf = ({ sid }: Claims): string | null => textOf(sid, MAX_ISSUER_SESSION);

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
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MAX_GROUPS) : [value];
  return list.filter((group) => typeof group === 'string');
}

/** Some issuers send the text `true`. */
const isVerified = ({ email_verified: verified }: Claims): boolean => verified === true || verified === 'true';

const verifiedEmail = (claims: Claims): string | undefined =>
  isVerified(claims) ? textOf(claims.email)?.toLowerCase() : undefined;

type RoleRules = Pick<StoredSignIn, 'group_claim' | 'roles' | 'people' | 'default_role' | 'allowed_domains'>;

/** Why a person gets no role. */
export type NoRole = 'domain' | 'no_role';

/** What a role rests on. It is kept with a session, so that changed rules apply to it at once. */
export interface RoleGrounds {
  /** Where the groups come from. */
  claim: string;
  /** Groups with a rule; the others of a person are not kept. */
  groups: string[];
  /** Verified. */
  email: string | null;
}

const claimOf = ({ group_claim: claim }: RoleRules): string => claim ?? 'groups';

export function groundsOf(claims: Claims, rules: RoleRules): RoleGrounds {
  const claim = claimOf(rules);
  const groups = groupsOf(claims, claim).filter((group) => ownRole(rules.roles, group) !== undefined);
  return { claim, groups: [...new Set(groups)], email: verifiedEmail(claims) ?? null };
}

/** The role of a person in an account, or why there is none. */
export function roleOf({ claim, groups, email }: RoleGrounds, rules: RoleRules): Role | { refused: NoRole } {
  const domains = rules.allowed_domains ?? [];
  if (domains.length > 0 && !domains.includes(email?.split('@').at(-1) ?? '')) return { refused: 'domain' };
  const { roles, people, default_role: byDefault } = rules;
  const byGroup = claim === claimOf(rules) ? groups.map((group) => ownRole(roles, group)) : [];
  const byEmail = ownRole(people, email ?? '');
  return highestRole([...byGroup, byEmail]) ?? byDefault ?? { refused: 'no_role' };
}

export const roleOfPerson = (claims: Claims, rules: RoleRules): Role | { refused: NoRole } =>
  roleOf(groundsOf(claims, rules), rules);

/** `Object.hasOwn`: groups are chosen by others, and `constructor` is not a role. */
const ownRole = (roles: Readonly<Record<string, Role>> | null | undefined, key: string): Role | undefined =>
  roles && Object.hasOwn(roles, key) ? roles[key] : undefined;

/** What the console and the audit log show of a person. An unverified address is shown as well, but gives no right. */
export const describePerson = (claims: Claims): { email: string | null; name: string | null } => ({
  email: (textOf(claims.email) ?? addressIn(claims.preferred_username) ?? addressIn(claims.upn))?.toLowerCase() ?? null,
  name: textOf(claims.name) ?? textOf(claims.preferred_username),
});

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && value.includes('@') ? textOf(value) : null;
