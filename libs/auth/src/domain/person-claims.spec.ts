import { describe, expect, it } from '@jest/globals';
import { claimAt, describePerson, roleOfPerson } from './person-claims.js';

const verified = { email: 'Anna@Example.com', email_verified: true };

describe('the role of a person', () => {
  it.each([
    ['the highest of the groups', { groups: ['a', 'b'] }, { roles: { a: 'viewer', b: 'operator' } }, 'operator'],
    ['one group as text', { groups: 'a' }, { roles: { a: 'viewer' } }, 'viewer'],
    ['none for unknown groups', { groups: ['x'] }, { roles: { a: 'viewer' } }, { refused: 'no_role' }],
    [
      'none for groups of the language',
      { groups: ['constructor', '__proto__'] },
      { roles: {} },
      { refused: 'no_role' },
    ],
    ['the default without groups', {}, { default_role: 'viewer' }, 'viewer'],
    [
      'that of realm roles of Keycloak',
      { realm_access: { roles: ['a'] } },
      { group_claim: 'realm_access.roles', roles: { a: 'owner' } },
      'owner',
    ],
    [
      'that of a claim named by a URL',
      { 'https://x.example/groups': ['a'] },
      { group_claim: 'https://x.example/groups', roles: { a: 'owner' } },
      'owner',
    ],
    ['that of a verified address', verified, { people: { 'anna@example.com': 'owner' } }, 'owner'],
    [
      'none for an unverified address',
      { ...verified, email_verified: false },
      { people: { 'anna@example.com': 'owner' } },
      { refused: 'no_role' },
    ],
    ['one of an allowed domain', verified, { allowed_domains: ['example.com'], default_role: 'viewer' }, 'viewer'],
    [
      'none of another domain',
      verified,
      { allowed_domains: ['example.org'], default_role: 'viewer' },
      { refused: 'domain' },
    ],
    [
      'none of a domain that only ends alike',
      { ...verified, email: 'a@evilexample.com' },
      { allowed_domains: ['example.com'], default_role: 'viewer' },
      { refused: 'domain' },
    ],
    [
      'none of a domain with an unverified address',
      { ...verified, email_verified: undefined },
      { allowed_domains: ['example.com'], default_role: 'viewer' },
      { refused: 'domain' },
    ],
  ] as const)('is %s', (_which, claims, rules, expected) => {
    expect(roleOfPerson(claims, rules as Parameters<typeof roleOfPerson>[1])).toEqual(expected);
  });
});

describe('the description of a person', () => {
  it('takes an address from the user name where there is no other', () => {
    expect(describePerson({ preferred_username: 'anna@example.com', name: 'Anna' })).toEqual({
      email: 'anna@example.com',
      name: 'Anna',
    });
    expect(describePerson({ email: 7, name: 'a\nb' })).toEqual({ email: null, name: null });
  });

  it('follows no path into texts and lists', () => {
    expect(claimAt({ a: ['x'] }, 'a.length')).toBeUndefined();
    expect(claimAt({ a: 'x' }, 'a.length')).toBeUndefined();
  });
});
