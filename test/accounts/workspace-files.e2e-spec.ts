import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { parse } from 'yaml';
import { aToken } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
const name = `acme-${newId()}`;
let token: string;

beforeAll(async () => {
  await apply(workspace());
  const { rows } = await service.pool.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [name]);
  token = await aToken(service.pool, rows[0]?.id ?? 0);
});
afterAll(() => service.close());

const apply = (text: string, ...flags: string[]) => service.command(['apply', '-f', '-', ...flags], text);

const workspace = ({ greeting = 'Hello.', password = 'pa55word', more = '' } = {}): string => `
accounts:
  - name: ${name}
    limits: { concurrent_calls: 5 }
    numbers: [{ name: main, e164: "+15550001111", agent: Receptionist }]
    trunks:
      - { name: carrier, host: sip.example.net, username: u, password: ${password}, headers: { X-Order: order } }
    agents:
      - name: Receptionist
        greeting: ${greeting}
        post_call_webhook: { url: "https://hooks.example.com/a", headers: [{ key: X-Key, value: header5ecret }] }
        call_transfer: { enabled: true, phone_number: "+15550002222", caller_id_number: main }
${more}`;

const list = async (resource: string): Promise<{ id: number; name: string }[]> =>
  (await service.as(token).get(`/api/v1/${resource}`).expect(200)).body.data as { id: number; name: string }[];

describe('a workspace file', () => {
  it('makes the account with its agents, numbers and trunks, which the API shows without their secrets', async () => {
    const [agent] = await list('agents');
    expect(agent).toMatchObject({ name: 'Receptionist' });
    expect(await list('numbers')).toMatchObject([{ name: 'main', e164: '+15550001111', agent_id: agent?.id }]);
    const [trunk] = await list('trunks');
    const shown = await service.as(token).get(`/api/v1/trunks/${trunk?.id}`).expect(200);
    expect(shown.body.data).toMatchObject({ name: 'carrier', username: 'u' });
    expect(shown.text).toContain('sip.example.net');
    expect(shown.text).not.toContain('pa55word');
    expect(JSON.stringify(await list('agents'))).not.toContain('header5ecret');
    const account = await service.as(token).get('/api/v1/account').expect(200);
    expect(account.body.data).toMatchObject({ name, limits: { concurrent_calls: 5 } });
  });

  it('is exported without secrets as a file that applies as unchanged, and a dry run lists what another file changes', async () => {
    const exported = await service.command(['export', '--account', name]);
    expect(exported).not.toMatch(/pa55word|header5ecret|sealed/);
    expect(exported).toContain('# password: (secret)');
    const { accounts } = parse(exported) as { accounts: object[] };
    expect(accounts).toEqual([
      expect.objectContaining({
        name,
        limits: expect.objectContaining({ concurrent_calls: 5 }),
        numbers: [{ name: 'main', e164: '+15550001111', active: true, agent: 'Receptionist' }],
        trunks: [expect.objectContaining({ name: 'carrier', headers: { 'X-Order': 'order' } })],
        agents: [expect.objectContaining({ name: 'Receptionist', greeting: 'Hello.' })],
      }),
    ]);
    const [again, other] = await Promise.all([
      apply(exported, '--dry-run', '--prune'),
      apply(workspace({ greeting: 'Good morning.', password: 'an0ther' }), '--dry-run'),
    ]);
    expect(again).toBe('Nothing would change.\n');
    expect(other.split('\n')).toEqual([
      `${name}: trunk carrier: would be updated`,
      '    password: changed (secret)',
      `${name}: agent Receptionist: would be updated`,
      '    greeting: "Hello." -> "Good morning."',
      '',
    ]);
  });

  it('with a mistake is refused with its line, and nothing of it is stored', async () => {
    const wrong = workspace({ more: '      - { name: Second, provider: nobody }' });
    const { code, stderr } = await service.outcome(['apply', '-f', '-'], {}, wrong);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^stdin:13: accounts\[0\]\.agents\[1\]\.provider must be/),
    ]);
    expect((await list('agents')).map((one) => one.name)).toEqual(['Receptionist']);
  });

  it('overwrites changes of the API and says so, and with --prune deletes what it does not name', async () => {
    const [agent] = await list('agents');
    await service.as(token).patch(`/api/v1/agents/${agent?.id}`).send({ greeting: 'Changed.' }).expect(200);
    await service.as(token).post('/api/v1/numbers').send({ name: 'second', e164: '+15550002222' }).expect(201);
    const output = await apply(workspace(), '--prune');
    expect(output).toMatch(/overwrote: \S+\/agents\/Receptionist greeting, changed over REST on \S+ \(token \d+\)/);
    expect(output).toMatch(/number second: id \d+, deleted/);
    expect((await list('numbers')).map((one) => one.name)).toEqual(['main']);
    const kept = await service.as(token).get(`/api/v1/agents/${agent?.id}`).expect(200);
    expect(kept.body.data.greeting).toBe('Hello.');
  });
});
