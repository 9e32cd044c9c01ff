import type { CallLeg, LegEnd, LegEvents } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { referral, referTo } from './transfer-referral.js';

/** The signalling of a leg after a REFER; the test plays the remote party. */
class ReferredLeg extends EventEmitter<LegEvents> {
  askedFor?: string;

  constructor(private readonly answer: { accepted: boolean; status?: number }) {
    super();
  }

  refer(to: string): Promise<{ accepted: boolean; status?: number }> {
    this.askedFor = to;
    return Promise.resolve(this.answer);
  }
}

const legOf = (answer: { accepted: boolean; status?: number }) => new ReferredLeg(answer);
const ask = (leg: ReferredLeg, signal = new AbortController().signal) =>
  referral(leg as unknown as CallLeg, 'sip:+1@carrier.example', signal);
const accepted = { accepted: true, status: 202 };

describe('a transfer by REFER', () => {
  it.each([
    ['the host of the trunk', { from_domain: null, host: 'sip.example', port: null }, 'sip.example'],
    ['its host and port', { from_domain: null, host: 'sip.example', port: 5080 }, 'sip.example:5080'],
    ['its IPv6 address and port', { from_domain: null, host: '2001:db8::7', port: 5080 }, '[2001:db8::7]:5080'],
    ['its domain', { from_domain: 'acme.example', host: 'sip.example', port: 5080 }, 'acme.example'],
  ])('names the number at %s in its Refer-To', (_, trunk, at) => {
    expect(referTo('+15550002222', trunk)).toBe(`sip:+15550002222@${at};user=phone`);
  });

  it('that is refused ends with the refusal', async () => {
    const leg = legOf({ accepted: false, status: 405 });
    expect(await ask(leg)).toBe(405);
    expect(leg.listenerCount('transfer') + leg.listenerCount('ended')).toBe(0);
  });

  it('ends with the last report, not with those before it', async () => {
    const leg = legOf(accepted);
    const outcome = ask(leg);
    leg.emit('transfer', { status: 180, final: false });
    leg.emit('transfer', { status: 486, final: true });
    expect(await outcome).toBe(486);
    expect(leg.listenerCount('transfer') + leg.listenerCount('ended')).toBe(0);
  });

  it('succeeds when the remote party hangs up without a report', async () => {
    const leg = legOf(accepted);
    const outcome = ask(leg);
    leg.emit('ended', { endedBy: 'callee' } as LegEnd);
    expect(await outcome).toBe(200);
  });

  it('has no result when we end the call or time runs out', async () => {
    const leg = legOf(accepted);
    const outcome = ask(leg);
    leg.emit('ended', { endedBy: 'system' } as LegEnd);
    expect(await outcome).toBeUndefined();
    const over = new AbortController();
    const late = ask(legOf(accepted), over.signal);
    over.abort();
    expect(await late).toBeUndefined();
    expect(await ask(legOf(accepted), over.signal)).toBeUndefined();
  });
});
