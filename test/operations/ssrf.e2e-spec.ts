import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../support/app.js';
import { aWorkspace, type Workspace } from '../support/factories.js';

const LITERALS_V4 =
  `127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. 0.0.0.0 0 10.0.0.1 172.31.255.255 192.168.1.1 169.254.169.254
  100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 203.0.113.7 224.0.0.1 255.255.255.255 240.0.0.1`.split(/\s+/);
const LITERALS_V6 =
  `[::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [64:ff9b::7f00:1] [2002:7f00:1::] [fd00:ec2::254] [fe80::1] [fc00::1]
  [ff02::1] [2001:db8::1] [100::1]`.split(/\s+/);
const NAMES =
  'localhost foo.localhost LOCALHOST. metadata.google.internal kubernetes.default.svc redis printer.lan'.split(' ');
const TRICKS = ['①②⑦.⓪.⓪.①', '127。0。0。1', '127%2e0.0.1', 'user@8.8.8.8', 'example.com\\@127.0.0.1', 'a.com\r\nX: y'];

/** The four uses: what is sent, and the field that the refusal names. */
interface Use {
  path(own: Workspace): string;
  body(host: string, own: Workspace): object;
  key: string;
}

const callOf = (own: Workspace, more: object) => ({
  to_number: 'sip:a@8.8.8.8',
  agent_id: own.agentId,
  number_id: own.numberId,
  ...more,
});

let tools = 0;
const USES: Record<string, Use> = {
  webhook: {
    path: () => '/api/v1/calls',
    body: (host, own) => callOf(own, { post_call_webhook_url: `http://${host}/x` }),
    key: 'post_call_webhook_url',
  },
  tool: {
    path: ({ agentId }) => `/api/v1/agents/${agentId}/tools`,
    body: (host) => ({
      name: `tool_${(tools += 1)}`,
      description: 'x',
      webhook_actions: [{ name: 'ask', url: `http://${host}/x` }],
    }),
    key: 'webhook_actions.0.url',
  },
  'URL source': {
    path: ({ agentId }) => `/api/v1/agents/${agentId}/knowledge-bases`,
    body: (host) => ({ title: 'x', source_type: 'url', source_reference: `http://${host}/x` }),
    key: 'source_reference',
  },
  'SIP host': {
    path: () => '/api/v1/calls',
    body: (host, own) => callOf(own, { to_number: [`sip:a@${host}`] }),
    key: 'to_number.0',
  },
};

let api: TestApi;
let own: Workspace;

beforeAll(async () => {
  // As it is out of the box: nothing inside is open.
  api = await TestApi.start({ EGRESS_ALLOW_CIDRS: '', SIP_ALLOW_CIDRS: '' });
  own = await aWorkspace(api.pool);
});
afterAll(() => api?.stop());

const send = (use: Use, host: string) => api.as(own.token).post(use.path(own)).send(use.body(host, own));

const stored = async (): Promise<unknown> =>
  (
    await api.pool.query(
      'SELECT (SELECT count(*) FROM calls) c, (SELECT count(*) FROM tools) t, (SELECT count(*) FROM knowledge_bases) k',
    )
  ).rows;

describe.each(Object.entries(USES))('a %s', (_name, use) => {
  it.each([
    ['an IPv4 address', LITERALS_V4],
    ['an IPv6 address', LITERALS_V6],
    ['a name', NAMES],
    ['a trick of spelling', TRICKS],
    ['a service', ['redis:6379', '127.0.0.1:5432', 'localhost:3000']],
  ])('inside, as %s, is refused and not stored', async (_kind, hosts) => {
    const before = await stored();
    for (const host of hosts) {
      const { status, body } = await send(use, host);
      expect([host, status, Object.keys((body.errors ?? {}) as object)]).toEqual([host, 422, [use.key]]);
    }
    expect(await stored()).toEqual(before);
  });

  it.each(['8.8.8.8', '[2606:4700:4700::1111]', 'example.com', 'h.example.com:8443'])(
    'on %s is taken',
    async (host) => {
      expect((await send(use, host)).status).toBe(201);
    },
  );
});

it.each(['file:///etc/passwd', 'ftp://example.com/', 'gopher://example.com:70/', 'HTTP://', '//example.com/x'])(
  'no use of a URL takes %s',
  async (url) => {
    for (const use of Object.values(USES).filter(({ key }) => key !== 'to_number.0')) {
      const body = JSON.parse(
        JSON.stringify(use.body('example.com', own)).replace('http://example.com/x', url),
      ) as object;
      const answer = await api.as(own.token).post(use.path(own)).send(body);
      expect([use.key, answer.status]).toEqual([use.key, 422]);
    }
  },
);
