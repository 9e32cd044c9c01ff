import { describe, expect, it } from '@jest/globals';
import type { TargetHealth } from '@app/telephony';
import { answeringTargets, nextHealth } from './trunk-health.js';
import { trunkView } from './trunk.presenter.js';
import type { TrunkRow } from './trunks.repository.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
const target = (host: string) => ({ host, port: 5061, transport: 'tls' as const, priority: 0 });
const responder = { address: '192.0.2.1', port: 5061 };
const answers = (host: string): TargetHealth => ({
  ...{ target: target(host), reachable: true, responder, status: 200, rttMs: 12.345 },
});
const refuses = (host: string): TargetHealth => ({ target: target(host), reachable: false, reason: 'Refused.' });

describe('the health of a trunk', () => {
  it.each<[string, TargetHealth[], string, string | null]>([
    ['whose only target answers', [answers('a')], 'up', null],
    ['whose two targets answer', [answers('a'), answers('b')], 'up', null],
    ['with one of two targets down', [refuses('a'), answers('b')], 'up', '1 of 2 targets cannot be reached.'],
    ['whose targets are both down', [refuses('a'), refuses('b')], 'down', 'Refused.'],
  ])('is known for a trunk %s', (_, results, state, reason) => {
    expect(nextHealth([], results, at(0))).toMatchObject({ state, reason });
  });

  it('shows which targets may accept calls by the address of the dialer alone', () => {
    const withStatus = (host: string, status: number): TargetHealth => ({ ...answers(host), status });
    const asked = [
      answers('a'),
      refuses('b'),
      withStatus('c', 401),
      withStatus('d', 403),
      withStatus('e', 404),
      withStatus('f', 407),
    ];
    expect(answeringTargets(asked)).toEqual(['a', 'e'].map((host) => ({ target: target(host), responder })));
  });

  it('keeps the time of the last change of each target', () => {
    const first = nextHealth([], [answers('a'), answers('[2001:db8::7]')], at(0));
    expect(first.targets[0]).toEqual({
      host: 'a',
      port: 5061,
      transport: 'tls',
      state: 'up',
      sip_status: 200,
      rtt_ms: 12.3,
      reason: null,
      changed_at: at(0).toISOString(),
    });
    const second = nextHealth(first.targets, [refuses('a'), answers('[2001:db8::7]')], at(1));
    expect(second.targets.map((one) => [one.host, one.state, one.changed_at])).toEqual([
      ['a', 'down', at(1).toISOString()],
      ['2001:db8::7', 'up', at(0).toISOString()],
    ]);
  });
});

const row = {
  id: 1,
  active: true,
  host: 'a',
  port: 5061,
  transport: 'tls',
  targets: null,
  options_ping_seconds: 60,
  created_at: at(0),
  updated_at: at(0),
  checked_at: at(10),
  changed_at: at(5),
  state: 'down',
  reason: 'Refused.',
  tls_cert: null,
  inbound_addresses: [],
  inbound_username: null,
  target_states: nextHealth([], [refuses('a')], at(5)).targets,
} as unknown as TrunkRow;

describe('the health of a trunk in the API', () => {
  it.each<[string, Partial<TrunkRow>, number, string, RegExp]>([
    ['the last result while it is fresh', {}, 11, 'down', /^Refused\.$/],
    ['unknown before the first check', { checked_at: null, state: 'unknown' }, 11, 'unknown', /not been checked yet/],
    ['unknown when the last check is stale', {}, 14, 'unknown', /was down at the last check/],
    ['unknown when checks are switched off', { options_ping_seconds: 0 }, 11, 'unknown', /options_ping_seconds is 0/],
    ['unknown when the trunk is inactive', { active: false }, 11, 'unknown', /not active/],
  ])('is %s', (_, change, minute, state, reason) => {
    const view = trunkView({ ...row, ...change }, at(minute));
    expect(view).toMatchObject({ state, reason: expect.stringMatching(reason), targets: [{ host: 'a', state }] });
  });
});
