import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { TestAuthority, type Certificate } from '../interop/certificates.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { ConnectProxy } from '../../support/connect-proxy.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { createAccount } from '../../support/workspace.js';
import { suiteWith } from '../../support/suite-with.js';

const suite = suiteWith(['openssl']);

suite('an installation whose only way out is a proxy, and https', () => {
  const servers: Server[] = [];
  let authority: TestAuthority;
  let proxy: ConnectProxy;
  let stack: Stack;
  let database: Client;
  let api: ApiClient;
  let received: number;

  async function serve({ cert, key }: Certificate): Promise<number> {
    const server = createServer({ cert, key }, (_, response) => {
      received++;
      response.end('ok');
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  beforeAll(async () => {
    received = 0;
    authority = new TestAuthority();
    const right = await serve(authority.issue(['DNS:hooks.example.com']));
    const wrong = await serve(authority.issue(['DNS:somebody-else.example.com']));
    proxy = await ConnectProxy.start({ 'hooks.example.com:443': right, 'wrong.example.com:443': wrong });
    const env = { EGRESS_ALLOW_CIDRS: '', EGRESS_PROXY_URL: proxy.url, HTTPS_ONLY: 'true' };
    stack = await Stack.start({ dialers: 0, env: { ...env, NODE_EXTRA_CA_CERTS: authority.caFile } });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
    const account = await createAccount(stack, { name: 'behind-a-proxy' });
    api = apiOf(stack, account);
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await proxy?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    authority?.remove();
  });

  const call = (url: string) => api.createCall({ to_number: 'sip:a@127.0.0.1', call_status_webhook_url: url });

  /** The first delivery attempt to a URL. */
  const attemptFor = (url: string) =>
    eventually(
      async () => {
        const text = `SELECT a.status, a.error FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
          WHERE d.url = $1 ORDER BY a.id LIMIT 1`;
        return (await database.query<{ status: number | null; error: string | null }>(text, [url])).rows[0];
      },
      (row) => row !== undefined,
    );

  it('delivers a webhook with end-to-end TLS', async () => {
    await call('https://hooks.example.com/status');
    expect(await attemptFor('https://hooks.example.com/status')).toEqual({ status: 200, error: null });
    expect([proxy.connects[0], proxy.plainRequests, received]).toEqual(['hooks.example.com:443', 0, 1]);
  });

  it('verifies the certificate of the target through the tunnel', async () => {
    await call('https://wrong.example.com/status');
    const attempt = await attemptFor('https://wrong.example.com/status');
    expect(attempt).toEqual({ status: null, error: expect.stringContaining('TLS connection could not be made') });
    expect(received).toBe(1);
  });

  it.each(['http://hooks.example.com/', 'https://10.0.0.1/', 'https://db.internal/'])(
    'rejects the webhook URL %s',
    async (url) => {
      await expect(call(url)).rejects.toMatchObject({ status: 422 });
    },
  );
});
