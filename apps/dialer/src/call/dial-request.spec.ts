import { describe, expect, it } from '@jest/globals';
import type { CallContext } from './call-context.service.js';
import {
  type DestinationPolicy,
  dialRefusal,
  dialRequest,
  headersOf,
  incomingRequest,
  isRedirectAllowed,
  transferRefusal,
  trunkHeaders,
} from './dial-request.js';

const context: CallContext = {
  id: 'c1',
  account_id: 1,
  direction: 'outbound',
  channel: 'phone',
  to_number: '+15551234567',
  from_number: '+15550001111',
  record: true,
  metadata: null,
  variables: null,
  agent_variables: [],
  timezone: null,
  pre_call_webhook: null,
  trunk_id: null,
  campaign_id: null,
  released_at: null,
  knowledge_base_ids: null,
  settings: {},
  agent_id: 1,
  agent_name: 'Receptionist',
  provider: 'sandbox',
  provider_options: {},
  conversation: null,
  instructions: '',
  greeting: '',
  max_call_seconds: 600,
  ring_timeout_seconds: 45,
  answering_machine: null,
  do_not_call_tool: false,
  pause_recording_tool: false,
  digit_inputs: [],
  recording_consent: null,
  guardrails: [],
  disclosure: [],
  redaction: null,
  account_redaction: null,
  announce_listeners: null,
  contact_attempts_per_day: null,
  contact_attempts_per_week: null,
  contact_earliest: null,
  contact_latest: null,
  contact_time_zone: null,
  created_at: new Date(),
  trace_parent: null,
  trunk: {
    id: 7,
    host: 'sip.example.net',
    port: null,
    transport: 'tcp',
    inbound_headers: null,
    end_headers: null,
    username: 'u',
    password_sealed: 'c2VhbGVk',
    from_domain: null,
    targets: null,
    tls_ca: null,
    tls_cert: null,
    tls_key_sealed: null,
    tls_server_name: null,
    assert_identity: false,
    user_phone: true,
    headers: {},
    codecs: null,
    srtp: 'off',
    transfer: 'bridge',
    livekit_trunk_id: null,
    dial_formats: null,
    response_timeout_seconds: null,
    register: null,
  },
  daily_spend_micros: null,
  spent_micros: '0',
  destinations_allow: [],
  destinations_deny: [],
  active: true,
  tools: [],
  flow: null,
  handoffs: [],
};

describe('the dial request for the engine', () => {
  const recordings = { pathOf: (id: string) => `/tmp/${id}.wav` };
  const openSecret = (sealed: string, context: string) => `opened ${sealed} of ${context}`;
  const permits = { redirectAllowed: async () => false, targetAllowed: async () => [true] };

  it('contains the number, its trunk and the decrypted password', () => {
    expect(dialRequest(context, recordings, openSecret, permits)).toEqual({
      legId: 'c1',
      destination: { kind: 'e164', number: '+15551234567' },
      anonymous: false,
      from: { number: '+15550001111' },
      trunk: {
        targets: [{ host: 'sip.example.net', port: undefined, transport: 'tcp', priority: 0 }],
        callerName: '7',
        username: 'u',
        password: 'opened c2VhbGVk of trunk-password',
        assertIdentity: false,
        userPhone: true,
        srtp: 'off',
        transferByRefer: false,
      },
      headers: {},
      ...permits,
      ringTimeoutMs: 45_000,
      recordTo: '/tmp/c1.wav',
    });
  });

  it('contains a SIP URI without a trunk, and records only when the call asks for it', () => {
    const direct = dialRequest(
      { ...context, to_number: 'sip:a@b.example', trunk: null, record: false },
      recordings,
      openSecret,
      permits,
    );
    expect(direct).toMatchObject({ destination: { kind: 'sip', uri: 'sip:a@b.example' }, trunk: undefined });
    expect(direct.recordTo).toBeUndefined();
  });

  it('names the trunk of an inbound call, which another account may have at the same address', () => {
    const inbound = { ...context, direction: 'inbound' as const, trunk_id: 7 };
    expect(incomingRequest(inbound, recordings)).toMatchObject({ legId: 'c1', callerName: '7' });
  });

  it('contains every target of the trunk with its settings', () => {
    const trunk = {
      ...context.trunk!,
      targets: [
        { host: '2001:db8::5', transport: 'tls' as const, priority: 0 },
        { host: 'b.example.net', port: 5070, priority: 10 },
      ],
      tls_ca: 'CA',
      tls_cert: 'CERT',
      tls_key_sealed: 'a2V5',
      tls_server_name: 'sip.example.net',
      assert_identity: true,
      user_phone: false,
      headers: { 'X-Order': 'order', 'X-Note': 'note', 'X-None': 'none' },
      codecs: ['G722' as const, 'PCMA' as const],
      srtp: 'required' as const,
      transfer: 'refer' as const,
      livekit_trunk_id: 'ST_abc123',
      from_domain: 'acme.example',
    };
    const waiting = { ...context, trunk, metadata: { order: 17, note: 'a\r\nVia: b' } };
    expect(dialRequest(waiting, recordings, openSecret, permits)).toMatchObject({
      headers: { 'X-Order': '17' },
      trunk: {
        targets: [
          { host: '[2001:db8::5]', transport: 'tls', priority: 0 },
          { host: 'b.example.net', port: 5070, priority: 10 },
        ],
        tls: { ca: 'CA', cert: 'CERT', key: 'opened a2V5 of trunk-tls-key', serverName: 'sip.example.net' },
        fromDomain: 'acme.example',
        livekitTrunkId: 'ST_abc123',
        assertIdentity: true,
        userPhone: false,
        codecs: ['G722', 'PCMA'],
        srtp: 'required',
        transferByRefer: true,
      },
    });
    expect(headersOf(waiting).dropped).toEqual([
      { header: 'X-Note', metadata_key: 'note', reason: 'the value holds line breaks or control characters' },
    ]);
  });
});

const headersFor = (value: unknown) => trunkHeaders({ 'X-Order': 'order' }, { order: value, other: 'never' });

describe('headers from metadata', () => {
  it.each([
    ['text', 'A-17', 'A-17'],
    ['text of another script', 'Müller 注文', 'Müller 注文'],
    ['text with space around it', '  A 17 ', 'A 17'],
    ['a number', 17.5, '17.5'],
    ['true', true, 'true'],
    ['256 characters', 'x'.repeat(256), 'x'.repeat(256)],
  ])('%s is sent', (_, value, sent) =>
    expect(headersFor(value)).toEqual({ headers: { 'X-Order': sent }, dropped: [] }),
  );

  it.each([
    ['another header', 'a\r\nVia: b', 'line breaks'],
    ['a bare line feed', 'a\nb', 'line breaks'],
    ['a NUL', 'a\0b', 'control characters'],
    ['257 characters', 'x'.repeat(257), 'longer than 256'],
    ['only spaces', '   ', 'empty'],
    ['a list', ['a'], 'only text'],
    ['an object', { toString: 'x' }, 'only text'],
  ])('%s is dropped and reported', (_, value, why) => {
    const { headers, dropped } = headersFor(value);
    expect(headers).toEqual({});
    expect(dropped).toEqual([{ header: 'X-Order', metadata_key: 'order', reason: expect.stringContaining(why) }]);
  });

  it.each([
    ['metadata without the key', { other: 1 }],
    ['a null', { order: null }],
    ['no metadata', null],
    ['a key of every object', JSON.parse('{}') as Record<string, unknown>],
  ])('%s adds no header and no report', (_, metadata) => {
    expect(trunkHeaders({ 'X-Order': 'order', 'X-Proto': 'constructor' }, metadata)).toEqual({
      headers: {},
      dropped: [],
    });
  });
});

const open: DestinationPolicy = {
  destinations_allow: [],
  destinations_deny: [],
  daily_spend_micros: null,
  spent_micros: '0',
  trunk: null,
};
const usOnly = { ...open, destinations_allow: ['+1'], destinations_deny: ['+1555'] };

describe('a call that waited while the limits of its account changed', () => {
  it.each<[string, Partial<DestinationPolicy & { active: boolean }>, string, string | undefined]>([
    ['unchanged limits', {}, '+15551234567', undefined],
    ['its agent, number or trunk is inactive now', { active: false }, '+15551234567', 'deactivated'],
    ['the destination is denied now', { destinations_deny: ['+1555'] }, '+15551234567', 'blocked_destination'],
    ['only another country is allowed now', { destinations_allow: ['+44'] }, '+15551234567', 'blocked_destination'],
    ['a SIP URI has no prefix to deny', { destinations_allow: ['+44'] }, 'sip:a@b.example', undefined],
    ['a SIP URI is a number', { destinations_allow: ['+44'] }, 'sip:15551234567@b.example', 'blocked_destination'],
    ['the day is not spent', { daily_spend_micros: '100', spent_micros: '99' }, '+15551234567', undefined],
    ['the day is spent', { daily_spend_micros: '100', spent_micros: '100' }, '+15551234567', 'spend_limit'],
    [
      'the day is spent, and a URI',
      { daily_spend_micros: '100', spent_micros: '100' },
      'sip:a@b.example',
      'spend_limit',
    ],
  ])('%s', (_name, change, to_number, cause) =>
    expect(dialRefusal({ ...open, active: true, ...change, to_number })).toBe(cause),
  );
});

describe('a call over a trunk', () => {
  const extensions = { extensions: { min_digits: 2, max_digits: 4 } };

  it.each<[string, string, object | null, string | undefined]>([
    ['a national number', 'sip:09061234567@b.example', null, 'blocked_destination'],
    ['an extension that was allowed when the call was created', 'sip:1001@b.example', null, 'blocked_destination'],
    ['an extension that is allowed', 'sip:1001@b.example', extensions, undefined],
    ['a name', 'sip:alice@b.example', null, undefined],
    ['an E.164 number', 'sip:+12025550100@b.example', null, undefined],
  ])('%s', (_name, to_number, dial_formats, cause) => {
    const order = {
      ...open,
      active: true,
      to_number,
      trunk: { dial_formats: dial_formats as typeof extensions | null },
    };
    expect(dialRefusal(order)).toBe(cause);
    expect(isRedirectAllowed(order, to_number)).toBe(cause === undefined);
    expect(transferRefusal(order, to_number)).toBe(cause);
  });
});

describe('a transfer', () => {
  it.each<[string, DestinationPolicy, string, string | undefined]>([
    ['to an allowed number', usOnly, '+12025550100', undefined],
    ['to another country', usOnly, '+442071838750', 'blocked_destination'],
    ['to a denied part of an allowed country', usOnly, '+15550001111', 'blocked_destination'],
    ['to premium rate', open, '+19005550100', 'blocked_destination'],
    ['to premium rate by a URI', open, 'sip:0019005550100@b.example', 'blocked_destination'],
    ['when the day is spent', { ...open, daily_spend_micros: '1', spent_micros: '2' }, '+12025550100', 'spend_limit'],
  ])('%s', (_name, limits, number, cause) => expect(transferRefusal(limits, number)).toBe(cause));
});

describe('a redirection (3xx)', () => {
  it.each<[string, DestinationPolicy, string, boolean]>([
    ['to a name', usOnly, 'sip:alice@b.example', true],
    ['to an allowed number', usOnly, 'sip:+12025550100@b.example;user=phone', true],
    ['to premium rate', open, 'sip:+19005550100@b.example', false],
    ['to premium rate by a tel: URI', open, 'tel:+1-900-555-0100', false],
    ['to another country', usOnly, 'sip:00442071838750@b.example', false],
    ['over TLS to another country', usOnly, 'sips:+442071838750@b.example', false],
    // Live calls are not counted yet: their cost is reserved before the INVITE.
    ['when the day is spent', { ...usOnly, daily_spend_micros: '1', spent_micros: '2' }, 'sip:alice@b.example', true],
  ])('%s', (_name, limits, uri, allowed) => expect(isRedirectAllowed(limits, uri)).toBe(allowed));
});
