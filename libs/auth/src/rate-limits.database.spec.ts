import { newToken } from './domain/token.js';
import { TokenLookupService } from './token-lookup.service.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { Pool } from 'pg';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aToken, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { Stack } from '../../../test/support/stack.js';
import { statementsOf } from '../../../test/support/statements-of.js';

describe('two api processes on one database', () => {
  let stack: Stack;
  let pool: Pool;
  let urls: string[];

  beforeAll(async () => {
    stack = await Stack.start({ apis: 2, workers: 0, dialers: 0, env: { PORT: '0', AUTH_FAILURES_PER_MINUTE: '2' } });
    urls = stack.processes.map(({ ready }) => `http://127.0.0.1:${String(ready.port)}`);
    pool = new Pool({ connectionString: stack.database.url, max: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await stack.stop();
  });

  const ask = (token: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        fetch(`${urls[n % urls.length]}/api/v1/calls`, { headers: { Authorization: `Bearer ${token}` } }),
      ),
    );

  it('share a small token limit exactly', async () => {
    const { token } = await aWorkspace(pool, { requests_per_minute: 40 });
    const answers = await ask(token, 100);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(60);
    const [one] = refused;
    expect(await one!.json()).toEqual({ message: expect.stringContaining('Too many requests') });
    expect(one!.headers.get('x-ratelimit-limit')).toBe('40');
    expect(one!.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(one!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(one!.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('admit ten times the limit of one token for all tokens of an account together', async () => {
    const { accountId } = await aWorkspace(pool, { requests_per_minute: 2 });
    const tokens = await Promise.all(Array.from({ length: 30 }, () => aToken(pool, accountId)));
    const answers = (await Promise.all(tokens.map((token) => ask(token, 1)))).flat();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(await refused[0]!.json()).toEqual({ message: expect.stringContaining('all tokens of the account') });
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    // Another account is not concerned.
    const { token: other } = await aWorkspace(pool);
    expect((await ask(other, 1))[0]!.status).toBe(200);
  });

  it('ignore X-Forwarded-For without TRUST_PROXY', async () => {
    const statuses = [];
    for (let n = 0; n < 4; n += 1) {
      const headers = { Authorization: `Bearer ${newToken()}`, 'X-Forwarded-For': `192.0.2.${n}` };
      statuses.push((await fetch(`${urls[0]}/api/v1/calls`, { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
  });
});

describe('an api process', () => {
  let api: InProcessApi;
  let own: Workspace;

  beforeAll(async () => {
    api = await InProcessApi.start({
      AUTH_FAILURES_PER_MINUTE: '3',
      ADDRESS_REQUESTS_PER_MINUTE: '4',
      TRUST_PROXY: '1',
    });
    own = await aWorkspace(api.pool);
  });
  afterAll(() => api.stop());

  const from = (address: string, token?: string) => {
    const asked = api.as(token).get('/api/v1/calls');
    return asked.set('X-Forwarded-For', address);
  };

  it('rejects further invalid tokens of an address, but never a valid one', async () => {
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await from('192.0.2.7', newToken())).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    const locked = await from('192.0.2.7', newToken());
    expect([locked.status, locked.body.message]).toEqual([429, expect.stringContaining('wrong token')]);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    const good = await aToken(api.pool, own.accountId);
    expect((await from('192.0.2.7', good)).status).toBe(200);
    const ended = await aToken(api.pool, own.accountId);
    await api.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE token_hash = $1', [
      hash('sha256', ended, 'buffer'),
    ]);
    expect((await from('192.0.2.7', ended)).status).toBe(429);
  });

  it('looks up all pending tokens with one statement and accepts the valid ones', async () => {
    const good = await Promise.all(Array.from({ length: 5 }, () => aToken(api.pool, own.accountId)));
    const tokens = [...Array.from({ length: 45 }, newToken), ...good];
    const lookup = api.app.get(TokenLookupService, { strict: false });
    const sent = await statementsOf(api.pool, async () => {
      const found = await Promise.all(tokens.map((token) => lookup.mayBeValid(token)));
      expect(found).toEqual([...Array<boolean>(45).fill(false), ...Array<boolean>(5).fill(true)]);
    });
    // The first token is asked about at once; the others wait for its answer.
    expect(sent).toHaveLength(2);
  });

  it('accepts a cached token that an operator chose, and does not look up guesses', async () => {
    const chosen = 'the-bootstrap-token-of-the-tests';
    const row = [own.accountId, hash('sha256', chosen, 'buffer')];
    await api.pool.query(
      `INSERT INTO api_tokens (account_id, name, token_hash, hint, scopes) VALUES ($1, 'x', $2, 'x', '{calls:read}')`,
      row,
    );
    for (let n = 0; n < 4; n += 1) await from('192.0.2.10', newToken());
    expect((await from('192.0.2.10', chosen)).status).toBe(429);
    expect((await from('192.0.2.11', chosen)).status).toBe(200);
    expect((await from('192.0.2.10', chosen)).status).toBe(200);
    expect((await from('192.0.2.10', `${chosen}x`)).status).toBe(429);
  });

  it('counts IPv6 addresses by their /64', async () => {
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await from(`2001:db8:1:2:${n}::1`, newToken())).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await from('2001:db8:1:3::1', newToken())).status).toBe(401);
  });

  it('counts requests to routes without a token by address', async () => {
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      const link = '/api/v1/recordings/018f0000-0000-7000-8000-000000000000?expires=1&signature=x';
      statuses.push((await api.as().get(link).set('X-Forwarded-For', '198.51.100.4')).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 429, 429]);
    for (let n = 0; n < 6; n += 1) {
      expect((await api.as().get('/health/live').set('X-Forwarded-For', '198.51.100.4')).status).toBe(200);
    }
  });
});
