import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { operations } from '../support/api-document.js';
import { TestApi } from '../support/app.js';
import { aWorkspace, type Workspace } from '../support/factories.js';
import { roleScopes } from '../support/role-scopes.js';
import { AUDIENCE, CLIENT, TestIssuer } from '../support/test-issuer.js';

let issuer: TestIssuer;
let foreign: TestIssuer;
let api: TestApi;
let base: string;
let own: Workspace;
let their: Workspace;
let third: Workspace;

const ROLES = { 'voice-owners': 'owner', 'voice-ops': 'operator', 'voice-editors': 'agent_editor', everyone: 'viewer' };
const SCOPES_OF = roleScopes();
const now = () => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  [issuer, foreign] = [await TestIssuer.start(), await TestIssuer.start()];
  const variables = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT.client_id, OIDC_AUDIENCE: AUDIENCE };
  // The table of routes and roles has hundreds of refused requests.
  api = await TestApi.start({ ...variables, AUTH_FAILURES_PER_MINUTE: '0' });
  base = api.baseUrl;
  [own, their, third] = [await aWorkspace(api.pool), await aWorkspace(api.pool), await aWorkspace(api.pool)];
  await settle(own, { roles: ROLES });
  await settle(their, { organisation: 'other', issuer: foreign.url, ...CLIENT, roles: ROLES, audience: AUDIENCE });
  await settle(third, { organisation: 'third', roles: { 'voice-third': 'viewer' } });
});
afterAll(async () => {
  await api?.stop();
  for (const one of [issuer, foreign]) await one?.stop();
});

async function settle({ token }: Workspace, settings: object): Promise<void> {
  await api.as(token).put('/api/v1/account/sign-in').send(settings).expect(200);
}

const get = (path: string, token: string, headers: Record<string, string> = {}) =>
  fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

const annas = { sub: 'anna', groups: ['voice-owners'], email: 'anna@example.com', email_verified: true };

describe('an access token of an issuer', () => {
  it('opens the account of its groups, with the scopes of the role', async () => {
    const token = await issuer.sign(annas);
    const answer = await get('/api/v1/session', token);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ account: { id: own.accountId }, role: 'owner' });
    expect((data.scopes as string[]).toSorted()).toEqual(SCOPES_OF.owner);
    expect(data.person).toMatchObject({ email: 'anna@example.com' });
    const theirs = await get('/api/v1/session', await foreign.sign(annas));
    expect(await theirs.json()).toMatchObject({ data: { account: { id: their.accountId } } });
  });

  it.each([
    ['that has expired', () => issuer.sign({ ...annas, exp: now() - 60 })],
    ['without an expiry', () => issuer.sign({ ...annas, exp: undefined })],
    ['that is not valid yet', () => issuer.sign({ ...annas, nbf: now() + 120 })],
    ['that was issued in the future', () => issuer.sign({ ...annas, iat: now() + 120 })],
    ['for another audience', () => issuer.sign({ ...annas, aud: 'https://other.example.com' })],
    ['for the client of the console instead of the API', () => issuer.sign({ ...annas, aud: CLIENT.client_id })],
    ['of another client', () => issuer.sign({ ...annas, client_id: 'a-game' })],
    ['of no client', () => issuer.sign({ ...annas, client_id: undefined })],
    ['of an unknown issuer', () => issuer.sign({ ...annas, iss: 'https://login.example.net' })],
    ['that names another issuer than the one that signed it', () => issuer.sign({ ...annas, iss: foreign.url })],
    ['that is not signed', () => unsigned({ alg: 'none', typ: 'at+jwt' })],
    ['that is signed with the public key as a shared secret', () => confused()],
    ['that is signed with a foreign key', async () => issuer.sign(annas, { key: await issuer.foreignKey() })],
    ['with a key of its own in the header', async () => withOwnKey()],
    ['without a subject', () => issuer.sign({ ...annas, sub: undefined })],
    ['that is bound to a key', () => issuer.sign({ ...annas, cnf: { jkt: 'x' } })],
    ['that is an ID token', () => issuer.sign({ ...annas, nonce: 'x' }, { header: { typ: 'JWT' } })],
    ['that is a logout token', () => issuer.sign({ ...annas, events: {} }, { header: { typ: 'logout+jwt' } })],
    ['that never expires as far as a date can say', () => issuer.sign({ ...annas, exp: 9e15 })],
    ['that was issued before all dates', () => issuer.sign({ ...annas, iat: -9e15 })],
    ['that is valid since a time after all dates', () => issuer.sign({ ...annas, nbf: 9e15 })],
    ['with a time of issue as text', () => issuer.sign({ ...annas, iat: 'today' as never })],
    ['with a null character in the subject', () => issuer.sign({ ...annas, sub: 'anna\0' })],
    ['with half a surrogate pair in the subject', () => issuer.sign({ ...annas, sub: 'anna\ud800' })],
    ['with an empty subject', () => issuer.sign({ ...annas, sub: '' })],
    ['with a subject that is too long for an index', () => issuer.sign({ ...annas, sub: 'x'.repeat(5_000) })],
    ['with a subject that is a number', () => issuer.sign({ ...annas, sub: 7 as never })],
    ['with a null character in the issuer', () => issuer.sign({ ...annas, iss: `${issuer.url}\0` })],
    ['with half a surrogate pair in the issuer', () => issuer.sign({ ...annas, iss: `${issuer.url}\ud800` })],
    ['with a null character in the audience', () => issuer.sign({ ...annas, aud: 'a\0' })],
    ['with a null character in the name of the key', () => issuer.sign(annas, { header: { kid: 'a\0' } })],
    ['whose claims were changed', async () => changed(await issuer.sign(annas))],
  ])('%s is refused with 401', async (_which, token) => {
    const answer = await get('/api/v1/session', await token());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toEqual({
      message: expect.stringMatching(/^Unauthenticated\. The token is unknown, expired/),
    });
  });

  it('opens the account whatever its other claims are', async () => {
    const odd = [9e15, -1, 'a\0b', '\ud800', 'x'.repeat(600), { a: ['\0'] }, null];
    for (const [index, value] of odd.entries()) {
      const claims = { auth_time: value, jti: value as never, name: value, email: value, preferred_username: value };
      const token = await issuer.sign({ ...annas, ...claims, sub: `odd-${index}`, groups: ['voice-owners', value] });
      const answer = await get('/api/v1/session', token);
      expect([index, answer.status]).toEqual([index, 200]);
      const { data } = (await answer.json()) as { data: { person: object } };
      expect(data.person).toMatchObject({ email: null, name: null });
    }
  });

  it('is refused as an ID token for the console', async () => {
    const idToken = await issuer.sign(
      { ...annas, aud: CLIENT.client_id, nonce: 'n', at_hash: 'h' },
      { header: { typ: 'JWT' } },
    );
    expect((await get('/api/v1/session', idToken)).status).toBe(401);
  });

  it('without a role is refused with a reason', async () => {
    const answer = await get('/api/v1/session', await issuer.sign({ ...annas, groups: ['constructor', '__proto__'] }));
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { message: 'The access token is valid, but its groups have no role in an account.' },
    ]);
  });

  it('of a person of several accounts needs the name of one', async () => {
    const token = await issuer.sign({ ...annas, groups: ['voice-owners', 'voice-third'] });
    expect((await get('/api/v1/session', token)).status).toBe(403);
    const chosen = await get('/api/v1/session', token, { 'trunkline-account': 'third' });
    expect(await chosen.json()).toMatchObject({ data: { account: { id: third.accountId }, role: 'viewer' } });
    expect((await get('/api/v1/session', token, { 'trunkline-account': 'other' })).status).toBe(403);
  });

  it('with each role has exactly the scopes of the role, on every route', async () => {
    const routes = (await operations()).filter(({ scope, method }) => scope !== undefined && method === 'get');
    for (const [group, role] of Object.entries(ROLES)) {
      const token = await issuer.sign({ ...annas, sub: `of-${role}`, groups: [group] });
      for (const { path, scope, name } of routes) {
        const url = path.replaceAll(/\{[^}]+\}/g, '999999');
        const { status } = await get(url, token);
        const allowed = SCOPES_OF[role]!.includes(scope ?? '');
        expect([name, role, status === 403]).toEqual([name, role, !allowed]);
      }
    }
  });

  it('cannot change what its role may only read', async () => {
    const routes = (await operations()).filter(({ scope, method }) => scope !== undefined && method !== 'get');
    for (const [group, role] of Object.entries(ROLES)) {
      const token = await issuer.sign({ ...annas, sub: `of-${role}`, groups: [group] });
      const own = SCOPES_OF[role]!;
      for (const { path, scope, name, method } of routes.filter(({ scope }) => !own.includes(scope ?? ''))) {
        const url = `${base}${path.replaceAll(/\{[^}]+\}/g, '999999')}`;
        const answer = await fetch(url, {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${token}` },
        });
        expect([name, role, answer.status, await answer.json()]).toEqual([
          name,
          role,
          403,
          { message: `Your role ${role} lacks the scope ${scope}.` },
        ]);
      }
    }
  });
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = () => ({
  ...annas,
  iss: issuer.url,
  aud: AUDIENCE,
  client_id: CLIENT.client_id,
  iat: now(),
  exp: now() + 300,
});

const unsigned = (header: object): string => `${encode(header)}.${encode(claims())}.`;

/** The attack on libraries that take the algorithm from the token. */
function confused(): string {
  const text = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: issuer.publicJwk.kid })}.${encode(claims())}`;
  return `${text}.${createHmac('sha256', JSON.stringify(issuer.publicJwk)).update(text).digest('base64url')}`;
}

async function withOwnKey(): Promise<string> {
  const key = await issuer.foreignKey();
  const { kty, n, e } = key.jwk;
  const header = { alg: 'RS256', typ: 'at+jwt', jwk: { kty, n, e } as never };
  return new SignJWT(claims()).setProtectedHeader(header).sign(key.private);
}

function changed(token: string): string {
  const [header, , signature] = token.split('.');
  return `${header}.${encode({ ...claims(), sub: 'mallory' })}.${signature}`;
}
