import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { type Fate, LossyRelay } from '../../../../../test/full/interop/lossy-relay.js';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';
import { buildAnswer } from '../../sdp.js';
import type { IncomingCall } from '../user-agent/incoming-call.js';
import type { OutgoingCall, OutgoingInvite } from '../user-agent/outgoing-call.js';
import type { UserAgentOptions } from '../user-agent/user-agent.js';

let relay: LossyRelay | undefined;

let time: VirtualTime;

beforeEach(() => {
  time = VirtualTime.start();
});
afterEach(async () => {
  await closeAgents();
  await time.stop();
  relay?.close();
});

/** Drops the first `times` messages with this start. */
function losing(start: string, times = 1): Fate {
  let left = times;
  return (one) => (one === start && left-- > 0 ? 0 : 1);
}

async function callThrough(
  fate: Fate,
  onInvite: (call: IncomingCall) => void,
  { agent = {}, ...invite }: Partial<OutgoingInvite> & { agent?: Partial<UserAgentOptions> } = {},
): Promise<OutgoingCall> {
  const [caller, callee] = await Promise.all([startAgent(agent), startAgent(agent)]);
  callee.onInvite(onInvite);
  relay = await LossyRelay.start(callee.port, fate);
  return dial(caller, relay.port, invite);
}

describe('a call over a lossy network', () => {
  it.each(['INVITE', '180 INVITE', '200 INVITE', 'ACK', 'BYE', '200 BYE'])(
    'is set up and ended when the first %s is lost',
    async (lost) => {
      const seen: string[] = [];
      const calleeEnded = new Promise<string>((resolve) => {
        void callThrough(losing(lost), (incoming) => {
          seen.push('invite');
          incoming.once('ended', resolve);
          incoming.once('confirmed', () => seen.push('confirmed'));
          incoming.ring();
          answerCall(incoming);
        }).then((call) => {
          call.once('answered', () => call.hangup());
          return call;
        });
      });
      expect(await calleeEnded).toBe('remote');
      expect(seen.filter((one) => one === 'invite')).toEqual(['invite']);
    },
  );

  it.each(['INVITE', '486 INVITE', 'ACK'])('ends as busy, once, when the first %s is lost', async (lost) => {
    let invites = 0;
    const call = await callThrough(losing(lost), (incoming) => {
      invites++;
      incoming.reject(486);
    });
    expect(await resultOf(call)).toMatchObject({ kind: 'rejected', status: 486 });
    expect(invites).toBe(1);
  });

  it('acknowledges each repetition of a 486 when two ACKs are lost', async () => {
    const acks: number[] = [];
    let call: OutgoingCall | undefined;
    const acknowledged = new Promise<void>((resolve) => {
      void callThrough(
        (start) => {
          if (start !== 'ACK') return 1;
          acks.push(Date.now());
          if (acks.length === 3) resolve();
          return acks.length < 3 ? 0 : 1;
        },
        (incoming) => incoming.reject(486),
      ).then((one) => (call = one));
    });
    await acknowledged;
    expect(call?.answered).toBe(false);
  });

  it.each(['CANCEL', '200 CANCEL', '487 INVITE'])('is cancelled when the first %s is lost', async (lost) => {
    const call = await callThrough(losing(lost), (incoming) => incoming.ring());
    call.once('ringing', () => call.hangup());
    expect(await resultOf(call)).toEqual({ kind: 'cancelled' });
  });

  const doubling = (): number => 2;

  it.each<[string, Fate]>([
    ['loses the first 183', losing('183 INVITE')],
    ['loses the first PRACK', losing('PRACK')],
    ['loses the first 200 of the PRACK', losing('200 PRACK')],
    ['doubles everything', doubling],
  ])('that %s answers a reliable call once', async (_, fate) => {
    const seen: string[] = [];
    const call = await callThrough(
      fate,
      (incoming) => {
        incoming.once('confirmed', () => incoming.hangup());
        incoming.progress(buildAnswer(incoming.offer!, { address: '127.0.0.1', port: 40_000, codecs: ['PCMU'] })!);
        answerCall(incoming);
      },
      { require100rel: true },
    );
    for (const name of ['ringing', 'early', 'answered'] as const) call.on(name, () => seen.push(name));
    expect(await resultOf(call)).toMatchObject({ kind: 'bye', by: 'remote' });
    expect(seen).toEqual(['ringing', 'early', 'answered']);
  });

  it.each<[string, Fate]>([
    ['loses the first UPDATE', losing('UPDATE')],
    ['loses the first 200 of the UPDATE', losing('200 UPDATE')],
    ['doubles everything', doubling],
  ])('that %s keeps the session alive', async (_, fate) => {
    let refreshed = (): void => undefined;
    const twice = new Promise<void>((resolve) => (refreshed = resolve));
    const cseqs = new Set<string>();
    const call = await callThrough(fate, answerCall, {
      agent: {
        sessionTimer: { expiresS: 1, minSeS: 1 },
        tap: (direction, message) => {
          const cseq = message.headers.get('cseq') ?? '';
          if (direction === 'in' && message.kind === 'response' && cseq.endsWith('UPDATE')) cseqs.add(cseq);
          if (cseqs.size === 2) refreshed();
        },
      },
    });
    await Promise.all([once(call, 'answered'), twice]);
    const ended = resultOf(call);
    call.hangup();
    expect(await ended).toEqual({ kind: 'bye', by: 'local' });
  });

  it.each<[string, Fate]>([
    ['loses the first REFER', losing('REFER')],
    ['loses the first answer to the REFER', losing('405 REFER')],
    ['loses the ACK of the re-INVITE', losing('ACK', 2)],
    ['doubles everything', doubling],
  ])('that %s completes hold and REFER', async (_, fate) => {
    const call = await callThrough(fate, answerCall);
    await once(call, 'answered');
    expect(await call.hold(true)).toEqual({ accepted: true, status: 200 });
    expect(await call.refer('sip:other@127.0.0.1')).toEqual({ accepted: false, status: 405 });
    const ended = resultOf(call);
    call.hangup();
    expect(await ended).toEqual({ kind: 'bye', by: 'local' });
  });

  it('that duplicates every message has one call, one answer and one end', async () => {
    const seen: string[] = [];
    const call = await callThrough(
      () => 2,
      (incoming) => {
        seen.push('invite');
        incoming.once('confirmed', () => incoming.hangup());
        incoming.once('ended', () => seen.push('callee ended'));
        incoming.ring();
        answerCall(incoming);
      },
    );
    for (const name of ['ringing', 'answered', 'ended'] as const) call.on(name, () => seen.push(name));
    await once(call, 'ended');
    await closeAgents();
    expect(seen.toSorted()).toEqual(['answered', 'callee ended', 'ended', 'invite', 'ringing']);
  });

  it('that loses every message ends as silent after Timer B', async () => {
    const call = await callThrough(
      () => 0,
      () => undefined,
    );
    expect(await resultOf(call)).toEqual({ kind: 'silent' });
  });

  it('that loses every ACK is hung up by the called side', async () => {
    const ended = new Promise<string>((resolve) => {
      void callThrough(
        (start) => (start === 'ACK' ? 0 : 1),
        (incoming) => {
          incoming.once('ended', resolve);
          answerCall(incoming);
        },
      );
    });
    expect(await ended).toBe('timeout');
  });
});
