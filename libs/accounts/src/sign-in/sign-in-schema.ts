import { z } from 'zod';
import { coded, node, text } from '@app/common/field-schemas';

/** Roles of people, each with all rights of those before it. */
export const ROLES = ['viewer', 'agent_editor', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const MAX_ENTRIES = 500;
const role = z.enum(ROLES, `must be one of ${ROLES.join(', ')}`);

/** The sentence about a key is that of its own rule. */
const keyProblem = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;

const roleOf = (key: z.ZodType<string, string>) =>
  z
    .record(key, role, { error: (issue) => keyProblem(issue) ?? 'must be a map to roles' })
    .refine(
      (map) => Object.keys(map).length <= MAX_ENTRIES,
      coded('too_many', `must not have more than ${MAX_ENTRIES} entries`),
    );

const line = (max: number) => text(max).regex(/^[^\p{Cc}]+$/u, 'must not be empty or contain control characters');
const domain = text(253)
  .toLowerCase()
  .regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/, 'must be a domain such as example.com');
const email = text(254)
  .toLowerCase()
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');

/** Their tokens name the tenant as the issuer, so they never match. */
const SHARED_TENANTS = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/;
const GOOGLE = 'https://accounts.google.com';

const issuer = text(300)
  .refine(
    (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol),
    coded('invalid_format', 'must be the URL of an issuer'),
  )
  .refine((url) => !/[?#]/.test(url), 'must not have a query or a fragment')
  .refine((url) => !SHARED_TENANTS.test(url), 'must name your tenant: https://login.microsoftonline.com/TENANT-ID/v2.0')
  .transform(withoutSlash);

/** Issuers are compared without their final slash. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

const signInShape = {
  organisation: text(63)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must consist of lower-case letters, digits and hyphens')
    .nullish()
    .describe('Short name that people enter to sign in; unique in the installation.'),
  issuer: issuer
    .nullish()
    .describe(
      'URL of the OpenID Connect issuer, as its discovery document names it; null: the issuer of the installation.',
    ),
  client_id: line(300).nullish().describe('Client ID of the console at the issuer; required with `issuer`.'),
  client_secret: line(1_000)
    .nullish()
    .describe('Client secret, stored encrypted and never shown; absent: the stored one of the same client.'),
  scopes: line(500).nullish().describe('Scopes of sign-in requests; null: `openid profile email`.'),
  audience: line(300)
    .nullish()
    .describe('Audience of access tokens for the API; null: that of the installation, or no access tokens.'),
  api_clients: z
    .array(line(300), 'must be a list')
    .max(100, 'must not have more than 100 entries')
    .nullish()
    .describe('Client IDs whose access tokens the API accepts, beside the client ID of the console.'),
  group_claim: line(200)
    .nullish()
    .describe('Claim with the groups of a person; a path such as `realm_access.roles` is allowed; null: `groups`.'),
  roles: roleOf(line(300)).nullish().describe('Roles by group: the highest role of all groups counts.'),
  people: roleOf(email).nullish().describe('Roles by verified e-mail address, for issuers without groups.'),
  default_role: role.nullish().describe('Role of people without a matching group; null: they cannot sign in.'),
  allowed_domains: z
    .array(domain, 'must be a list of domains')
    .max(100, 'must not have more than 100 entries')
    .nullish()
    .describe('Domains of verified e-mail addresses that may sign in; empty: all.'),
};

/** `sign_in` of an account. It replaces the stored settings as a whole, except an absent client secret. */
export const signIn = node(signInShape).superRefine((given, context) => {
  if (Boolean(given.issuer) !== Boolean(given.client_id))
    context.addIssue({
      code: 'custom',
      path: [given.issuer ? 'client_id' : 'issuer'],
      message: 'is required: issuer and client_id belong together',
    });
  if (given.client_secret && !given.issuer)
    context.addIssue({
      code: 'custom',
      path: ['client_secret'],
      message: 'needs an issuer',
      params: { code: 'not_allowed' },
    });
  const granted = [given.roles, given.people].some((map) => Object.keys(map ?? {}).length > 0) || given.default_role;
  if (!granted)
    context.addIssue({
      code: 'custom',
      path: ['roles'],
      message: 'must grant a role, unless people or default_role does',
    });
  if (given.issuer === GOOGLE && given.default_role && !given.allowed_domains?.length)
    context.addIssue({
      code: 'custom',
      path: ['allowed_domains'],
      message: 'is required with default_role: everyone has an account at this issuer',
    });
});

export type SignInFields = z.output<typeof signIn>;

/** What is stored as JSON: everything without a column. */
export type StoredSignIn = Omit<SignInFields, 'organisation' | 'issuer' | 'client_secret'>;
