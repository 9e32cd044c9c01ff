import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApi } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { aCall, type Workspace } from '../../support/factories.js';
import { SignInBrowser } from '../../support/sign-in-browser.js';
import { clientOf, ROLES, SignInEnvironment } from '../../support/sign-in-environment.js';
import { AUDIENCE, type TestIssuer } from '../../support/test-issuer.js';

// Slow, because an api process caches sessions and settings for five seconds.

let world: SignInEnvironment;
let foreign: TestIssuer;
let api: TestApi;
let base: string;
let their: Workspace;

beforeAll(async () => {
  world = await SignInEnvironment.start();
  ({ foreign, api, base, their } = world);
});
afterAll(() => world?.stop());

describe('a session of the console', () => {
  describe('follows the settings of the account', () => {
    const theirs = () => ({ organisation: 'other', ...clientOf(foreign), roles: ROLES, audience: AUDIENCE });
    const roleIn = async (of: SignInBrowser): Promise<unknown> => {
      const answer = await world.asConsole(of, '/api/v1/session');
      return answer.status === 200 ? ((await answer.json()) as { data: { role: string } }).data.role : answer.status;
    };
    const { everyone: _viewers, ...withoutViewers } = ROLES;
    afterEach(() => world.settle(their, theirs()));

    it.each([
      ['its group has another role', () => ({ roles: { everyone: 'operator' } }), 'operator'],
      ['its domain may not sign in any more', () => ({ allowed_domains: ['example.org'] }), 401],
      ['groups come from another claim', () => ({ group_claim: 'teams' }), 401],
      [
        'groups come from another claim, with a role for everyone',
        () => ({ group_claim: 't', default_role: 'owner' }),
        'owner',
      ],
    ])('when %s', async (_what, change, expected) => {
      const { browser } = await world.signIn('vik', { organisation: 'other' });
      expect(await roleIn(browser)).toBe('viewer');
      await world.settle(their, { ...theirs(), ...change() });
      await eventually(
        () => roleIn(browser),
        (seen) => seen === expected,
      );
    });

    it('with its event streams, its place in the list and the audit log', async () => {
      const { browser } = await world.signIn('vik', { organisation: 'other' });
      const listed = async (): Promise<string[]> => {
        const { body } = await api.as(their.token).get('/api/v1/sessions').expect(200);
        const { data, meta } = body as {
          data: { person: { subject: string }; role: string }[];
          meta: { total: number };
        };
        expect(meta.total).toBe(data.length);
        return data.map(({ person: { subject }, role }) => `${subject} ${role}`);
      };
      const callId = await aCall(api.pool, their);
      const stream = await world.asConsole(browser, `/api/v1/calls/${callId}/events`, {
        headers: { accept: 'text/event-stream' },
      });
      await world.settle(their, { ...theirs(), roles: { everyone: 'agent_editor' } });
      expect(await listed()).toContain('vik agent_editor');
      await world.settle(their, { ...theirs(), roles: withoutViewers });
      // Resolves at the end of the stream.
      await stream.text();
      expect(await listed()).not.toContainEqual(expect.stringMatching(/^vik /));
      const events = await api.as(their.token).get('/api/v1/audit-events?action=session.ended').expect(200);
      expect((events.body as { data: { actor: { kind: string } }[] }).data[0]?.actor.kind).toBe('system');
    });

    it('as far as a session of an older release tells', async () => {
      const { browser } = await world.signIn('vik', { organisation: 'other' });
      await api.pool.query('UPDATE sessions SET grounds = NULL');
      expect(await roleIn(browser)).toBe('viewer');
      await world.settle(their, { ...theirs(), default_role: 'viewer' });
      await eventually(
        () => roleIn(browser),
        (seen) => seen === 401,
      );
    });
  });
});

describe('an access token of an issuer', () => {
  it('ends its event streams when the account takes the role away', async () => {
    const token = await foreign.sign({ sub: 'streaming', groups: ['voice-owners'] });
    const callId = await aCall(api.pool, their);
    const stream = await fetch(`${base}/api/v1/calls/${callId}/events`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const settings = { organisation: 'other', ...clientOf(foreign), audience: AUDIENCE };
    await world.settle(their, { ...settings, roles: { everyone: 'viewer' } });
    // Resolves at the end of the stream.
    await stream.text();
    await world.settle(their, { ...settings, roles: ROLES });
  });
});

describe('a flood of started sign-ins', () => {
  const startFrom = (address: string, organisation?: string): Promise<Response> =>
    new SignInBrowser().start(base, { organisation }, { 'x-forwarded-for': address });

  it('of one network blocks this network only', async () => {
    const statuses = new Set<number>();
    for (let host = 1; host <= 300; host += 1)
      statuses.add((await startFrom(`2001:db8:0:1::${host.toString(16)}`, host % 2 ? 'other' : undefined)).status);
    expect([...statuses]).toEqual([200]);
    const refused = await startFrom('2001:db8:0:1:ffff::1');
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { code: 'busy', message: 'The sign-in failed: busy.' },
    ]);
    expect((await startFrom('2001:db8:0:2::1')).status).toBe(200);
    expect((await startFrom('192.0.2.1')).status).toBe(200);
  });

  it('of one organisation blocks no other one, nor itself, and is bounded', async () => {
    await api.pool.query(
      `INSERT INTO sign_in_attempts (state_hash, browser_hash, account_id, issuer, nonce, verifier, place, address, ends_at)
        SELECT int4send(n), '', $1, 'x', 'x', 'x', '', n::text, now() + interval '9 minutes' FROM generate_series(1, 100000) n`,
      [their.accountId],
    );
    expect((await world.signIn('anna')).end.hash).toBe('');
    expect((await world.signIn('vik', { organisation: 'other' })).end.hash).toBe('');
    const { rows } = await api.pool.query<{ open: number }>(
      'SELECT count(*)::integer AS open FROM sign_in_attempts WHERE account_id = $1',
      [their.accountId],
    );
    expect(rows[0]?.open).toBeLessThanOrEqual(5_000);
  });
});
