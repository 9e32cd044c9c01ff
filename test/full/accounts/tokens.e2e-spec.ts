import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TokensService } from '@app/auth';
import { InProcessApi } from '../../support/in-process-api.js';
import { aToken, aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const post = (body: object, token = own.token) => api.as(token).post('/api/v1/tokens').send(body);
const idOf = async (token: string): Promise<number> => {
  const { body } = await api.as(own.token).get('/api/v1/tokens?per_page=100');
  const found = (body.data as { id: number; hint: string }[]).find(({ hint }) => token.startsWith(hint.slice(0, -1)));
  return found!.id;
};

describe('an API token', () => {
  it('is created, returned once, used and revoked', async () => {
    const made = await post({ name: 'crm', scopes: ['tokens:read', 'calls:read'], expires_at: '2999-01-31' });
    expect([made.status, made.body.message]).toEqual([201, 'Token created successfully.']);
    const { id, token, ...shown } = made.body.data as { id: number; token: string };
    expect(shown).toMatchObject({ name: 'crm', scopes: ['tokens:read', 'calls:read'], revoked_at: null });
    const listed = await api.as(token).get('/api/v1/tokens');
    expect(listed.status).toBe(200);
    expect(listed.text).not.toContain(token);
    expect((await api.as(token).post('/api/v1/tokens').send({ name: 'x' })).status).toBe(403);
    const gone = await api.as(own.token).delete(`/api/v1/tokens/${id}`);
    expect([gone.status, (await api.as(own.token).delete(`/api/v1/tokens/${id}`)).status]).toEqual([200, 200]);
    const after = await api.as(own.token).get('/api/v1/tokens');
    expect(after.body.data[0]).toMatchObject({ id, revoked_at: expect.any(String) });
  });

  it('cannot grant scopes it does not have', async () => {
    const weak = await aToken(api.pool, own.accountId, ['tokens:write', 'calls:read']);
    const more = await post({ name: 'more', scopes: ['calls:read', 'calls:write'] }, weak);
    expect([more.status, more.body.errors]).toEqual([422, { scopes: [expect.stringContaining('lacks calls:write')] }]);
    const same = await post({ name: 'same' }, weak);
    expect([same.status, same.body.data.scopes]).toEqual([201, ['tokens:write', 'calls:read']]);
    // A rotation would hand over a token that may do everything.
    expect(
      (
        await api
          .as(weak)
          .post(`/api/v1/tokens/${await idOf(own.token)}/rotate`)
          .send({})
      ).status,
    ).toBe(404);
  });

  it.each([
    [{}, ['name']],
    [{ name: '', scopes: 'calls:read' }, ['name', 'scopes']],
    [{ name: 'x', scopes: ['nothing'] }, ['scopes']],
    [{ name: 'x', scopes: [] }, ['scopes']],
    [{ name: 'x', expires_at: '2001-01-01' }, ['expires_at']],
    [{ name: 'x', expires_at: 'soon' }, ['expires_at']],
  ])('is rejected with the invalid fields: %j', async (body, fields) => {
    const { status, body: answer } = await post(body);
    expect([status, Object.keys(answer.errors as object).toSorted()]).toEqual([422, fields]);
  });

  it('is rotated once and remains valid for the overlap', async () => {
    const { token: old, id } = (await post({ name: 'worker', scopes: ['calls:read'] })).body.data;
    const both = await Promise.all([1, 2].map(() => api.as(own.token).post(`/api/v1/tokens/${id}/rotate`).send({})));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 404]);
    const { token, ...next } = both.find(({ status }) => status === 201)!.body.data;
    expect(next).toMatchObject({ name: 'worker', scopes: ['calls:read'], expires_at: null });
    for (const each of [old, token]) expect((await api.as(each).get('/api/v1/calls')).status).toBe(200);
    const { rows } = await api.pool.query<{ minutes: number }>(
      `SELECT round(extract(epoch FROM expires_at - now()) / 60)::integer AS minutes FROM api_tokens WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ minutes: 60 }]);
  });

  it('ends immediately when rotated without an overlap, and the new token has the same lifetime', async () => {
    const { token: old, id } = (await post({ name: 'leaked', scopes: ['calls:read'] })).body.data;
    await api.pool.query(
      `UPDATE api_tokens SET created_at = now() - interval '20 days', expires_at = now() + interval '10 days' WHERE id = $1`,
      [id],
    );
    const rotated = await api.app.get(TokensService).rotate(id, { overlapMinutes: 0 });
    expect((await api.as(old).get('/api/v1/calls')).status).toBe(401);
    expect((await api.as(rotated!.token).get('/api/v1/calls')).status).toBe(200);
    expect(Math.round((rotated!.expires_at!.getTime() - Date.now()) / 86_400_000)).toBe(30);
    const { body } = await api.as(own.token).get(`/api/v1/audit-events?subject=token:${id}`);
    expect((body.data as { action: string }[]).map(({ action }) => action)).toEqual(['token.rotated', 'token.issued']);
    expect(JSON.stringify(body)).not.toContain(rotated!.token.slice(3, 20));
  });

  it('expires no later than the token that created or rotated it', async () => {
    const parent = (await post({ name: 'parent', expires_at: '2999-01-31' })).body.data;
    const endOf = async (asked: Promise<{ status: number; body: { data: { expires_at: string | null } } }>) => {
      const { status, body } = await asked;
      return [status, body.data.expires_at];
    };
    const end = '2999-01-31T23:59:59.999+00:00';
    expect(await endOf(post({ name: 'never' }, parent.token))).toEqual([201, end]);
    expect(await endOf(post({ name: 'later', expires_at: '3000-01-01' }, parent.token))).toEqual([201, end]);
    const earlier = '2998-01-01T00:00:00.000+00:00';
    expect(await endOf(post({ name: 'earlier', expires_at: earlier }, parent.token))).toEqual([201, earlier]);
    const rotate = (id: number, token: string) => api.as(token).post(`/api/v1/tokens/${id}/rotate`).send({});
    const forever = (await post({ name: 'forever' })).body.data;
    expect(await endOf(rotate(forever.id, parent.token))).toEqual([201, end]);
    // A token that rotates itself: the same lifetime again would be 60 s more.
    await api.pool.query(
      `UPDATE api_tokens SET created_at = now() - interval '1 hour', expires_at = $2 WHERE id = $1`,
      [parent.id, new Date(Date.now() + 60_000)],
    );
    const shown = await api.as(own.token).get('/api/v1/tokens');
    const left = (shown.body.data as { id: number; expires_at: string }[]).find(({ id }) => id === parent.id)!;
    expect(await endOf(rotate(parent.id, parent.token))).toEqual([201, left.expires_at]);
  });

  it('is unknown to other accounts', async () => {
    const stranger = await aWorkspace(api.pool);
    const id = await idOf(own.token);
    expect((await api.as(stranger.token).delete(`/api/v1/tokens/${id}`)).status).toBe(404);
    expect((await api.as(stranger.token).post(`/api/v1/tokens/${id}/rotate`).send({})).status).toBe(404);
    expect((await api.as(stranger.token).get('/api/v1/tokens')).body.data).toHaveLength(1);
    expect((await api.as(own.token).get('/api/v1/calls')).status).toBe(200);
  });
});
