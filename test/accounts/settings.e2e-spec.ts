import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aToken, type Workspace } from '../support/factories.js';
import { SCOPES } from '../support/scopes.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await service.account();
});
afterAll(() => service.close());

const account = async ({ token }: Workspace = own) =>
  (await service.as(token).get('/api/v1/account').expect(200)).body.data as Record<string, Record<string, unknown>>;
const patch = (body: object, token = own.token) => service.as(token).patch('/api/v1/account').send(body);

describe('the account', () => {
  it('shows its limits, its retention and what is used', async () => {
    expect(await account()).toMatchObject({
      id: own.accountId,
      limits: { concurrent_calls: expect.any(Number), calls_per_second: expect.any(Number), daily_spend_usd: null },
      retention: { recordings_days: null, transcripts_days: null, deliveries_days: 30, documents_days: null },
      spend: expect.any(Object),
      storage: expect.any(Object),
      calls: expect.any(Object),
    });
  });

  it('changes the limits that a request names and leaves the others', async () => {
    const before = await account();
    const limits = { concurrent_calls: 7, daily_spend_usd: 12.5, destinations: { allow: ['+1'], deny: ['+1900'] } };
    await patch({ limits, retention: { recordings_days: 30 } }).expect(200);
    const after = await account();
    expect(after.limits).toEqual({ ...before.limits, ...limits });
    expect(after.retention).toEqual({ ...before.retention, recordings_days: 30 });
    const events = await service.as(own.token).get('/api/v1/audit-events?subject=account').expect(200);
    expect((events.body.data as { action: string }[]).map(({ action }) => action).toSorted()).toEqual([
      'limits.changed',
      'retention.changed',
    ]);
  });

  it('has contact limits, which null removes', async () => {
    const contact_limits = {
      ...{ attempts_per_day: 3, attempts_per_week: 7 },
      ...{ earliest: '08:00', latest: '21:00', time_zone: 'Europe/Berlin' },
    };
    await patch({ contact_limits }).expect(200);
    expect((await account())['contact_limits']).toEqual(contact_limits);
    const none = Object.fromEntries(Object.keys(contact_limits).map((key) => [key, null]));
    await patch({ contact_limits: none }).expect(200);
    expect((await account())['contact_limits']).toEqual(none);
  });

  it('has a default country of phone numbers, which null removes', async () => {
    await patch({ default_country: 'de' }).expect(200);
    expect((await account())['default_country']).toBe('DE');
    await patch({ default_country: null }).expect(200);
    expect((await account())['default_country']).toBeNull();
  });

  it('applies its limits to the next request: a denied destination and a used-up daily spend', async () => {
    const limited = await service.account();
    const destinations = { allow: [], deny: ['+4990'] };
    await patch({ limits: { destinations } }, limited.token).expect(200);
    const call = (to_number: string) =>
      service.as(limited.token).post('/api/v1/calls').send({
        to_number,
        agent_id: limited.agentId,
        number_id: limited.numberId,
        trunk_id: limited.trunkId,
      });
    const denied = await call('+499012345678');
    expect([denied.status, Object.keys(denied.body.errors as object)]).toEqual([422, ['to_number.0']]);
    await patch({ limits: { daily_spend_usd: 0 } }, limited.token).expect(200);
    const spent = await call('+15550001234');
    expect([spent.status, spent.body.errors.to_number]).toEqual([
      422,
      [expect.stringMatching(/daily spend limit of 0\.00 USD is reached/)],
    ]);
  });

  it.each([
    [{ default_country: 'Germany' }, 'default_country'],
    [{ limits: { concurrent_calls: 0 } }, 'limits.concurrent_calls'],
    [{ limits: { calls_per_second: -1 } }, 'limits.calls_per_second'],
    [{ limits: { destinations: { allow: ['one'] } } }, 'limits.destinations.allow.0'],
    [{ retention: { recordings_days: 0 } }, 'retention.recordings_days'],
    [{ contact_limits: { time_zone: 'Mars/Olympus' } }, 'contact_limits.time_zone'],
    [{ contact_limits: { earliest: '25:00' } }, 'contact_limits.earliest'],
  ])('refuses %j at %s and changes nothing', async (body, field) => {
    const before = await account();
    const { status, body: answer } = await patch(body);
    expect([status, Object.keys(answer.errors as object)]).toEqual([422, [field]]);
    expect(await account()).toEqual(before);
  });

  it('is changed by tokens of operators only', async () => {
    const tenant = await aToken(
      service.pool,
      own.accountId,
      SCOPES.filter((scope) => scope !== 'account:write'),
    );
    const { status, body } = await patch({ limits: { concurrent_calls: 1_000 } }, tenant);
    expect([status, body]).toEqual([403, { message: 'The token lacks the scope account:write.' }]);
  });
});

describe('the limit of requests', () => {
  it('is counted down in the headers of every response, and ends in 429 with the time to wait', async () => {
    const brief = await service.account({ requests_per_minute: 5 });
    const statuses: number[] = [];
    const remaining: number[] = [];
    for (let request = 0; request < 6; request += 1) {
      const { status, headers } = await service
        .as(brief.token)
        .get('/api/v1/calls')
        .query({ page: request ? 1 : 'x' });
      statuses.push(status);
      expect(headers['x-ratelimit-limit']).toBe('5');
      remaining.push(Number(headers['x-ratelimit-remaining']));
    }
    expect(statuses).toEqual([422, 200, 200, 200, 200, 429]);
    expect(remaining).toEqual([4, 3, 2, 1, 0, 0]);
    const refused = await service.as(brief.token).get('/api/v1/calls');
    expect(refused.body.message).toMatch(/^Too many requests/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    // Another token of the account has a limit of its own.
    await service
      .as(await aToken(service.pool, brief.accountId))
      .get('/api/v1/calls')
      .expect(200);
  });

  it('does not exist for an account whose limit is 0', async () => {
    const free = await service.account({ requests_per_minute: 0 });
    const { status, headers } = await service.as(free.token).get('/api/v1/calls');
    expect([status, headers['x-ratelimit-limit']]).toEqual([200, undefined]);
  });

  it('is changed over the API', async () => {
    const changed = await service.account({ requests_per_minute: 5 });
    await patch({ limits: { requests_per_minute: 50 } }, changed.token).expect(200);
    const token = await aToken(service.pool, changed.accountId);
    const { headers } = await service.as(token).get('/api/v1/calls').expect(200);
    expect(headers['x-ratelimit-limit']).toBe('50');
  });
});

describe('the session of a token', () => {
  it('names the account and the scopes', async () => {
    const token = await aToken(service.pool, own.accountId, ['calls:read']);
    const { body } = await service.as(token).get('/api/v1/session').expect(200);
    expect(body.data).toMatchObject({
      account: { id: own.accountId },
      token_id: expect.any(Number),
      person: null,
      role: null,
      scopes: ['calls:read'],
      expires_at: null,
    });
  });

  it('is not one of the sessions of people, of which another account has none to end', async () => {
    const { body } = await service.as(own.token).get('/api/v1/sessions').expect(200);
    expect([body.data, body.meta.total]).toEqual([[], 0]);
    await service.as(own.token).delete('/api/v1/sessions/1').expect(404);
  });
});
