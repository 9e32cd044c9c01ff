import { describe, expect, it } from '@jest/globals';
import { dialRequest, headersOf } from './dial-request.js';
import type { CallContext } from './call-context.service.js';

const context: CallContext = {
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
  provider_options: {},
  conversation: null,
  instructions: '',
  greeting: '',
  max_call_seconds: 600,
  ring_timeout_seconds: 45,
  answering_machine: null,
  created_at: new Date(),
  trace_parent: null,
  trunk: {
    host: 'sip.example.net',
    port: null,
    transport: 'tcp',
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
  },
  daily_spend_micros: null,
  spent_micros: '0',
  destinations_allow: [],
  destinations_deny: [],
  active: true,
  tools: [],
};

describe('what the engine is asked to dial', () => {
  const recordings = { pathOf: (id: string) => `/tmp/${id}.wav` };
  const openSecret = (sealed: string, context: string) => `opened ${sealed} of ${context}`;

  it('is a number through its trunk, with the opened password', () => {
    expect(dialRequest(context, recordings, openSecret)).toEqual({
      legId: 'c1',
      destination: { kind: 'e164', number: '+15551234567' },
      anonymous: false,
      from: { number: '+15550001111' },
      trunk: {
        targets: [{ host: 'sip.example.net', port: undefined, transport: 'tcp', priority: 0 }],
        username: 'u',
        password: 'opened c2VhbGVk of trunk-password',
        assertIdentity: false,
        userPhone: true,
        srtp: 'off',
        transferByRefer: false,
      },
      headers: {},
      redirectAllowed: expect.any(Function),
      ringTimeoutMs: 45_000,
      recordTo: '/tmp/c1.wav',
    });
  });

  it('is a SIP URI without a trunk, not recorded unless the call asks for it', () => {
    const direct = dialRequest(
      { ...context, to_number: 'sip:a@b.example', trunk: null, record: false },
      recordings,
      openSecret,
    );
    expect(direct).toMatchObject({ destination: { kind: 'sip', uri: 'sip:a@b.example' }, trunk: undefined });
    expect(direct.recordTo).toBeUndefined();
  });

  it('goes to every target of the trunk, as it was set up', () => {
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
    expect(dialRequest(waiting, recordings, openSecret)).toMatchObject({
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
