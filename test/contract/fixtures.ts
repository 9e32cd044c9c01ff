import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { randomInt } from 'node:crypto';
import { PATIENCE_MS, eventually } from '../support/eventually.js';
import { aListedTool, McpPeer } from '../support/mcp-peer.js';
import type { Values } from './placeholders.js';
import type { ContractService } from './service.js';

interface StatusEvent {
  event: string;
  data: { call_id: string };
}
type Created = { data: { id: number | string } & Record<string, unknown> };

const DAY_MS = 86_400_000;
/** A scope that no route but one needs, for tokens that lack all others. */
const SINGLE_SCOPES = ['audit:read', 'analytics:read'];

/** A page that the knowledge base of the fixtures fetches. */
const PAGE = '<!doctype html><title>Hours</title><p>We are open on weekdays from nine to five.</p>';

/** Endpoints of the fixtures: they receive the webhooks of the calls, have a page, and offer a tool over MCP. */
export class Endpoints {
  private readonly news = new EventEmitter();
  private readonly events: StatusEvent[] = [];

  private constructor(
    private readonly server: Server,
    private readonly mcp: McpPeer,
  ) {}

  static async start(): Promise<Endpoints> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const mcp = await McpPeer.start();
    mcp.tools = [aListedTool()];
    const endpoints = new Endpoints(server, mcp);
    server.on('request', (request, response) => {
      if (request.method === 'GET') response.setHeader('content-type', 'text/html').end(PAGE);
      else void endpoints.receive(request).finally(() => response.end('{}'));
    });
    return endpoints;
  }

  get webhookUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get mcpUrl(): string {
    return this.mcp.url();
  }

  private async receive(request: IncomingMessage): Promise<void> {
    this.events.push((await json(request)) as StatusEvent);
    this.news.emit('news');
  }

  /** Waits until the status webhook of a call has said `event`. */
  async said(event: string, callId: unknown): Promise<void> {
    const isSaid = () => this.events.some((one) => one.event === event && one.data.call_id === callId);
    if (isSaid()) return;
    for await (const _ of on(this.news, 'news', { signal: AbortSignal.timeout(PATIENCE_MS) })) if (isSaid()) return;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.mcp.close();
  }
}

/** Two accounts with the same records. @returns the placeholders of the first; those of the second begin with `other.` */
export async function makeFixtures(service: ContractService, endpoints: Endpoints): Promise<Values> {
  const tag = String(randomInt(1e9)).padStart(9, '0');
  const names = [`contract-${tag}`, `other-${tag}`];
  await service.command(['apply', '-f', '-'], JSON.stringify({ accounts: names.map((name) => ({ name })) }));
  const [own, other] = await Promise.all(names.map((name) => new Account(service, endpoints, name).fill()));
  const others = Object.entries(other!).map(([name, value]) => [`other.${name}`, value]);
  return { ...own, ...Object.fromEntries(others) };
}

class Account {
  private token = '';
  private readonly values: Record<string, string> = {};

  constructor(
    private readonly service: ContractService,
    private readonly endpoints: Endpoints,
    private readonly name: string,
  ) {}

  async fill(): Promise<Values> {
    await this.makeTokens();
    Object.assign(this.values, {
      account_name: this.name,
      sandbox_port: String(this.service.sandboxPort),
      webhook_url: this.endpoints.webhookUrl,
      mcp_url: this.endpoints.mcpUrl,
      tomorrow: new Date(Date.now() + DAY_MS).toISOString(),
      yesterday: new Date(Date.now() - DAY_MS).toISOString(),
    });
    await this.makeTelephony();
    await Promise.all([this.makeCalls(), this.makeAgentRecords(), this.makeCampaigns(), this.makeAccountRecords()]);
    return this.values;
  }

  private async makeTokens(): Promise<void> {
    const issue = ['tokens', 'issue', '--account', this.name, '--json', '--scopes'];
    const { token } = JSON.parse(await this.service.command([...issue, '*,account:write'])) as { token: string };
    this.token = token;
    this.values['token.all'] = token;
    const more = SINGLE_SCOPES.map((scope) => ({ name: scope, scopes: [scope], as: `token.${scope.split(':')[0]}` }));
    for (const { as, ...body } of [...more, { name: 'revoked', scopes: null, as: 'token.revoked' }]) {
      const { data } = await this.post('/tokens', body);
      this.values[as] = String(data.token);
      this.values[`${as}_id`] = String(data.id);
    }
    await this.call('DELETE', `/tokens/${this.values['token.revoked_id']}`);
    this.values.token_id = this.values['token.audit_id']!;
  }

  private async makeTelephony(): Promise<void> {
    const { webhook_url: url, sandbox_port: port } = this.values;
    await this.make('agent', '/agents', { name: 'Receptionist', provider: 'sandbox', call_status_webhook: { url } });
    await this.make('agent.second', '/agents', { name: 'Second', provider: 'sandbox' });
    await this.make('agent.inactive', '/agents', { name: 'Inactive', provider: 'sandbox', active: false });
    this.values.e164 = await this.aNumber('number', { name: 'main', agent_id: Number(this.values.agent) });
    await this.aNumber('number.inactive', { name: 'inactive', active: false });
    await this.make('trunk', '/trunks', { name: 'sandbox', host: '127.0.0.1', port: Number(port), transport: 'udp' });
    await this.make('trunk.inactive', '/trunks', { name: 'inactive', host: '127.0.0.1', active: false });
    await this.make('version', '/agents/{agent}/versions', { note: 'A draft' }, 'version');
    await this.make('version.published', '/agents/{agent}/versions', { note: 'Published' }, 'version');
    await this.post('/agents/{agent}/versions/{version.published}/publish', {});
  }

  /** Numbers are unique in the whole service. */
  private async aNumber(as: string, more: object): Promise<string> {
    const e164 = `+1555${String(randomInt(1e7)).padStart(7, '0')}`;
    await this.make(as, '/numbers', { e164, ...more });
    return e164;
  }

  private async makeCalls(): Promise<void> {
    const { agent, number, sandbox_port: port, tomorrow } = this.values;
    const ids = { agent_id: Number(agent), number_id: Number(number) };
    const to = (extension: string) => ({ ...ids, to_number: `sip:${extension}@127.0.0.1:${port}` });
    const keyed = { 'idempotency-key': `contract-${this.name}` };
    this.values.idempotency_key = keyed['idempotency-key'];
    await this.make('call.pending', '/calls', { ...to('answer'), not_before: tomorrow }, 'call_id', keyed);
    await this.make('call.busy', '/calls', to('busy'), 'call_id');
    await this.make('call', '/calls', { ...to('answer'), call_status_webhook_url: this.values.webhook_url }, 'call_id');
    await this.endpoints.said('in-progress', this.values.call);
    await this.make('command', '/calls/{call}/commands', { type: 'hang_up' }, 'command_id');
    await this.endpoints.said('completed', this.values.call);
    await this.endpoints.said('busy', this.values['call.busy']);
    await this.make('batch', '/analyses', { filter: { agent_id: Number(this.values['agent.second']) } });
    await this.first('delivery', `/webhook-deliveries?call_id=${this.values.call}`);
    await this.first('endpoint', '/webhook-endpoints');
  }

  private async makeAgentRecords(): Promise<void> {
    const text = { title: 'Returns', source_type: 'text', content: 'Goods can be returned within 30 days.' };
    await this.make('knowledge_base', '/agents/{agent}/knowledge-bases', text);
    const url = { title: 'Hours', source_type: 'url', source_reference: this.values.webhook_url };
    await this.make('knowledge_base.url', '/agents/{agent}/knowledge-bases', url);
    const question = { question: 'How long?', expected_text: 'within 30 days' };
    await this.make('knowledge_test', '/agents/{agent}/knowledge-bases/tests', question);
    const webhook_actions = [{ name: 'ask', url: this.values.webhook_url }];
    await this.make('tool', '/agents/{agent}/tools', { name: 'ask', description: 'Asks.', webhook_actions });
    await this.make('tool.second', '/agents/{agent}/tools', { name: 'second', description: 'Asks.' });
    await this.make('tool_invocation', '/agents/{agent}/tools/{tool}/invoke', { arguments: {} }, 'invocation_id');
    await this.make('mcp_server', '/agents/{agent}/mcp-servers', { name: 'shop', url: this.values.mcp_url });
    const scenarios = [{ name: 'greeting', steps: [{ expects: 'help you' }] }];
    await this.make('test_run', '/agents/{agent}/test-runs', { scenarios });
    await this.ended('/agents/{agent}/test-runs/{test_run}', ['passed', 'failed', 'error', 'cancelled']);
    await this.ended('/agents/{agent}/knowledge-bases/{knowledge_base.url}', ['completed', 'failed']);
  }

  private async makeCampaigns(): Promise<void> {
    const { agent, number, trunk } = this.values;
    const campaign = { agent_id: Number(agent), number_ids: [Number(number)], trunk_id: Number(trunk) };
    await this.make('campaign', '/campaigns', { name: 'draft', ...campaign });
    await this.make('campaign.empty', '/campaigns', { name: 'empty', ...campaign });
    await this.make('campaign.cancelled', '/campaigns', { name: 'cancelled', ...campaign });
    const schedule = { start_at: this.values.tomorrow };
    await this.make('campaign.running', '/campaigns', { name: 'running', ...campaign, schedule });
    const contacts = [{ to_number: 'sip:answer@127.0.0.1' }];
    await this.post('/campaigns/{campaign}/contacts', { contacts });
    await this.post('/campaigns/{campaign.running}/contacts', { contacts });
    await this.post('/campaigns/{campaign.cancelled}/cancel');
    await this.post('/campaigns/{campaign.running}/start');
    await this.first('contact', '/campaigns/{campaign}/contacts');
    const form = new FormData();
    form.set('file', new Blob(['to_number\n+15550002222\nnone\n']), 'contacts.csv');
    const created = await this.call('POST', '/campaigns/{campaign}/contacts/import', form);
    this.values.import = String(created.data.id);
    await this.ended('/campaigns/{campaign}/imports/{import}', ['completed']);
  }

  private async makeAccountRecords(): Promise<void> {
    await this.make('entry', '/do-not-call', { number: '+15551234567' });
    await this.make('secret', '/webhook-secrets/rotate', {});
  }

  /** Creates a record and keeps its id as a placeholder. */
  private async make(as: string, path: string, body: object, field = 'id', headers = {}): Promise<void> {
    const { data } = await this.call('POST', path, body, headers);
    this.values[as] = String(data[field]);
  }

  private async first(as: string, path: string): Promise<void> {
    const look = () => this.call<{ data: { id: unknown }[] }>('GET', path);
    const { data } = await eventually(look, (seen) => seen.data.length > 0);
    this.values[as] = String(data[0]?.id);
  }

  private async ended(path: string, states: string[]): Promise<void> {
    await eventually(
      () => this.call('GET', path),
      ({ data }) => states.includes(String(data.status)),
    );
  }

  private post(path: string, body?: object): Promise<Created> {
    return this.call('POST', path, body);
  }

  private async call<T = Created>(method: string, path: string, body?: object, headers = {}): Promise<T> {
    const response = await this.fetched(method, path, body, headers);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  private fetched(method: string, path: string, body?: object, headers = {}): Promise<Response> {
    const filled = path.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => this.values[name] ?? `{${name}}`);
    const isForm = body instanceof FormData;
    const all: Record<string, string> = { authorization: `Bearer ${this.token}`, ...headers };
    if (body && !isForm) all['content-type'] = 'application/json';
    return fetch(`${this.service.baseUrl}/api/v1${filled}`, {
      method,
      headers: all,
      body: isForm ? body : body && JSON.stringify(body),
    });
  }
}
