import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { diagnose } from './doctor-command.js';
import type { Finding } from './finding.js';
import { Pool } from 'pg';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApi } from '../../../../test/support/app.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aCall, aWorkspace } from '../../../../test/support/factories.js';
import { EmbeddingsEndpoint } from '../../../../test/support/embeddings-endpoint.js';
import { freePort } from '../../../../test/support/free-port.js';
import { WebhookReceiver } from '../../../../test/support/webhook-receiver.js';

let database: TestDatabase;
let home: string;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'));
  pool = new Pool({ connectionString: database.url, max: 2 });
  // The database is dropped before the server has closed these connections.
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

async function examined(variables: Record<string, string> = {}): Promise<Record<string, Finding>> {
  const findings = await diagnose(
    {
      DATABASE_URL: database.url,
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      TRUNKLINE_HOME: home,
      SIP_BIND: '127.0.0.1',
      EMBEDDINGS_PROVIDER: 'none',
      SIP_PORT: String(await freePort()),
      ...variables,
    },
    () => undefined,
  );
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

const wrongIn = (findings: Record<string, Finding>): string[] =>
  Object.values(findings).flatMap(({ check, state }) => (state === 'wrong' ? [check] : []));

describe('trunkline doctor', () => {
  it('reports no problem for a healthy installation', async () => {
    const findings = await examined();
    expect(wrongIn(findings)).toEqual([]);
    expect(findings).toMatchObject({
      database: { state: 'ok', says: expect.stringMatching(/^PostgreSQL \d+/) },
      storage: { state: 'ok' },
      queue: { state: 'ok', says: expect.stringContaining('PostgreSQL') },
      dialers: { state: 'warning' },
      calls_stuck: { state: 'ok' },
    });
  });

  it('examines the running installation with the variables of its processes', async () => {
    const environment = {
      DATABASE_URL: database.url,
      SIP_ALLOW_CIDRS: '127.0.0.0/8',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    };
    const secret_key = 'the secret key of the tests, 32+ characters';
    await writeFile(join(home, 'ready.json'), '{}');
    await writeFile(
      join(home, 'instance.json'),
      JSON.stringify({ database_url: database.url, secret_key, environment }),
    );
    try {
      expect(await examined()).toMatchObject({
        environment: { state: 'ok', says: 'the variables are valid, and those of the installation that runs here' },
        egress: { says: 'also allowed: requests to 127.0.0.0/8, calls to 127.0.0.0/8' },
      });
      expect(await examined({ SIP_ALLOW_CIDRS: '10.0.0.0/8' })).toMatchObject({
        environment: {
          state: 'warning',
          says: 'the installation that runs here has other values of SIP_ALLOW_CIDRS',
        },
        egress: { says: 'also allowed: requests to 127.0.0.0/8, calls to 10.0.0.0/8' },
      });
    } finally {
      await Promise.all(['ready.json', 'instance.json'].map((name) => rm(join(home, name))));
    }
  });

  it('reports a stuck call and a silent carrier, each with a remedy', async () => {
    const own = await aWorkspace(pool);
    await pool.query(`INSERT INTO dialers (id, lease_until, dead_at) VALUES ('dead', 'epoch', 'epoch')`);
    await aCall(pool, own, { owner: 'dead', status: 'in_progress', started_at: new Date(), answered_at: new Date() });
    await pool.query(`INSERT INTO trunk_health (trunk_id, state, reason) VALUES ($1, 'down', 'no answer')`, [
      own.trunkId,
    ]);
    const findings = await examined();
    expect(wrongIn(findings)).toEqual(['calls_stuck', 'trunks']);
    expect(findings.calls_stuck).toMatchObject({ says: expect.stringMatching(/^1 calls/), remedy: expect.any(String) });
    await pool.query('TRUNCATE calls, trunk_health CASCADE');
  });

  it('warns before the storage of an account is full', async () => {
    expect(await examined()).toMatchObject({ quotas: { state: 'ok' } });
    const own = await aWorkspace(pool, { storage_bytes: 1_000 });
    await aCall(pool, own, { status: 'completed', ended_at: new Date(), recording_key: 'k', recording_bytes: 901 });
    expect(await examined()).toMatchObject({
      quotas: {
        state: 'warning',
        says: expect.stringContaining('901 of 1,000 bytes'),
        remedy: expect.stringContaining('storage_bytes'),
      },
    });
    await pool.query('DELETE FROM calls WHERE account_id = $1', [own.accountId]);
    expect(await examined()).toMatchObject({ quotas: { state: 'ok' } });
  });

  it('warns of agents that find less with the embedder than by words alone', async () => {
    expect(await examined()).toMatchObject({ embedder: { state: 'ok' } });
    const { accountId, agentId } = await aWorkspace(pool);
    await pool.query(
      `INSERT INTO knowledge_embedder_checks (agent_id, account_id, checked_at, model, outcome)
       VALUES ($1, $2, now(), 'small@64', 'worse')`,
      [agentId, accountId],
    );
    expect(await examined()).toMatchObject({
      embedder: {
        state: 'warning',
        says: `1 agent finds less with small@64 than by words alone (agent ${agentId})`,
        remedy: expect.stringContaining('EMBEDDINGS_PROVIDER'),
      },
    });
    await pool.query('DELETE FROM knowledge_embedder_checks');
  });

  it('says which embedder the processes use, whether it answers, and for which languages', async () => {
    const endpoint = await EmbeddingsEndpoint.start();
    const url = endpoint.url.replace('/v1', '');
    const embedder = { EMBEDDINGS_PROVIDER: 'embedder', EMBEDDER_URL: url };
    const model = { EMBEDDINGS_PROVIDER: 'openai', EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: 'bge-m3' };
    const search = async (variables: Record<string, string>) => (await examined(variables))['semantic search'];
    try {
      expect(await search({})).toMatchObject({
        state: 'ok',
        says: expect.stringContaining('EMBEDDINGS_PROVIDER=none'),
      });
      endpoint.model = { id: 'tiny', dimensions: 64, languages: ['en', 'de'] };
      expect(await search(embedder)).toMatchObject({
        state: 'ok',
        says: expect.stringMatching(
          /^api, worker and dialer use the role embedder \(http:.*\) with tiny@64 for texts in en, de; it answers in \d+ ms$/,
        ),
      });
      endpoint.dimensions = 1024;
      expect(await search(model)).toMatchObject({
        state: 'ok',
        says: expect.stringMatching(/the endpoint of EMBEDDINGS_URL with bge-m3@1024 for texts in all languages/),
      });
    } finally {
      await endpoint.close();
    }
    expect(await search(embedder)).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('does not answer, and knowledge bases are searched by words alone'),
      remedy: expect.stringContaining('trunkline start --role embedder'),
    });
    expect(await search({ EMBEDDINGS_PROVIDER: 'auto' })).toMatchObject({ state: 'warning' });
  });

  it('asks each configured vendor of pipelines whether it accepts the key, and never shows the key', async () => {
    const seen: string[] = [];
    const vendor = await WebhookReceiver.start();
    vendor.answer = ({ path, headers }, response) => {
      const key =
        headers['xi-api-key'] ?? headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? 'none';
      seen.push(`${path} ${String(key)}`);
      const [status, body] = ANSWERS[path.split('/')[1] ?? ''] ?? [200, '{}'];
      response.writeHead(status).end(body);
    };
    try {
      const findings = await examined({
        ELEVENLABS_URL: vendor.url('/good'),
        ELEVENLABS_API_KEY: 'k3y-one',
        DEEPGRAM_URL: vendor.url('/forbidden/'),
        DEEPGRAM_API_KEY: 'k3y-two',
        ANTHROPIC_URL: vendor.url('/broken/v1'),
        ANTHROPIC_API_KEY: 'k3y-three',
        COMPATIBLE_URL: `${vendor.url('/other/v1/chat/completions')}?api-version=1`,
        ASSEMBLYAI_URL: vendor.url('/busy'),
        CARTESIA_URL: 'http://127.0.0.1:1',
        GOOGLE_URL: vendor.url('/unknown/v1beta'),
        GEMINI_API_KEY: 'k3y-four',
        OPENAI_URL: vendor.url('/limited/v1'),
        OPENAI_API_KEY: 'k3y-five',
      });
      expect(findings).toMatchObject({
        elevenlabs: { state: 'ok', says: expect.stringContaining('accepts the key') },
        deepgram: { state: 'wrong', remedy: expect.stringContaining('DEEPGRAM_API_KEY') },
        anthropic: { state: 'wrong', says: 'answers with 503' },
        compatible: { state: 'warning', says: expect.stringContaining('404 to GET /models') },
        assemblyai: { state: 'warning', says: expect.stringContaining('429') },
        cartesia: { state: 'wrong', remedy: expect.stringContaining('CARTESIA_URL') },
        google: { state: 'wrong', says: 'refuses the key (400)' },
        openai: { state: 'ok', says: expect.stringContaining('may not GET /models') },
      });
      expect(JSON.stringify(findings)).not.toContain('k3y');
      expect(seen.toSorted()).toEqual([
        '/broken/v1/models k3y-three',
        '/busy/v3/token none',
        '/forbidden/v1/projects Token k3y-two',
        '/good/v1/models k3y-one',
        '/limited/v1/models Bearer k3y-five',
        '/other/v1/models none',
        '/unknown/v1beta/models k3y-four',
      ]);
    } finally {
      await vendor.close();
    }
  });

  it('sends no key of a vendor unencrypted over the Internet', async () => {
    const findings = await examined({ CARTESIA_URL: 'http://8.8.8.8', CARTESIA_API_KEY: 'k3y' });
    expect(findings.cartesia).toMatchObject({ state: 'wrong', remedy: 'Use https:// in CARTESIA_URL.' });
  });

  it('names the vendors that the sandbox server plays', async () => {
    expect(await examined({ DEEPGRAM_URL: 'sandbox', GOOGLE_URL: 'sandbox' })).toMatchObject({
      'played vendors': { state: 'ok', says: 'the sandbox server plays deepgram, google' },
    });
  });

  it('warns of active agents with a provider or a leg that is not configured, by their ids', async () => {
    expect(await examined()).toMatchObject({ 'agent providers': { state: 'ok' } });
    const own = await aWorkspace(pool);
    const insert = `INSERT INTO agents (account_id, name, provider, provider_options, active) VALUES ($1, $2, $3, $4, $5) RETURNING id`;
    const agent = async (name: string, provider: string, options: object, active = true): Promise<number> => {
      const { rows } = await pool.query<{ id: number }>(insert, [own.accountId, name, provider, options, active]);
      return rows[0]?.id ?? 0;
    };
    const spoken = { synthesizer: { provider: 'sandbox', fallbacks: [{ provider: 'cartesia', voice: 'v' }] } };
    const first = await agent('Customer A', 'pipeline', { pipeline: { transcriber: { provider: 'deepgram' } } });
    await agent('Customer B', 'pipeline', { pipeline: { transcriber: { provider: 'deepgram' } } });
    const second = await agent('Customer C', 'sandbox', { fallbacks: [{ provider: 'pipeline', pipeline: spoken }] });
    const third = await agent('Customer D', 'openai-live', { model: 'm' });
    await agent('Customer E', 'gemini-live', {}, false);
    await agent('Customer F', 'pipeline', {});
    const { 'agent providers': found } = await examined();
    expect(found?.state).toBe('warning');
    expect(found?.says).toMatch(new RegExp(`transcriber "?deepgram"?.*\\(agent ${first} and 1 more\\)`));
    expect(found?.says).toMatch(new RegExp(`synthesizer "?cartesia"?.*\\(agent ${second}\\)`));
    expect(found?.says).toMatch(new RegExp(`OPENAI_API_KEY.*\\(agent ${third}\\)`));
    expect(found?.says).not.toMatch(/Customer|gemini/i);
    await pool.query('DELETE FROM agents WHERE account_id = $1', [own.accountId]);
  });

  it('warns when requests come through a proxy that is not trusted', async () => {
    const api = await TestApi.start({ DATABASE_URL: database.url });
    try {
      const { token } = await aWorkspace(pool);
      expect((await api.as().get('/api/v1/calls').set('X-Forwarded-For', '192.0.2.1')).status).toBe(401);
      expect(await examined()).toMatchObject({ proxies: { state: 'ok' } });
      const statements = jest.spyOn(api.pool, 'query');
      expect((await api.as(token).get('/api/v1/calls').set('X-Forwarded-For', '192.0.2.1')).status).toBe(200);
      const noting = statements.mock.calls.findIndex(
        ([one]) => (one as { name?: string }).name === 'note-operator-notice',
      );
      await statements.mock.results[noting]?.value;
      expect(await examined()).toMatchObject({
        proxies: { state: 'warning', remedy: expect.stringContaining('TRUST_PROXY') },
      });
      expect(await examined({ TRUST_PROXY: '1' })).toMatchObject({ proxies: { state: 'ok' } });
    } finally {
      await api.stop();
    }
  });

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, string[]]>([
    ['invalid variables', () => ({ PORT: 'many' }), ['environment']],
    ['an unreachable database', () => ({ DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }), ['queue', 'database']],
    ['a storage folder that is not writable', aFileForAFolder, ['storage']],
    ['an egress guard that allows every address', () => ({ EGRESS_ALLOW_CIDRS: '0.0.0.0/0' }), ['egress']],
    ['an invalid certificate', aCertificate, ['sip certificate']],
  ])('reports %s', async (_, variables, expected) => {
    expect(wrongIn(await examined(await variables()))).toEqual(expected);
  });

  it('warns of a setting without its secret, and names the roles that need it', async () => {
    expect(await examined()).toMatchObject({ secrets: { state: 'ok' } });
    expect(await examined({ ANALYSIS_MODEL: 'anthropic:claude', ANTHROPIC_API_KEY: '' })).toMatchObject({
      secrets: {
        state: 'warning',
        says: 'ANALYSIS_MODEL needs ANTHROPIC_API_KEY, which is not set here',
        remedy: expect.stringContaining('api, worker, dialer'),
      },
    });
  });

  it('reports a SECRET_KEY that does not match the database without printing either key', async () => {
    await pool.query(`INSERT INTO installation (key_fingerprint) VALUES ('another')`);
    const findings = await examined();
    expect(wrongIn(findings)).toEqual(['key']);
    expect(JSON.stringify(findings)).not.toMatch(/the secret key|postgres:\/\//);
    await pool.query('DELETE FROM installation');
  });

  it('reports missing migrations', async () => {
    const empty = await createEmptyDatabase();
    try {
      const findings = await examined({ DATABASE_URL: empty.url });
      expect(findings.migrations).toMatchObject({
        state: 'wrong',
        remedy: expect.stringContaining('trunkline migrate'),
      });
    } finally {
      await empty.drop();
    }
  });
});

/** The answers of vendors, by the first part of the path. */
const ANSWERS: Record<string, [status: number, body: string]> = {
  forbidden: [401, '{}'],
  broken: [503, '{}'],
  other: [404, '{}'],
  busy: [429, '{}'],
  unknown: [400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}'],
  limited: [403, '{"error":"insufficient permissions"}'],
};

async function aFileForAFolder(): Promise<Record<string, string>> {
  const file = join(home, 'file');
  await writeFile(file, '');
  return { STORAGE_URL: `file:${file}` };
}

async function aCertificate(): Promise<Record<string, string>> {
  const file = join(home, 'tls.pem');
  await writeFile(file, 'none');
  return { SIP_TLS_CERT: file, SIP_TLS_KEY: file };
}
