import { WorkspaceModule } from './workspace.module.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentEntity } from '@app/agents';
import { PhoneNumberEntity, SipTrunkEntity } from '@app/accounts';
import { WorkspaceService } from './workspace.service.js';
import { AuthModule, type TokenCacheOptions, TokenLookupService, TokensRepository, TokensService } from '@app/auth';
import { Encryption } from '@app/common';
import { Database } from '@app/database';
import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { openHeaders } from '@app/webhooks';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openServices } from '../../../test/support/services.js';
import { statementsOf } from '../../../test/support/statements-of.js';
import { currentSecrets } from '../../../test/support/webhook-account.js';

const SECRET_KEY = 'a secret key of more than 32 characters';
const encryption = new Encryption(SECRET_KEY);
let database: TestDatabase;
let services: INestApplicationContext;
let dataSource: DataSource;
let pool: Pool;
let tokens: TokensService;

beforeAll(async () => {
  database = await createTestDatabase();
  services = await openServices({ DATABASE_URL: database.url, SECRET_KEY }, [WorkspaceModule, AuthModule]);
  dataSource = services.get(DataSource);
  ({ pool } = services.get(Database));
  tokens = services.get(TokensService);
});

afterAll(async () => {
  await services.close();
  await database.drop();
});

const file = (name: string, greeting = 'Hello.', password = 'pa55word') => `
accounts:
  - name: ${name}
    limits: { concurrent_calls: 5, daily_spend_usd: 50, destinations: { allow: ["+1"] } }
    numbers: [{ name: main, e164: "+1 555 000 1111" }]
    trunks: [{ name: carrier, host: sip.example.net, username: u, password: ${password} }]
    agents:
      - name: Receptionist
        greeting: ${greeting}
        post_call_webhook: { url: "https://hooks.example.com/a", headers: [{ key: X-Key, value: k }] }
        call_transfer: { enabled: true, phone_number: "+15550002222", caller_id_number: main }
        answering_machine: { on_machine: leave_message, message: Call us back. }
        conversation: { idle: { prompts: 1 }, barge_in: { interrupt_ms: 300 }, phrases: { filler: Let me look. }, language: en }
`;

const apply = (text: string) => services.get(WorkspaceService).apply(text, 'workspace.yaml');

describe('a workspace file', () => {
  it('creates all records once, and a webhook secret for the account', async () => {
    const [account] = (await apply(file('once'))).accounts;
    expect(account).toMatchObject({
      name: 'once',
      result: 'created',
      numbers: [{ name: 'main', e164: '+15550001111', result: 'created' }],
      trunks: [{ name: 'carrier', result: 'created' }],
      agents: [{ name: 'Receptionist', result: 'created' }],
    });
    expect(JSON.stringify(account)).not.toContain('pa55word');
    expect(await currentSecrets(pool, encryption, account!.id)).toEqual([expect.stringMatching(/^whsec_/)]);
    const agent = await dataSource.manager.findOneByOrFail(AgentEntity, { id: account!.agents[0]!.id });
    expect(agent.transferCallerIdNumberId).toBe(account!.numbers[0]!.id);
    expect(agent.conversation).toEqual({
      idle: { prompts: 1 },
      barge_in: { interrupt_ms: 300 },
      phrases: { filler: 'Let me look.' },
      language: 'en',
    });
    expect(agent.answeringMachine).toEqual({
      detect: true,
      on_machine: 'leave_message',
      message: 'Call us back.',
      wait_for_beep_seconds: 30,
    });
    expect(openHeaders(encryption, agent.postCallWebhook?.headers_sealed)).toEqual([{ key: 'X-Key', value: 'k' }]);
    const trunk = await dataSource.manager.findOneByOrFail(SipTrunkEntity, { id: account!.trunks[0]!.id });
    expect(encryption.decrypt(trunk.passwordSealed!, 'trunk-password')).toBe('pa55word');
  });

  it('changes nothing when it is applied again', async () => {
    const [first] = (await apply(file('twice'))).accounts;
    const [second] = (await apply(file('twice'))).accounts;
    const results = [second, ...second!.numbers, ...second!.trunks, ...second!.agents].map((node) => node!.result);
    expect(results).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged']);
    expect(second!.agents[0]!.id).toBe(first!.agents[0]!.id);
    expect(await currentSecrets(pool, encryption, second!.id)).toHaveLength(1);
  });

  it('keeps records and values that the file no longer mentions', async () => {
    await apply(file('keeps'));
    const [account] = (await apply('accounts: [{ name: keeps, agents: [{ name: Receptionist }] }]')).accounts;
    const agent = await dataSource.manager.findOneByOrFail(AgentEntity, { id: account!.agents[0]!.id });
    expect(agent).toMatchObject({ greeting: 'Hello.', transferEnabled: true, postCallWebhook: { method: 'POST' } });
  });

  it('changes the provider options of an agent key by key, and null clears one', async () => {
    const agent = async (keys: string) => {
      const [account] = (await apply(`accounts: [{ name: voices, agents: [{ name: Receptionist, ${keys} }] }]`))
        .accounts;
      const { id, result } = account!.agents[0]!;
      return { result, stored: await dataSource.manager.findOneByOrFail(AgentEntity, { id }) };
    };
    const keys = 'provider: openai-realtime, model: m, voice: v, fallbacks: [{ provider: sandbox, voice: null }]';
    await agent(keys);
    const { result, stored } = await agent(keys);
    expect(result).toBe('unchanged');
    expect(stored.provider).toBe('openai-realtime');
    expect(stored.providerOptions).toEqual({ model: 'm', voice: 'v', fallbacks: [{ provider: 'sandbox' }] });
    const changed = await agent('turn_detection: { silence_ms: 300 }, voice: null');
    expect(changed.result).toBe('updated');
    const detection = { type: 'server_vad', silence_ms: 300 };
    expect(changed.stored.providerOptions).toEqual({
      model: 'm',
      turn_detection: detection,
      fallbacks: [{ provider: 'sandbox' }],
    });
  });

  it('reads the script of an agent from the file or from another one, and refuses an invalid script', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    await writeFile(
      join(folder, 'tea.yaml'),
      "rules: [{ on: { digits: '2' }, call: { tool: order, arguments: { note: null } } }]",
    );
    const scripted = async (script: string) => {
      const text = `accounts:\n  - name: scripts\n    agents: [{ name: Receptionist, model: m, script: ${script} }]`;
      const tree = await services.get(WorkspaceService).apply(text, join(folder, 'workspace.yaml'));
      const { id, result } = tree.accounts[0]!.agents[0]!;
      const { providerOptions } = await dataSource.manager.findOneByOrFail(AgentEntity, { id });
      return { result, providerOptions };
    };
    const rules = [{ on: { digits: '2' }, call: { tool: 'order', arguments: { note: null } } }];
    expect(await scripted('tea.yaml')).toEqual({
      result: 'created',
      providerOptions: { model: 'm', script: { rules } },
    });
    expect(await scripted('tea.yaml')).toMatchObject({ result: 'unchanged' });
    await expect(scripted('coffee.yaml')).rejects.toThrow('script names a file that cannot be read (ENOENT)');
    await expect(scripted('{ rules: [{ on: later, say: x }] }')).rejects.toThrow(
      /workspace.yaml:3: .*script rules\.0\.on/,
    );
    expect(await scripted('null')).toEqual({ result: 'updated', providerOptions: { model: 'm' } });
    await rm(folder, { recursive: true });
  });

  it('refuses a second name for a number', async () => {
    await apply(file('numbers'));
    const again = 'accounts:\n  - name: numbers\n    numbers:\n      - { name: other, e164: "+15550001111" }';
    await expect(apply(again)).rejects.toThrow('workspace.yaml:4: accounts[0].numbers[0].e164 +15550001111 is already');
  });
});

describe('inbound calls in a workspace file', () => {
  const inbound = (trunk: string, agent = 'Receptionist') => `
accounts:
  - name: inbound
    numbers: [{ name: main, e164: "+15550001111", agent: ${agent} }]
    trunks: [{ name: carrier, host: sip.example.net, inbound: ${trunk} }]
    agents: [{ name: Receptionist }]
`;
  const open = '{ addresses: ["203.0.113.0/24"], username: carrier, password: pa55word }';
  const results = async (text: string) => {
    const [account] = (await apply(text)).accounts;
    return { account: account!, results: [account!.numbers[0]!.result, account!.trunks[0]!.result] };
  };

  it('are accepted over a trunk and answered by an agent of the same file', async () => {
    const { account } = await results(inbound(open));
    expect(JSON.stringify(account)).not.toContain('pa55word');
    expect(account.trunks[0]!.inbound).toEqual({ enabled: true, addresses: ['203.0.113.0/24'], username: 'carrier' });
    const trunk = await dataSource.manager.findOneByOrFail(SipTrunkEntity, { id: account.trunks[0]!.id });
    expect(trunk).toMatchObject({ inboundEnabled: true, inboundAddresses: ['203.0.113.0/24'] });
    expect(encryption.decrypt(trunk.inboundPasswordSealed!, 'trunk-inbound-password')).toBe('pa55word');
    const number = await dataSource.manager.findOneByOrFail(PhoneNumberEntity, { id: account.numbers[0]!.id });
    expect(number.agentId).toBe(account.agents[0]!.id);
  });

  it('change only where the file does, and null refuses them', async () => {
    await apply(inbound(open));
    expect((await results(inbound(open))).results).toEqual(['unchanged', 'unchanged']);
    expect((await results(inbound(open, 'null'))).results).toEqual(['updated', 'unchanged']);
    const closed = await results(inbound('null', 'null'));
    expect(closed.results).toEqual(['unchanged', 'updated']);
    const trunk = await dataSource.manager.findOneByOrFail(SipTrunkEntity, { id: closed.account.trunks[0]!.id });
    expect(trunk).toMatchObject({ inboundEnabled: false, inboundAddresses: [], inboundPasswordSealed: null });
  });

  it('cannot have an unknown agent, and the error names the line', async () => {
    await expect(apply(inbound(open, 'Nobody'))).rejects.toThrow(
      'workspace.yaml:4: accounts[0].numbers[0].agent "Nobody" is not the name of an agent of this account',
    );
  });
});

describe('a token', () => {
  const day = 86_400_000;

  /** An empty cache. */
  const aLookup = (options: Partial<TokenCacheOptions> = {}): TokenLookupService =>
    new TokenLookupService(services.get(TokensRepository), { ttlMs: 5_000, now: () => performance.now(), ...options });

  async function account(name: string): Promise<number> {
    return (await apply(`accounts: [{ name: ${name} }]`)).accounts[0]!.id;
  }

  it('is unknown after its revocation, once the cache has expired', async () => {
    const accountId = await account('revoked');
    const { token, id } = await tokens.issue({ accountId, name: 'gone', scopes: ['calls:read'] });
    let now = 0;
    const lookup = aLookup({ now: () => now });
    await lookup.find(token);
    expect(await tokens.revoke(id)).toBe(true);
    now = 4_999;
    expect(await lookup.find(token)).toBeDefined();
    now = 5_000;
    expect(await lookup.find(token)).toBeUndefined();
    expect(await tokens.revoke(2_000_000_000)).toBe(false);
  });

  it('is not cached beyond its end', async () => {
    const accountId = await account('ending');
    const order = { accountId, name: 'short', scopes: ['calls:read'] as const };
    const { token, id } = await tokens.issue({ ...order, expiresAt: new Date(Date.now() + 60_000) });
    let now = 0;
    const lookup = aLookup({ ttlMs: 3_600_000, now: () => now });
    expect(await lookup.find(token)).toBeDefined();
    await tokens.revoke(id);
    now = 60_000;
    expect(await lookup.find(token)).toBeUndefined();
  });

  it('is not live after its end or its revocation', async () => {
    const order = { accountId: await account('streaming'), name: 'x', scopes: ['calls:read'] as const };
    const [live, revoked, expired] = await Promise.all([
      tokens.issue({ ...order, expiresAt: new Date(Date.now() + day) }),
      tokens.issue(order),
      tokens.issue({ ...order, expiresAt: new Date(Date.now() - day) }),
    ]);
    await tokens.revoke(revoked.id);
    expect(await tokens.live([live.id, revoked.id, expired.id])).toEqual(new Set([live.id]));
  });

  it('is looked up once in five seconds', async () => {
    const accountId = await account('cached');
    const { token } = await tokens.issue({ accountId, name: 'busy', scopes: ['calls:read'] });
    const lookup = aLookup();
    const sent = await statementsOf(pool, async () => {
      for (let i = 0; i < 5; i += 1) await lookup.find(token);
      await lookup.find(`${token.slice(0, -1)}!`);
    });
    expect(sent).toHaveLength(1);
  });
});
