import SwaggerParser from '@apidevtools/swagger-parser';
import { newWebhookSecret } from '@app/webhooks';
import { Encryption } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tableOfPath } from '../../../test/support/account-ids.js';
import { AccountTables } from '../../../test/support/account-rows.js';
import { AnswerContract, type Answer } from '../../../test/support/answer-contract.js';
import { operations, type Operation } from '../../../test/support/api-document.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aCall, anMcpServer, aWorkspace, furtherRecords, type Workspace } from '../../../test/support/factories.js';
import { requestsOf, type FuzzedRequest } from '../../../test/support/fuzzed-requests.js';
import { hasText, unstorableRequests } from '../../../test/support/unstorable-requests.js';

/** The same requests in every run; another seed, and more of them, by these variables. */
const SEED = Number(process.env.CONTRACT_SEED ?? 20_260_101);

let api: InProcessApi;
let tables: AccountTables;
let own: Workspace;
const contract = new AnswerContract();
/** What changes and deletes records comes last: until then there is something to ask for. */
const ORDER = ['get', 'post', 'put', 'patch', 'delete'];
const depth = ({ method, path }: Operation) => (method === 'delete' ? -path.split('/').length : 0);
const routes = (await operations()).toSorted(
  (a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method) || depth(a) - depth(b),
);

/** About 2,000 requests, however many routes there are. */
const RUNS = Number(process.env.CONTRACT_RUNS ?? Math.ceil(2_000 / routes.length));
/** Routes that need another process: neither an MCP server nor a dialer nor a vendor runs here. */
const OUTCOME_ALONE: Readonly<Record<string, number>> = {
  'POST /api/v1/agents/{agent_id}/mcp-servers': 422,
  'POST /api/v1/trunks/{trunkId}/test': 503,
  // No vendor is configured.
  'GET /api/v1/vendors/voice-sample': 404,
  // The call was not answered (twice), the agent has no scenario that can be played, and no person is signed in.
  'GET /api/v1/calls/{callId}/analysis': 404,
  'GET /api/v1/calls/{callId}/scenario': 404,
  'POST /api/v1/agents/{agent_id}/test-runs': 422,
  'DELETE /api/v1/sessions/{id}': 404,
  // A WebSocket.
  'GET /api/v1/calls/{callId}/audio': 426,
};
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  const secret = api.app.get(Encryption).encrypt(newWebhookSecret(), 'webhook-secret');
  await api.pool.query('INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)', [
    own.accountId,
    secret,
  ]);
  tables = await AccountTables.of(api.pool);
  await anMcpServer(api.pool, own, { name: 'contract', url: 'http://127.0.0.1:1/' });
  await furtherRecords(api.pool, own, await aCall(api.pool, own), 'contract');
  await makeRecords();
  await tables.fill(own.accountId, 'contract');
});
afterAll(async () => {
  agent.destroy();
  await api?.stop();
});

/** Records that are asked for, changed and, in the end, deleted. */
async function makeRecords(): Promise<void> {
  const { agentId: agent_id, numberId: number_id } = own;
  const webhook = { url: 'http://127.0.0.1:9/', method: 'POST' };
  await api.pool.query('UPDATE agents SET call_status_webhook = $2 WHERE id = $1', [agent_id, webhook]);
  const post = (path: string, body: object) => api.as(own.token).post(`/api/v1${path}`).send(body);
  await post(`/agents/${agent_id}/knowledge-bases`, { title: 'One', source_type: 'text', content: 'Some text.' });
  const webhook_actions = [{ name: 'ask', url: 'http://127.0.0.1:9/' }];
  await post(`/agents/${agent_id}/tools`, { name: 'ask', description: 'Asks.', webhook_actions });
  const call_status_webhook_url = 'http://127.0.0.1:9/';
  await post('/web-keys', { name: 'site', agent_id, origins: ['https://example.com'] });
  await post('/calls', { to_number: 'sip:a@127.0.0.1', agent_id, number_id, call_status_webhook_url });
}

async function pathOf(route: Operation, { ids, query }: FuzzedRequest): Promise<string> {
  let path = route.path;
  for (const [name, odd] of Object.entries(ids)) {
    const id = odd ?? (await tables.idIn(tableOfPath(route.path, name, tables), own.accountId)) ?? 'none';
    path = path.replace(`{${name}}`, String(id));
  }
  return query === '' ? path : `${path}?${query}`;
}

/** An answer that streams is not waited for to its end. */
function send(route: Operation, path: string, { headers, body }: FuzzedRequest): Promise<Answer> {
  const { port } = api.server.address() as AddressInfo;
  const authorization = `Bearer ${own.token}`;
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      port,
      host: '127.0.0.1',
      method: route.method.toUpperCase(),
      path,
      headers: { ...headers, authorization },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      const answer = () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      };
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        answer();
        response.destroy();
        return;
      }
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .once('end', answer)
        .once('error', reject);
    });
    sent.end(body);
  });
}

describe(`openapi.json (seed ${SEED}, ${RUNS} requests for each of ${routes.length} routes)`, () => {
  it('is an OpenAPI document', async () => {
    await expect(SwaggerParser.validate('openapi.json')).resolves.toBeDefined();
  });

  it.each(routes.filter(hasText).map((route) => [route.name, route] as const))(
    '%s answers text that PostgreSQL cannot store with a documented response',
    async (_name, route) => {
      const problems: string[] = [];
      for (const request of unstorableRequests(route)) {
        const path = await pathOf(route, request);
        const answer = await send(route, path, request);
        const problem = contract.problem(route, answer, request.body !== undefined);
        if (problem && answer.status !== OUTCOME_ALONE[route.name])
          problems.push(`${route.method} ${path} ${String(request.body).slice(0, 2_000)}: ${problem}`);
      }
      expect(problems).toEqual([]);
    },
  );

  it.each(routes.map((route) => [route.name, route] as const))(
    '%s returns documented responses to random requests',
    async (_name, route) => {
      const succeeded = new Set<number>();
      const property = fc.asyncProperty(requestsOf(route), async (fuzzed) => {
        const path = await pathOf(route, fuzzed);
        const answer = await send(route, path, fuzzed);
        // Whatever always fails was not asked in the right way; links to recordings and transcripts are signed.
        if (answer.status < 300 || answer.status === 409 || !route.scope) succeeded.add(answer.status);
        const isAlone = answer.status === OUTCOME_ALONE[route.name];
        if (isAlone) succeeded.add(answer.status);
        const problem = contract.problem(route, answer, fuzzed.body !== undefined);
        if (problem && !isAlone) throw new Error(`${route.method} ${path}: ${problem}`);
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 20_000 });
      expect([...succeeded]).not.toEqual([]);
    },
  );
});
