import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { freePort } from '../../support/free-port.js';
import { type Nginx, startNginx } from '../../support/nginx.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { ResumingPage } from '../../support/resuming-page.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

suiteWith(['nginx', 'openssl'])('a web call through nginx', () => {
  let stack: Stack;
  let nginx: Nginx;
  let account: TestAccount;
  let healthPort: number;

  beforeAll(async () => {
    healthPort = await freePort();
    stack = await Stack.start({ workers: 0, env: { TRUST_PROXY: '1' }, apis: 0 });
    const api = await stack.add('api', { HEALTH_PORT: String(healthPort) });
    account = await createAccount(stack, { name: 'pages' });
    nginx = await startNginx(Number(api.ready.port));
  });
  afterAll(async () => {
    await nginx.stop();
    await stack.stop();
  });

  const tls = () => ({ ca: nginx.ca, servername: 'localhost' });

  async function createCall(): Promise<{ call_id: string; url: string; token: string }> {
    const sent = request({
      ...tls(),
      host: '127.0.0.1',
      port: nginx.ports.https,
      method: 'POST',
      path: '/api/v1/web-calls',
      headers: {
        host: `localhost:${nginx.ports.https}`,
        authorization: `Bearer ${account.token}`,
        'content-type': 'application/json',
      },
    });
    sent.end(JSON.stringify({ agent_id: account.agentId }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(201);
    return ((await json(response)) as { data: { call_id: string; url: string; token: string } }).data;
  }

  const metric = async (line: string): Promise<string | undefined> => {
    const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
    return text.split('\n').find((one) => one.startsWith(line));
  };

  it('has a wss address, audio both ways, an end, and metrics', async () => {
    const { call_id: callId, url, token } = await createCall();
    expect(url).toBe(`wss://localhost:${nginx.ports.https}/api/v1/web-calls/${callId}/audio`);
    const page = await ResumingPage.open({ url, token }, tls());
    await page.untilHeard(50);
    expect(await metric('trunkline_sockets{route="web_call"}')).toBe('trunkline_sockets{route="web_call"} 1');
    expect(await page.hangUp()).toBe(1000);
    expect(page.messages.find(({ type }) => type === 'ended')).toMatchObject({ status: 'completed' });
    expect(await metric('trunkline_sockets{route="web_call"}')).toBe('trunkline_sockets{route="web_call"} 0');
    expect(await metric('trunkline_socket_closes_total{route="web_call",code="1000"}')).toMatch(/ 1$/);
  });

  it('is refused with a code and a sentence when its token was used', async () => {
    const { url, token } = await createCall();
    const page = await ResumingPage.open({ url, token }, tls());
    const refused = ResumingPage.open({ url, token }, tls());
    await expect(refused).rejects.toThrow('4401');
    await page.hangUp();
  });
});
