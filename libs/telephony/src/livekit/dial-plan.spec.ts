import { describe, expect, it } from '@jest/globals';
import type { DialRequest, Trunk } from '../engine/carrier-engine.js';
import { dialPlans, hostsOf } from './dial-plan.js';

const target = { host: 'sip.carrier.example', port: 5080, transport: 'tcp', priority: 0 } as const;
const trunk: Trunk = { targets: [target] };
const number = { kind: 'e164', number: '+15550002' } as const;

const request = (more: Partial<DialRequest> = {}): DialRequest => ({
  legId: 'one',
  destination: number,
  from: { number: '+15550001' },
  ringTimeoutMs: 5_000,
  trunk,
  ...more,
});

const plans = (more: Partial<DialRequest> = {}) => dialPlans(request(more), ['PCMU']);

describe('dialPlans', () => {
  it('sends the trunk with the call, one attempt per target in order', () => {
    const second = { host: '192.0.2.7', priority: 1 };
    const carrier = { targets: [target, second], username: 'u', password: 'p', fromDomain: 'from.example' };
    const shared = { authUsername: 'u', authPassword: 'p', fromHost: 'from.example' };
    expect(plans({ trunk: carrier })).toEqual([
      {
        number: '+15550002',
        from: '+15550001',
        trunk: { hostname: 'sip.carrier.example:5080', transport: 'tcp', ...shared },
        headers: {},
        codecs: ['PCMU'],
        srtp: 'off',
      },
      expect.objectContaining({ trunk: { hostname: '192.0.2.7', ...shared } }),
    ]);
  });

  it('names a trunk that LiveKit manages with its targets and credentials', () => {
    const own = request({ trunk: { ...trunk, username: 'u', livekitTrunkId: 'ST_1' } });
    expect(dialPlans(own, ['PCMU']).map((plan) => plan.trunk)).toEqual([{ id: 'ST_1' }]);
    expect(hostsOf(own)).toEqual([]);
  });

  it.each<[string, Partial<DialRequest>, object]>([
    [
      'a SIP URI',
      { trunk: undefined, destination: { kind: 'sip', uri: 'sip:bob@pbx.example:5070;transport=udp' } },
      { number: 'bob', trunk: { hostname: 'pbx.example:5070', transport: 'udp' } },
    ],
    [
      'sips: as TLS',
      { trunk: undefined, destination: { kind: 'sip', uri: 'sips:bob@pbx.example' } },
      { trunk: { hostname: 'pbx.example', transport: 'tls' } },
    ],
    [
      'codecs and SRTP of the trunk',
      { trunk: { ...trunk, codecs: ['PCMA', 'G722'], srtp: 'required' } },
      { codecs: ['PCMA', 'G722'], srtp: 'required' },
    ],
    [
      'the codecs of the request first',
      { codecs: ['PCMA'], trunk: { ...trunk, codecs: ['G722'] } },
      { codecs: ['PCMA'] },
    ],
    [
      'P-Asserted-Identity',
      { trunk: { ...trunk, assertIdentity: true }, headers: { 'X-Order': '7' } },
      { headers: { 'X-Order': '7', 'P-Asserted-Identity': '<sip:+15550001@sip.carrier.example>' } },
    ],
    [
      'a display name without control characters',
      { from: { number: '1', displayName: 'A\r\nB' } },
      { displayName: 'AB' },
    ],
  ])('hands over %s', (_, more, plan) => {
    expect(plans(more)).toEqual([expect.objectContaining(plan)]);
  });

  it.each<[string, Partial<DialRequest>, string]>([
    ['a header with a line break', { headers: { 'X-Order': '1\r\nX: y' } }, 'UnsafeSipText'],
    ['a caller ID with a line break', { from: { number: '1>\r\n' } }, 'UnsafeSipText'],
    [
      'a SIP URI without a user',
      { trunk: undefined, destination: { kind: 'sip', uri: 'sip:pbx.example' } },
      'UndialableDestination',
    ],
    ['a number without a trunk', { trunk: undefined }, 'UndialableDestination'],
    [
      'a URI of another host through a trunk',
      { destination: { kind: 'sip', uri: 'sip:bob@other.example' } },
      'NotSupportedByEngine',
    ],
    ['client certificates', { trunk: { ...trunk, tls: { cert: 'c', key: 'k' } } }, 'NotSupportedByEngine'],
  ])('refuses %s', (_, more, error) => {
    expect(() => plans(more)).toThrow(expect.objectContaining({ name: error }));
  });
});
