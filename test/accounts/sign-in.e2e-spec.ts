import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApi } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { aToken, aWorkspace, type Workspace } from '../support/factories.js';
import { SCOPES } from '../support/scopes.js';
import { SignInBrowser } from '../support/sign-in-browser.js';
import { clientOf, person, ROLES, SESSION, SignInEnvironment } from '../support/sign-in-environment.js';
import { AUDIENCE, CLIENT, type TestIssuer } from '../support/test-issuer.js';

let world: SignInEnvironment;
let issuer: TestIssuer;
let foreign: TestIssuer;
let api: TestApi;
let base: string;
let own: Workspace;
let their: Workspace;

const BROWSER = '__Host-trunkline-sign-in';
const now = () => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  world = await SignInEnvironment.start();
  ({ issuer, foreign, api, base, own, their } = world);
});
afterAll(() => world?.stop());
beforeEach(() => void (issuer.isDown = false));

const toConsole = (url: URL): boolean => url.pathname.startsWith('/console/');
const isCallback = (url: URL): boolean => url.pathname.startsWith('/sign-in/callback');

/** The address at which a browser returns from the issuer. */
const callbackOf = async (browser: SignInBrowser, login: string, organisation?: string): Promise<URL> =>
  browser.follow(await browser.begin(base, { organisation }), { login, isEnd: isCallback });

/** What the console asks before it asks for the session. */
async function hasSession(browser: SignInBrowser): Promise<boolean> {
  const options = await browser.fetch(`${base}/sign-in/options`);
  return ((await options.json()) as { data: { has_session: boolean } }).data.has_session;
}

describe('a sign-in at the console', () => {
  it('ends with a session in a cookie, and the audit log names the person', async () => {
    const { browser, end } = await world.signIn('anna', { place: '/agents' });
    expect(end.href).toBe(`${base}/console/#/agents`);
    const me = await world.asConsole(browser, '/api/v1/session');
    expect(await me.json()).toMatchObject({
      data: { role: 'owner', token_id: null, person: { email: 'anna@example.com', name: 'Anna Smith' } },
    });
    const made = await world.asConsole(browser, '/api/v1/tokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'for a machine' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(made.status).toBe(201);
    const list = await world.asConsole(
      browser,
      '/api/v1/audit-events?actor=person:ANNA@example.com&action=token.issued',
    );
    const { data } = (await list.json()) as { data: { actor: object }[] };
    expect(data).toHaveLength(1);
    expect(data[0]?.actor).toMatchObject({
      kind: 'person',
      email: 'anna@example.com',
      name: 'Anna Smith',
      subject: 'anna',
    });
    const none = await world.asConsole(
      browser,
      '/api/v1/audit-events?actor=person:vik@example.com&action=token.issued',
    );
    expect(await none.json()).toMatchObject({ data: [] });
  });

  it('stores neither the cookie nor a token of the issuer in plain text', async () => {
    const { browser } = await world.signIn('anna');
    const cookie = browser.cookies(new URL(base).host).get(SESSION) ?? '';
    const { rows } = await api.pool.query<{ row: string }>('SELECT to_jsonb(s)::text AS row FROM sessions s');
    const text = rows.map(({ row }) => row).join();
    expect(cookie).toMatch(/^[\w-]{43}$/);
    expect(text).not.toContain(cookie);
    expect(text).not.toContain(Buffer.from('eyJ').toString('hex'));
    expect(rows.at(-1)?.row).toMatch(/"refresh_token_sealed": "\\\\x[0-9a-f]{40}/);
  });

  it('sets cookies that other hosts and scripts cannot read', async () => {
    const browser = new SignInBrowser();
    const start = await browser.start(base);
    expect(start.headers.get('set-cookie')).toMatch(
      /^__Host-trunkline-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    );
    const url = new URL(((await start.json()) as { data: { url: string } }).data.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{40,}$/),
      nonce: expect.stringMatching(/^[\w-]{40,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('can use its code, state and nonce once', async () => {
    const browser = new SignInBrowser();
    const callback = await callbackOf(browser, 'anna');
    const saved = browser.cookies(new URL(base).host).get(BROWSER) ?? '';
    const first = await browser.fetch(callback.href);
    expect(first.headers.get('location')).toBe('../console/');
    browser.cookies(new URL(base).host).set(BROWSER, saved);
    const again = await browser.fetch(callback.href);
    expect(again.headers.get('location')).toBe('../console/#sign-in=expired');
    // The code of one sign-in with the state of another one.
    const next = await browser.begin(base, { replace_session: true });
    const other = await browser.follow(next, { login: 'anna', isEnd: isCallback });
    other.searchParams.set('code', callback.searchParams.get('code') ?? '');
    expect((await browser.fetch(other.href)).headers.get('location')).toBe('../console/#sign-in=refused');
  });

  it('of another browser cannot be continued', async () => {
    const [mine, victim] = [new SignInBrowser(), new SignInBrowser()];
    const callback = await callbackOf(mine, 'anna');
    await victim.begin(base);
    expect((await victim.fetch(callback.href)).headers.get('location')).toBe('../console/#sign-in=expired');
  });

  it('returns to pages of the console only', async () => {
    for (const place of ['//evil.example', 'https://evil.example', '/../x?y', '/a%0d%0ab']) {
      const { end } = await world.signIn('anna', { place });
      expect([place, end.host, end.pathname]).toEqual([place, new URL(base).host, '/console/']);
    }
  });

  it('without a role ends with a reason', async () => {
    expect((await world.signIn('guest')).end.hash).toBe('#sign-in=no_role');
    const unknown = await new SignInBrowser().start(base, { organisation: 'unknown' });
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { code: 'unknown', message: 'The sign-in failed: unknown.' },
    ]);
  });

  it('with a subject that cannot be stored is refused', async () => {
    for (const subject of ['x'.repeat(300), 'a\u0001b']) {
      issuer.people.set(subject, person('long@example.com', 'Long', ['everyone']));
      expect((await world.signIn(subject)).end.hash).toBe('#sign-in=refused');
    }
  });

  it('at the issuer of an organisation opens the account of the organisation only', async () => {
    const { browser, end } = await world.signIn('vik', { organisation: 'other' });
    expect(end.hash).toBe('');
    expect(await (await world.asConsole(browser, '/api/v1/session')).json()).toMatchObject({
      data: { account: { id: their.accountId }, role: 'viewer' },
    });
    const call = await world.asConsole(browser, '/api/v1/tokens');
    expect([call.status, await call.json()]).toEqual([
      403,
      { message: 'Your role viewer lacks the scope tokens:read.' },
    ]);
  });

  it('is explained when the issuer is down, while sessions go on', async () => {
    const { browser } = await world.signIn('anna');
    const callback = await callbackOf(new SignInBrowser(), 'anna');
    expect(callback.searchParams.has('code')).toBe(true);
    issuer.isDown = true;
    const late = new SignInBrowser();
    const atIssuer = await late.begin(base);
    issuer.isDown = false;
    const returned = await late.follow(atIssuer, { login: 'anna', isEnd: isCallback });
    issuer.isDown = true;
    expect((await late.fetch(returned.href)).headers.get('location')).toBe('../console/#sign-in=unavailable');
    expect((await world.asConsole(browser, '/api/v1/session')).status).toBe(200);
  });
});

describe('the code of an issuer', () => {
  /** A sign-in at the issuer of `other`, which sends the browser on to the issuer of the installation, as a malicious one can. */
  async function mixedUp(redirectUri: string): Promise<{ browser: SignInBrowser; url: URL }> {
    const browser = new SignInBrowser();
    const url = new URL(await browser.begin(base, { organisation: 'other' }));
    url.host = new URL(issuer.url).host;
    url.searchParams.set('redirect_uri', redirectUri);
    return { browser, url };
  }
  const redeemed = (at: TestIssuer): number => at.requests.filter((one) => one === 'POST /token').length;

  it('is sent to no token endpoint when it arrives in a sign-in at another issuer', async () => {
    const { browser, url } = await mixedUp(`${base}/sign-in/callback`);
    const callback = await browser.follow(url.href, { login: 'anna', isEnd: isCallback });
    expect(callback.searchParams.get('code')).toMatch(/^[\w-]+$/);
    // RFC 9207 would tell as well, but many issuers do not send it.
    callback.searchParams.delete('iss');
    const before = [redeemed(issuer), redeemed(foreign)];
    expect((await browser.fetch(callback.href)).headers.get('location')).toBe('../console/#sign-in=refused');
    expect([redeemed(issuer), redeemed(foreign)]).toEqual(before);
  });

  it('is not given for the redirect URI of another issuer', async () => {
    const { browser, url } = await mixedUp(await world.redirectUriOf(foreign));
    await expect(browser.follow(url.href, { login: 'anna', isEnd: isCallback })).rejects.toThrow('answers with 400');
  });

  it('is not accepted at the redirect URI of another issuer or an unknown one', async () => {
    for (const path of ['/sign-in/callback', `/sign-in/callback/${'0'.repeat(32)}`, '/sign-in/callback/%00']) {
      const browser = new SignInBrowser();
      const callback = await callbackOf(browser, 'vik', 'other');
      const before = redeemed(foreign);
      const answer = await browser.fetch(`${base}${path}${callback.search}`);
      expect([path, answer.status, answer.headers.get('location')?.split('#')[1]]).toEqual([
        path,
        303,
        'sign-in=refused',
      ]);
      expect(redeemed(foreign)).toBe(before);
    }
  });

  it.each([
    ['without', (parameters: URLSearchParams) => parameters.delete('iss')],
    ['with another', (parameters: URLSearchParams) => parameters.set('iss', 'https://login.example.net')],
  ])('is not redeemed %s name of an issuer that promises to send it', async (_which, change) => {
    const browser = new SignInBrowser();
    const callback = await callbackOf(browser, 'anna');
    change(callback.searchParams);
    const before = redeemed(issuer);
    expect((await browser.fetch(callback.href)).headers.get('location')).toBe('../console/#sign-in=refused');
    expect(redeemed(issuer)).toBe(before);
  });
});

describe('a link to a sign-in', () => {
  it('starts nothing, and leads to the question of the console', async () => {
    const browser = new SignInBrowser();
    const link = await browser.fetch(`${base}/sign-in/start?organisation=other&place=/agents`);
    expect([link.status, link.headers.get('location'), link.headers.get('set-cookie')]).toEqual([
      303,
      '../console/#start-sign-in?organisation=other&place=%2Fagents',
      null,
    ]);
    const unknown = await browser.fetch(`${base}/sign-in/start?organisation=//evil.example`);
    expect(unknown.headers.get('location')).toBe('../console/#sign-in=unknown');
  });

  it('cannot be sent as a start by a foreign page', async () => {
    const { browser } = await world.signIn('vik');
    const post = (headers: Record<string, string>, body: string) =>
      browser.fetch(`${base}/sign-in/start`, { method: 'POST', headers, body });
    const form = await post({ 'content-type': 'application/x-www-form-urlencoded' }, 'organisation=other');
    expect(form.status).toBe(415);
    const json = { 'content-type': 'application/json' };
    const body = '{"organisation":"other","replace_session":true}';
    expect((await post(json, body)).status).toBe(403);
    expect((await post({ ...json, 'trunkline-console': '1', 'sec-fetch-site': 'cross-site' }, body)).status).toBe(403);
  });

  it('replaces a running session only when the person agreed', async () => {
    const { browser } = await world.signIn('vik');
    const refused = await browser.start(base, { organisation: 'other' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { code: 'signed_in', message: 'You are already signed in.' },
    ]);
    const agreed = await browser.begin(base, { organisation: 'other', replace_session: true });
    await browser.follow(agreed, { login: 'anna', isEnd: toConsole });
    expect(await (await world.asConsole(browser, '/api/v1/session')).json()).toMatchObject({
      data: { account: { id: their.accountId } },
    });
  });
});

describe('a session of the console', () => {
  it('is not used by pages of other origins', async () => {
    const { browser } = await world.signIn('anna');
    const without = await browser.fetch(`${base}/api/v1/session`);
    expect([without.status, await without.json()]).toEqual([
      403,
      { message: 'Requests with the cookie of the console need the header Trunkline-Console.' },
    ]);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await world.asConsole(browser, '/api/v1/session', { headers: { 'sec-fetch-site': site } });
      expect([site, answer.status]).toEqual([site, 403]);
    }
    expect(
      (await world.asConsole(browser, '/api/v1/session', { headers: { 'sec-fetch-site': 'same-origin' } })).status,
    ).toBe(200);
  });

  it('ends at the sign-out, here and at the issuer', async () => {
    const { browser } = await world.signIn('anna');
    const cookie = browser.cookies(new URL(base).host).get(SESSION) ?? '';
    expect([await hasSession(new SignInBrowser()), await hasSession(browser)]).toEqual([false, true]);
    const answer = await world.asConsole(browser, '/api/v1/session', { method: 'DELETE' });
    const { data } = (await answer.json()) as { data: { end_session_url: string } };
    expect(data.end_session_url).toContain(`${issuer.url}/session/end?id_token_hint=eyJ`);
    expect(browser.cookies(new URL(base).host).has(SESSION)).toBe(false);
    browser.cookies(new URL(base).host).set(SESSION, cookie);
    expect(await hasSession(browser)).toBe(false);
    const gone = await world.asConsole(browser, '/api/v1/session');
    expect([gone.status, await gone.json()]).toEqual([
      401,
      { message: 'Unauthenticated. The session has ended. Sign in again.' },
    ]);
  });

  it('is ended by an owner, and unknown to other accounts', async () => {
    const [anna, vik] = [await world.signIn('anna'), await world.signIn('vik')];
    const { body } = await api.as(own.token).get('/api/v1/sessions').expect(200);
    const found = (body as { data: { id: number; person: { subject: string } }[] }).data;
    const one = found.find(({ person }) => person.subject === 'vik');
    expect((await world.asConsole(vik.browser, `/api/v1/sessions/${one?.id}`, { method: 'DELETE' })).status).toBe(403);
    await api.as(their.token).delete(`/api/v1/sessions/${one?.id}`).expect(404);
    expect((await world.asConsole(anna.browser, `/api/v1/sessions/${one?.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await world.asConsole(vik.browser, '/api/v1/session')).status).toBe(401);
    await api.as(own.token).delete(`/api/v1/sessions/${one?.id}`).expect(404);
  });

  it('is ended by a logout token of the issuer, and by no other', async () => {
    const { browser } = await world.signIn('vik');
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = { sub: 'vik', aud: CLIENT.client_id, events, client_id: undefined, jti: 'x' };
    const send = (token: string) =>
      fetch(`${base}/sign-in/back-channel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      });
    const header = { typ: 'logout+jwt' };
    for (const wrong of [
      'nothing',
      await issuer.sign({ ...claims, events: {} }, { header }),
      await issuer.sign({ ...claims, nonce: 'x' }, { header }),
      await issuer.sign({ ...claims, aud: 'another' }, { header }),
      await issuer.sign({ ...claims, iss: `${issuer.url}\0` }, { header }),
      await issuer.sign({ ...claims, iss: 7 as never }, { header }),
      await issuer.sign({ ...claims, sub: 'vik\0' }, { header }),
      await issuer.sign({ ...claims, sid: 'x\0' }, { header }),
      await issuer.sign({ ...claims, sid: 'x'.repeat(5_000) }, { header }),
      await issuer.sign({ ...claims, sub: 7 as never, sid: 'x' }, { header }),
      await issuer.sign({ ...claims, iat: now() - 3_600 }, { header }),
      await issuer.sign(claims, { header, key: await issuer.foreignKey() }),
    ])
      expect((await send(wrong)).status).toBe(400);
    expect((await send(await foreign.sign(claims, { header }))).status).toBe(200);
    expect((await world.asConsole(browser, '/api/v1/session')).status).toBe(200);
    expect((await send(await issuer.sign(claims, { header }))).status).toBe(200);
    expect((await world.asConsole(browser, '/api/v1/session')).status).toBe(401);
  });

  it('ends when the account no longer trusts the issuer', async () => {
    const { browser } = await world.signIn('vik', { organisation: 'other' });
    await world.settle(their, { organisation: 'other', ...clientOf(issuer), roles: ROLES });
    expect((await world.asConsole(browser, '/api/v1/session')).status).toBe(401);
    await world.settle(their, { organisation: 'other', ...clientOf(foreign), roles: ROLES, audience: AUDIENCE });
  });

  it('follows a change of groups at the issuer, and ends when the issuer revokes it', async () => {
    const { browser } = await world.signIn('anna');
    const vik = (await world.signIn('vik')).browser;
    await api.pool.query(`UPDATE sessions SET checked_at = now() - interval '1 hour'`);
    const role = async (of: SignInBrowser) => {
      const answer = await world.asConsole(of, '/api/v1/session');
      return answer.status === 200 ? ((await answer.json()) as { data: { role: string } }).data.role : answer.status;
    };
    const { claims } = person('anna@example.com', 'Anna Smith', ['everyone']);
    issuer.people.set('anna', { claims });
    issuer.people.delete('vik');
    // The first request asks the issuer in the background.
    expect(await role(browser)).toBe('owner');
    await eventually(
      () => role(browser),
      (seen) => seen === 'viewer',
    );
    expect(await role(vik)).toBe('viewer');
    await eventually(
      () => role(vik),
      (seen) => seen === 401,
    );
  });
});

describe('the sign-in settings of an account', () => {
  it('are changed by operators only and never show the secret', async () => {
    const owner = await aToken(
      api.pool,
      own.accountId,
      SCOPES.filter((scope) => scope !== 'account:write'),
    );
    await api.as(owner).put('/api/v1/account/sign-in').send({ default_role: 'owner' }).expect(403);
    const { body } = await api.as(their.token).get('/api/v1/account/sign-in').expect(200);
    expect(body).toMatchObject({ data: { organisation: 'other', has_client_secret: true, roles: ROLES } });
    expect(JSON.stringify(body)).not.toContain(CLIENT.client_secret);
  });

  it.each([
    [{ roles: { a: 'admin' } }, 'roles.a'],
    [{ roles: {} }, 'roles'],
    [{ people: { anna: 'owner' } }, 'people.anna'],
    [{ issuer: 'https://x.example', roles: { a: 'owner' } }, 'client_id'],
    [{ client_secret: 'x', roles: { a: 'owner' } }, 'client_secret'],
    [{ organisation: 'Not a slug', roles: { a: 'owner' } }, 'organisation'],
    [{ organisation: 'other', roles: { a: 'owner' } }, 'organisation'],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0', client_id: 'x', roles: { a: 'owner' } }, 'issuer'],
    [{ issuer: 'https://accounts.google.com', client_id: 'x', default_role: 'viewer' }, 'allowed_domains'],
  ])('%j are refused at %s', async (settings, field) => {
    const { body } = await api.as(own.token).put('/api/v1/account/sign-in').send(settings).expect(422);
    expect(Object.keys((body as { errors: object }).errors)).toEqual([field]);
  });

  describe('are tested', () => {
    const test = async ({
      token,
    }: Workspace): Promise<{ passed: boolean; checks: { name: string; result: string; message: string }[] }> =>
      (await api.as(token).post('/api/v1/account/sign-in/test').expect(200)).body.data;
    const results = async (workspace: Workspace): Promise<string[]> =>
      (await test(workspace)).checks.map(({ name, result }) => `${name} ${result}`);

    it('at the issuer of the installation, once for concurrent requests', async () => {
      const redeemed = () => issuer.requests.filter((one) => one === 'POST /token').length;
      const before = redeemed();
      const [first, second] = await Promise.all([test(own), test(own)]);
      expect(first).toMatchObject({ passed: true, redirect_uri: `${base}/sign-in/callback` });
      expect(first.checks.map(({ result }) => result)).toEqual(['passed', 'passed', 'passed']);
      expect(second).toEqual(first);
      expect(redeemed()).toBe(before + 1);
    });

    it('with the reason why an issuer cannot be reached', async () => {
      const account = await aWorkspace(api.pool);
      await world.settle(account, { ...clientOf(foreign), roles: ROLES, issuer: 'http://127.0.0.1:1' });
      const { checks } = await test(account);
      expect(checks[1]?.message).toMatch(/^The issuer cannot be used: .*ECONNREFUSED/);
    });

    it.each([
      ['a wrong secret', { client_secret: 'wrong' }, ['address passed', 'issuer passed', 'client failed']],
      ['an unknown client', { client_id: 'unknown' }, ['address passed', 'issuer passed', 'client failed']],
      ['an issuer that is down', { issuer: 'http://127.0.0.1:1' }, ['address passed', 'issuer failed']],
    ])('with %s', async (_problem, change, expected) => {
      const account = await aWorkspace(api.pool);
      await api.as(account.token).post('/api/v1/account/sign-in/test').expect(404);
      await world.settle(account, { ...clientOf(foreign), roles: ROLES, ...change });
      expect(await results(account)).toEqual(expected);
      await world.settle(account, { ...clientOf(foreign), roles: ROLES });
      const { body } = await api.as(account.token).get('/api/v1/account/sign-in').expect(200);
      expect(body).toMatchObject({ data: { redirect_uri: await world.redirectUriOf(foreign) } });
      expect(await results(account)).toEqual(['address passed', 'issuer passed', 'client passed']);
    });
  });
});
