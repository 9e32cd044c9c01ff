import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { aTool, anAction, errorsOf, type MadeTool, withAction } from '../support/tools-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const service = Service.get();
let endpoint: WebhookReceiver;
let own: Workspace;
let path: string;

beforeAll(async () => {
  [endpoint, own] = await Promise.all([WebhookReceiver.start(), service.account()]);
  path = `/api/v1/agents/${own.agentId}/tools`;
  await service.as(own.token).post('/api/v1/webhook-secrets/rotate').send({}).expect(201);
});
afterAll(async () => {
  await Promise.all([service.close(), endpoint?.close()]);
});

const post = (body: object) => service.as(own.token).post(path).send(body);
const put = (id: number, body: object) => service.as(own.token).put(`${path}/${id}`).send(body);
const made = async (body: object): Promise<MadeTool> => {
  const answer = await post(body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data as MadeTool;
};
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

describe('an action', () => {
  it.each<[string, object, string, string]>([
    ['a URL of 2,049 characters', { url: `https://example.com/${'x'.repeat(2_029)}` }, 'url', 'greater than 2048'],
    ['a URL without a scheme', { url: 'example.com' }, 'url', 'absolute http or https'],
    ['another scheme', { url: 'ftp://example.com/' }, 'url', 'absolute http or https'],
    ['an internal address', { url: 'http://169.254.169.254/' }, 'url', 'internal address'],
    ['an internal address in hexadecimal', { url: 'http://0x0a000001/' }, 'url', 'internal address'],
    ['a user name in the URL', { url: 'https://u:p@example.com/' }, 'url', 'user name'],
    ['arguments in the host', { url: 'https://{{args.h}}/' }, 'url', 'path and the query'],
    ['arguments in a part of the host', { url: 'https://{{args.h}}.example.com/' }, 'url', 'path and the query'],
    ['arguments after the host', { url: 'https://example.com{{args.h}}' }, 'url', 'path and the query'],
    ['arguments in the port', { url: 'https://example.com:{{args.p}}/' }, 'url', 'path and the query'],
    ['arguments in the user', { url: 'https://{{args.u}}@example.com/' }, 'url', 'path and the query'],
    ['arguments as the scheme', { url: '{{args.s}}://example.com/' }, 'url', 'path and the query'],
    ['an argument as the whole URL', { url: '{{args.url}}' }, 'url', 'path and the query'],
    ['arguments that parsers take for a host', { url: 'https:///{{args.h}}' }, 'url', 'path and the query'],
    ['an unknown root in the URL', { url: 'https://example.com/{{env.HOME}}' }, 'url', '{{env.HOME}} is unknown'],
    ['an unknown method', { method: 'TRACE' }, 'method', 'must be one of: GET, POST, PUT, PATCH, DELETE'],
    ['a method in lower case', { method: 'get' }, 'method', 'must be one of'],
    ['a list as payload', { payload: [1] }, 'payload', 'must be an object'],
    ['a text as payload', { payload: '{}' }, 'payload', 'must be an object'],
    ['a payload of 16 KB and more', { payload: { a: 'x'.repeat(16_384) } }, 'payload', 'greater than 16,384 bytes'],
    ['a payload of 17 levels', { payload: nested(16) }, 'payload', 'deeper than 16 levels'],
    ['an unknown root in the payload', { payload: { a: [{ b: 'x {{user.id}}' }] } }, 'payload.a.0.b', 'is unknown'],
    ['an empty placeholder', { payload: { a: '{{ }}' } }, 'payload.a', 'is unknown'],
    ['a list as headers', { headers: [] }, 'headers', 'must be an object'],
    ['a number as header', { headers: { A: 1 } }, 'headers.A', 'must be a string, or an object'],
    [
      'a secret that is not a boolean',
      { headers: { A: { value: 'x', secret: 1 } } },
      'headers.A',
      'must be a string, or',
    ],
    ['a host header', { headers: { Host: 'x' } }, 'headers.Host', 'set by the service'],
    ['a signature header', { headers: { 'Webhook-Id': 'x' } }, 'headers.Webhook-Id', 'set by the service'],
    ['a connection header', { headers: { te: 'x' } }, 'headers.te', 'set by the service'],
    [
      'the idempotency key of the invocation',
      { headers: { 'Idempotency-Key': 'x' } },
      'headers.Idempotency-Key',
      'set by the service',
    ],
    ['a header name with a space', { headers: { 'a b': 'x' } }, 'headers.a b', 'header name'],
    ['a line break in a header', { headers: { A: 'x\r\nB: y' } }, 'headers.A', 'control characters'],
    ['a long header', { headers: { A: 'x'.repeat(2_049) } }, 'headers.A', 'longer than 2048'],
    ['a header twice', { headers: { A: 'x', a: 'y' } }, 'headers.a', 'more than once'],
    [
      '21 headers',
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`h${n}`, ''])) },
      'headers',
      '20',
    ],
    ['an unknown root in a header', { headers: { A: '{{secrets.a}}' } }, 'headers.A', 'is unknown'],
    ['a mask without a stored value', { headers: { A: '********' } }, 'headers.A', 'has none'],
    ['a list as query', { query_params: [] }, 'query_params', 'must be an object'],
    ['an object in the query', { query_params: { a: { b: 1 } } }, 'query_params.a', 'must be a string, a number'],
    ['a list in a list in the query', { query_params: { a: [['x']] } }, 'query_params.a', 'must be a string, a number'],
    ['a long parameter', { query_params: { a: 'x'.repeat(2_049) } }, 'query_params.a', 'longer than 2048'],
    ['51 values of a parameter', { query_params: { a: Array(51).fill(1) } }, 'query_params.a', 'more than 50 values'],
    ['an unknown root in the query', { query_params: { a: ['{{x}}'] } }, 'query_params.a', 'is unknown'],
    [
      '51 parameters',
      { query_params: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, 1])) },
      'query_params',
      'more than 50',
    ],
    ['wait_response as text', { wait_response: 'no' }, 'wait_response', 'must be true or false'],
    ['a timeout of zero', { timeout_seconds: 0 }, 'timeout_seconds', 'between 1 and 120'],
    ['a timeout that is too long', { timeout_seconds: 121 }, 'timeout_seconds', 'between 1 and 120'],
    ['a timeout in fractions of a second', { timeout_seconds: 1.5 }, 'timeout_seconds', 'must be an integer'],
    ['a blank name', { name: ' ' }, 'name', 'is required'],
    ['a blank URL', { url: ' ' }, 'url', 'is required'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name', 'greater than 255'],
  ])('is refused: %s', async (_name, more, key, sentence) => {
    const errors = errorsOf(await post(withAction(more)));
    expect(Object.keys(errors)).toEqual([`webhook_actions.0.${key}`]);
    expect(errors[`webhook_actions.0.${key}`]).toContain(sentence);
  });

  it.each<[string, object]>([
    ['placeholders in path and query', { url: 'https://example.com/{{args.a}}/x?y={{metadata.b}}#{{agent.id}}' }],
    ['a port', { url: 'https://example.com:8443/x?y=1' }],
    ['an internal address that this installation allows', { url: 'http://127.0.0.1:9999/{{args.a}}' }],
    ['a URL of 2,048 characters', { url: `https://example.com/${'x'.repeat(2_028)}` }],
    ['a payload of 16 levels', { payload: nested(15) }],
    ['braces that are not a placeholder', { payload: { a: '{a} {{a} }}', '{{a}}': 1 } }],
    ['whole roots', { payload: { a: '{{args}}', b: '{{metadata}}', c: '{{call}}', d: '{{agent}}' } }],
    ['one second', { timeout_seconds: 1 }],
  ])('may have %s', async (_name, more) => {
    expect((await made(withAction(more))).webhook_actions[0]).toMatchObject(more);
  });
});

describe('the headers of an action', () => {
  it('are secret when declared so or when their name suggests it, and no row contains them in plain text', async () => {
    const headers = {
      ...{ Authorization: 'Bearer canary-1', 'X-Api-Key': 'canary-2', 'X-Own': { value: 'canary-3', secret: true } },
      ...{ 'X-Shown': 'canary-4', 'X-Key': { value: 'canary-5', secret: false } },
    };
    const masked = { Authorization: '********', 'X-Api-Key': '********', 'X-Own': '********' };
    const shown = { ...masked, 'X-Shown': 'canary-4', 'X-Key': 'canary-5' };
    const key = `canary-of-${own.accountId}`;
    const answer = await post(withAction({ headers })).set('Idempotency-Key', key);
    const { id, webhook_actions: actions } = answer.body.data as MadeTool;
    expect(actions[0]!.headers).toEqual(shown);
    const read = await service.as(own.token).get(`${path}/${id}`);
    expect(read.body.data.webhook_actions[0].headers).toEqual(shown);
    const { rows } = await service.pool.query<{ row: string }>(
      `SELECT t::text AS row FROM tools t WHERE id = $1 UNION ALL SELECT a::text FROM tool_actions a WHERE tool_id = $1
        UNION ALL SELECT k::text FROM idempotency_keys k WHERE key = $2`,
      [id, key],
    );
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toMatch(/canary-\d/);
  });

  it('keep the stored value when a request contains the mask, in another order and with another path', async () => {
    const { id, webhook_actions: actions } = await made(
      aTool({
        webhook_actions: [
          anAction({ url: endpoint.url('/ask'), headers: { Authorization: 'first', 'X-A': 'shown' } }),
          anAction({
            name: 'other',
            url: endpoint.url('/other'),
            headers: { 'X-B': { value: 'second', secret: true } },
          }),
        ],
      }),
    );
    const [ask, other] = actions;
    const back = [other, { ...ask, url: endpoint.url('/elsewhere'), headers: { authorization: '********' } }];
    const answer = await put(id, { webhook_actions: back });
    expect(answer.status).toBe(200);
    expect(answer.body.data.webhook_actions.map((one: MadeTool) => one['headers'])).toEqual([
      { 'X-B': '********' },
      { authorization: '********' },
    ]);
    await service.as(own.token).post(`${path}/${id}/invoke`).send({ arguments: {} }).expect(200);
    const [first, second] = endpoint.received;
    expect([first?.path, first?.headers['x-b'], second?.path]).toEqual(['/other', 'second', '/elsewhere']);
    expect([second?.headers.authorization, second?.headers['x-a']]).toEqual(['first', undefined]);
  });

  it.each<[string, object, string]>([
    ['to another host', { url: 'https://attacker.example/' }, 'to another host'],
    ['to another port', { url: 'https://example.com:444/' }, 'to another host'],
    ['without TLS', { url: 'http://example.com/' }, 'to another host'],
    ['under another name', { name: 'new' }, 'has none'],
    ['for another header', { headers: { 'X-Token': '********' } }, 'has none'],
  ])('do not go %s with the mask alone', async (_name, more, sentence) => {
    const tool = await made(withAction({ headers: { Authorization: 'Bearer secret' } }));
    const headers = { Authorization: '********' };
    const answer = await put(tool.id, { description: 'x', webhook_actions: [anAction({ headers, ...more })] });
    expect(Object.values(errorsOf(answer))).toEqual([expect.stringContaining(sentence)]);
    expect((await service.as(own.token).get(`${path}/${tool.id}`)).body.data).toEqual(tool);
  });

  it('stay secret when a request declares only their mask as not secret', async () => {
    const { id } = await made(withAction({ headers: { Authorization: 'Bearer secret' } }));
    const headers = { Authorization: { value: '********', secret: false } };
    const answer = await put(id, { webhook_actions: [anAction({ headers })] });
    expect(answer.body.data.webhook_actions[0].headers).toEqual({ Authorization: '********' });
  });
});
