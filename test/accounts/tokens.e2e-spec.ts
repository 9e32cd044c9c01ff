import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operations } from '../support/api-document.js';
import { aToken, type Workspace } from '../support/factories.js';
import { SCOPES } from '../support/scopes.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

interface Created {
  id: number;
  token: string;
  name: string;
  scopes: string[];
  expires_at: string | null;
  revoked_at: string | null;
}

const post = (body: object, token = own.token) => service.as(token).post('/api/v1/tokens').send(body);
const rotate = (id: number, body: object = {}, token = own.token) =>
  service.as(token).post(`/api/v1/tokens/${id}/rotate`).send(body);
const created = async (body: object, token = own.token): Promise<Created> =>
  (await post(body, token).expect(201)).body.data as Created;
const statusOf = async (token: string): Promise<number> => (await service.as(token).get('/api/v1/calls')).status;

describe('an API token', () => {
  it('is shown once, and its revocation is listed', async () => {
    const { id, token, ...shown } = await created({
      name: 'crm',
      scopes: ['tokens:read', 'calls:read'],
      expires_at: '2999-01-31',
    });
    expect(token).toMatch(/^tk_\w{49}$/);
    expect(shown).toMatchObject({
      name: 'crm',
      scopes: ['tokens:read', 'calls:read'],
      expires_at: '2999-01-31T23:59:59.999+00:00',
      revoked_at: null,
    });
    const listed = await service.as(token).get('/api/v1/tokens').expect(200);
    expect(listed.text).not.toContain(token);
    expect((listed.body.data as Created[]).map((one) => one.id)).toContain(id);

    await service.as(own.token).delete(`/api/v1/tokens/${id}`).expect(200);
    const after = await service.as(own.token).get('/api/v1/tokens').expect(200);
    expect((after.body.data as Created[]).find((one) => one.id === id)?.revoked_at).toEqual(expect.any(String));
    // Revoking again changes nothing.
    await service.as(own.token).delete(`/api/v1/tokens/${id}`).expect(200);
  });

  it('is refused after its revocation', async () => {
    // An api process remembers tokens that it has seen for up to 5 s.
    const { id, token } = await created({ name: 'unused', scopes: ['calls:read'] });
    await service.as(own.token).delete(`/api/v1/tokens/${id}`).expect(200);
    const refused = await service.as(token).get('/api/v1/calls');
    expect([refused.status, refused.body.message]).toEqual([401, expect.stringContaining('expired or revoked')]);
  });

  it('expires at its time', async () => {
    const { id, token } = await created({ name: 'short', scopes: ['calls:read'] });
    await service.pool.query(`UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    expect(await statusOf(token)).toBe(401);
  });

  it('is rotated: the new token has the same name and scopes, and the old one works for an hour more', async () => {
    const old = await created({ name: 'worker', scopes: ['calls:read'] });
    const next = (await rotate(old.id).expect(201)).body.data as Created;
    expect(next).toMatchObject({ name: 'worker', scopes: ['calls:read'], expires_at: null });
    expect([next.token === old.token, await statusOf(old.token), await statusOf(next.token)]).toEqual([
      false,
      200,
      200,
    ]);
    const list = await service.as(own.token).get('/api/v1/tokens').query({ per_page: 100 }).expect(200);
    const ends = (list.body.data as Created[]).find((one) => one.id === old.id)?.expires_at ?? '';
    expect(Math.round((Date.parse(ends) - Date.now()) / 60_000)).toBe(60);
    // A token is rotated once.
    await rotate(old.id).expect(404);
  });

  it('is rotated by one of two requests, and is given its lifetime anew', async () => {
    const { id } = await created({ name: 'twice', scopes: ['calls:read'] });
    await service.pool.query(
      `UPDATE api_tokens SET created_at = now() - interval '20 days', expires_at = now() + interval '10 days' WHERE id = $1`,
      [id],
    );
    const both = await Promise.all([rotate(id), rotate(id)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 404]);
    const next = both.find(({ status }) => status === 201)?.body.data as Created;
    expect(Math.round((Date.parse(next.expires_at ?? '') - Date.now()) / 86_400_000)).toBe(30);
    const audit = await service.as(own.token).get(`/api/v1/audit-events?subject=token:${id}`).expect(200);
    expect((audit.body.data as { action: string }[]).map(({ action }) => action)).toEqual([
      'token.rotated',
      'token.issued',
    ]);
    expect(audit.text).not.toContain(next.token.slice(3, 20));
  });

  it('is worthless at once when it is rotated without an overlap', async () => {
    const old = await created({ name: 'leaked', scopes: ['calls:read'] });
    const next = (await rotate(old.id, { overlap_minutes: 0 }).expect(201)).body.data as Created;
    expect([await statusOf(old.token), await statusOf(next.token)]).toEqual([401, 200]);
  });

  it('cannot give more than it has, neither scopes nor time', async () => {
    const weak = await aToken(service.pool, own.accountId, ['tokens:write', 'calls:read']);
    const more = await post({ name: 'more', scopes: ['calls:read', 'calls:write'] }, weak);
    expect([more.status, more.body.errors]).toEqual([422, { scopes: [expect.stringContaining('lacks calls:write')] }]);
    expect((await created({ name: 'same' }, weak)).scopes).toEqual(['tokens:write', 'calls:read']);
    // A rotation would hand over a token that may do everything.
    const strong = await created({ name: 'strong' });
    await rotate(strong.id, {}, weak).expect(404);

    const parent = await created({ name: 'parent', expires_at: '2999-01-31' });
    const end = parent.expires_at;
    expect((await created({ name: 'never' }, parent.token)).expires_at).toBe(end);
    expect((await created({ name: 'later', expires_at: '3000-01-01' }, parent.token)).expires_at).toBe(end);
    const earlier = '2998-01-01T00:00:00.000+00:00';
    expect((await created({ name: 'earlier', expires_at: earlier }, parent.token)).expires_at).toBe(earlier);
    const rotated = async (id: number) =>
      ((await rotate(id, {}, parent.token).expect(201)).body.data as Created).expires_at;
    expect(await rotated((await created({ name: 'forever' })).id)).toBe(end);
    // A token that rotates itself: the same lifetime again would be 60 s more.
    const brief = await service.pool.query<{ at: Date }>(
      `UPDATE api_tokens SET created_at = now() - interval '1 hour', expires_at = date_trunc('second', now()) + interval '60 s'
        WHERE id = $1 RETURNING expires_at AS at`,
      [parent.id],
    );
    expect(Date.parse((await rotated(parent.id)) ?? '')).toBe(brief.rows[0]?.at.getTime());
  });

  it.each([
    [{}, ['name']],
    [{ name: '', scopes: 'calls:read' }, ['name', 'scopes']],
    [{ name: 'x', scopes: ['nothing'] }, ['scopes']],
    [{ name: 'x', scopes: [] }, ['scopes']],
    [{ name: 'x', expires_at: '2001-01-01' }, ['expires_at']],
    [{ name: 'x', expires_at: 'soon' }, ['expires_at']],
  ])('with the fields %j is refused at %j', async (body, fields) => {
    const { status, body: answer } = await post(body);
    expect([status, Object.keys(answer.errors as object).toSorted()]).toEqual([422, fields]);
  });

  it('is unknown to other accounts', async () => {
    const { id, token } = await created({ name: 'mine', scopes: ['calls:read'] });
    await service.as(other.token).delete(`/api/v1/tokens/${id}`).expect(404);
    await rotate(id, {}, other.token).expect(404);
    const theirs = await service.as(other.token).get('/api/v1/tokens').expect(200);
    expect((theirs.body.data as Created[]).map((one) => one.id)).not.toContain(id);
    expect(await statusOf(token)).toBe(200);
  });

  it('is listed in pages, newest first', async () => {
    const paged = await service.account();
    for (const name of ['first', 'second']) await created({ name }, paged.token);
    const page = await service.as(paged.token).get('/api/v1/tokens?per_page=2').expect(200);
    expect((page.body.data as Created[]).map(({ name }) => name)).toEqual(['second', 'first']);
    expect(page.body.meta).toMatchObject({ total: 3, current_page: 1, last_page: 2 });
  });

  it('is issued on the command line, for one account', async () => {
    const name = `tokens-${own.accountId}`;
    await service.pool.query('UPDATE accounts SET name = $2 WHERE id = $1', [own.accountId, name]);
    const issued = await service.command([
      'tokens',
      'issue',
      '--account',
      name,
      '--name',
      'ci',
      '--scopes',
      'calls:read',
    ]);
    const token = issued.trim().split('\n').at(-1) ?? '';
    const session = await service.as(token).get('/api/v1/session').expect(200);
    expect(session.body.data).toMatchObject({
      account: { id: own.accountId, name },
      scopes: ['calls:read'],
      person: null,
      role: null,
    });
  });
});

describe('a scope', () => {
  it('is needed by every route with a token, and its absence is told by its name', async () => {
    const routes = (await operations()).filter(({ scope }) => scope !== undefined);
    expect(routes.length).toBeGreaterThan(120);
    const answers = new Map<string, unknown>();
    for (const scope of new Set(routes.map((route) => route.scope ?? ''))) {
      const others = SCOPES.filter((one) => one !== scope);
      const token = await aToken(service.pool, own.accountId, others);
      const asked = routes.filter((route) => route.scope === scope);
      const statuses = asked.map(async ({ name, method, path }) => {
        const answer = await service.as(token)[method](path.replaceAll(/\{[^}]+\}/g, '1'));
        answers.set(name, [answer.status, answer.body.message]);
      });
      await Promise.all(statuses);
    }
    for (const { name, scope } of routes)
      expect([name, answers.get(name)]).toEqual([name, [403, `The token lacks the scope ${scope}.`]]);
  });
});
