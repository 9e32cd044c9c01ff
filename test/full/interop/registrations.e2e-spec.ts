import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { decode, type CallLeg, type EmbeddedEngine, type LegEnd } from '@app/telephony';
import { Pool } from 'pg';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';
import { SIP_PROGRAMS, startRegistrar, type SipPeer } from './sip-peers.js';
import { mediaOf, startTestEngine, testMedia } from './test-engine.js';

const NUMBER = '+15550001111';
const USER = '1001';
/** A lease of ten seconds, and the rounds of a busy machine. */
const PATIENCE_MS = 40_000;
const HALF_A_SECOND = 25;
const log = { debug: () => undefined, warn: () => undefined };

interface Trunk {
  id: number;
  registration: {
    state: string;
    reason: string | null;
    sip_status: number | null;
    target: string | null;
    expires_at: string;
  };
}

suiteWith(SIP_PROGRAMS)('a trunk with registration at Kamailio', () => {
  let pbx: SipPeer;
  let stack: Stack;
  let account: TestAccount;
  let pool: Pool;
  let phone: EmbeddedEngine;

  beforeAll(async () => {
    pbx = await startRegistrar();
    stack = await Stack.start({ dialers: 2 });
    pool = new Pool({ connectionString: stack.database.url, max: 1 });
    account = await createAccount(stack, { name: 'registered' });
  });
  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
    await pbx?.stop();
  });
  beforeEach(async () => {
    const sip = { bind: '127.0.0.1', port: 0, userAgent: 'phone', log };
    phone = await startTestEngine({ sip, media: testMedia({ ports: { min: 12_000, max: 12_098 } }) });
  });
  afterEach(async () => {
    await phone.close();
    for (const { id } of await trunks()) await request('DELETE', `/trunks/${id}`);
  });

  async function request<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${stack.baseUrl}/api/v1${path}`, init);
    return (await response.json()) as T;
  }

  const trunks = async (): Promise<{ id: number }[]> =>
    (await request<{ data: { id: number; register: object | null }[] }>('GET', '/trunks')).data.filter(
      (one) => one.register,
    );

  const aTrunk = async (fields: object): Promise<number> => {
    const body = { name: 'pbx', host: '127.0.0.1', port: pbx.port, username: USER, password: 'secret', ...fields };
    const { data } = await request<{ data: Trunk }>('POST', '/trunks', body);
    return data.id;
  };

  const untilState = (id: number, state: string): Promise<Trunk> =>
    eventually(
      async () => (await request<{ data: Trunk }>('GET', `/trunks/${id}`)).data,
      ({ registration }) => registration.state === state,
      PATIENCE_MS,
    );

  const contactOf = async (trunkId: number): Promise<string> =>
    (await pool.query<{ contact: string }>('SELECT contact FROM trunk_registrations WHERE trunk_id = $1', [trunkId]))
      .rows[0]!.contact;

  function call(): { leg: CallLeg; ended: Promise<LegEnd>; heard: Promise<void> } {
    const leg = phone.dial({
      legId: 'phone',
      destination: { kind: 'sip', uri: `sip:${USER}@127.0.0.1:${pbx.port}` },
      from: { number: '+15557770001' },
      ringTimeoutMs: 10_000,
    });
    const ended = new Promise<LegEnd>((resolve) => leg.on('ended', resolve));
    const heard = new Promise<void>((resolve) => leg.on('answered', () => onceLoud(leg, resolve)));
    return { leg, ended, heard };
  }

  function onceLoud(leg: CallLeg, resolve: () => void): void {
    const media = mediaOf(leg);
    let loud = 0;
    media.onFrame((frame) => {
      if (decode(media.codec, frame).some((sample) => Math.abs(sample) > 2_000)) loud += 1;
      if (loud === HALF_A_SECOND) resolve();
    });
  }

  async function isAnswered(): Promise<void> {
    const { leg, ended, heard } = call();
    await Promise.race([heard, ended.then((end) => Promise.reject(new Error(`the call ended: ${end.cause}`)))]);
    leg.hangup('normal_clearing');
    expect(await ended).toMatchObject({ status: 'completed' });
  }

  it('takes calls over it, and another dialer takes over when its dialer is killed', async () => {
    const id = await aTrunk({ register: { expires: 60, contact_user: NUMBER } });
    const { registration } = await untilState(id, 'registered');
    expect(registration).toMatchObject({ reason: null, sip_status: 200, target: `udp:127.0.0.1:${pbx.port}` });
    await isAnswered();
    const before = await contactOf(id);
    const holder = stack.processes.find(({ ready }) => before.endsWith(`:${String(ready.sip_port)}`))!;
    await stack.kill(holder);
    await eventually(
      () => contactOf(id),
      (contact) => contact !== before,
      PATIENCE_MS,
    );
    // The Contact of the killed dialer is removed: otherwise the PBX would still call it.
    await isAnswered();
    await stack.add('dialer');
  });

  it('reports a refused password, and registers after its correction', async () => {
    const id = await aTrunk({ password: 'wrong-one', register: { contact_user: NUMBER } });
    const { registration } = await untilState(id, 'failed');
    expect(registration.reason).toBe('The registrar refused the user name or the password.');
    await request('PATCH', `/trunks/${id}`, { password: 'secret' });
    await untilState(id, 'registered');
    const { data } = await request<{ data: Trunk }>('POST', `/trunks/${id}/test`);
    expect(data).toMatchObject({ state: 'up', registration: { state: 'registered', sip_status: 200 } });
  });

  it('is removed at the carrier when it is not wanted any more', async () => {
    const id = await aTrunk({ register: { contact_user: NUMBER } });
    await untilState(id, 'registered');
    await request('PATCH', `/trunks/${id}`, { active: false });
    const status = await eventually(
      async () => (await call().ended).sipCode,
      (code) => code === 404,
      PATIENCE_MS,
    );
    expect(status).toBe(404);
  });
});
