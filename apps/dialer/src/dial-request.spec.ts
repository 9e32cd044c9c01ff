import { describe, expect, it } from '@jest/globals';
import { dialRefusal, dialRequest } from './dial-request.js';
import type { DialOrder } from './load-dial.js';

const order: DialOrder = {
  id: 'c1',
  account_id: 1,
  direction: 'outbound',
  to_number: '+15551234567',
  from_number: '+15550001111',
  record: true,
  metadata: null,
  settings: {},
  agent_id: 1,
  agent_name: 'Receptionist',
  provider: 'sandbox',
  instructions: '',
  greeting: '',
  max_call_seconds: 600,
  ring_timeout_seconds: 45,
  trunk: {
    host: 'sip.example.net',
    port: null,
    transport: 'tcp',
    username: 'u',
    password_sealed: 'c2VhbGVk',
    from_domain: null,
  },
  daily_spend_micros: null,
  spent_micros: '0',
  destinations_allow: [],
  destinations_deny: [],
};

describe('a call that waited while the limits of its account changed', () => {
  it.each<[string, Partial<DialOrder>, string | undefined]>([
    ['nothing has changed', {}, undefined],
    ['the destination is denied now', { destinations_deny: ['+1555'] }, 'blocked_destination'],
    ['only another country is allowed now', { destinations_allow: ['+44'] }, 'blocked_destination'],
    ['a SIP URI has no prefix to deny', { to_number: 'sip:a@b.example', destinations_allow: ['+44'] }, undefined],
    ['the day is not spent', { daily_spend_micros: '100', spent_micros: '99' }, undefined],
    ['the day is spent', { daily_spend_micros: '100', spent_micros: '100' }, 'spend_limit'],
  ])('%s', (_name, change, cause) => expect(dialRefusal({ ...order, ...change })).toBe(cause));
});

describe('what the engine is asked to dial', () => {
  const parts = {
    recordings: { pathOf: (id: string) => `/tmp/${id}.wav` },
    openTrunkPassword: (sealed: string) => `opened ${sealed}`,
  } as Parameters<typeof dialRequest>[1];

  it('is a number through its trunk, with the opened password', () => {
    expect(dialRequest(order, parts)).toEqual({
      legId: 'c1',
      destination: { kind: 'e164', number: '+15551234567' },
      from: { number: '+15550001111' },
      trunk: {
        targets: [{ host: 'sip.example.net', port: undefined, transport: 'tcp', priority: 0 }],
        username: 'u',
        password: 'opened c2VhbGVk',
        fromDomain: undefined,
      },
      ringTimeoutMs: 45_000,
      recordTo: '/tmp/c1.wav',
    });
  });

  it('is a SIP URI without a trunk, not recorded when nobody wants it', () => {
    const direct = dialRequest({ ...order, to_number: 'sip:a@b.example', trunk: null, record: false }, parts);
    expect(direct).toMatchObject({ destination: { kind: 'sip', uri: 'sip:a@b.example' }, trunk: undefined });
    expect(direct.recordTo).toBeUndefined();
  });
});
