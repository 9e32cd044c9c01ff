import type { NumberClosed, NumberHours, NumberQueue } from '@app/accounts';
import { describe, expect, it } from '@jest/globals';
import { inboundRoute, mayQueue, servedCallers } from './inbound-front.js';

const hours: NumberHours = {
  time_zone: 'Europe/Berlin',
  windows: [
    { days: ['monday', 'friday'], from: '09:00', to: '17:00' },
    { days: ['saturday'], from: '22:00', to: '02:00' },
  ],
  excluded_dates: ['2026-12-25'],
};
const message: NumberClosed = { action: 'say_and_hang_up', message: 'We are closed.', language: 'en' };
const night: NumberClosed = { action: 'agent', message: null, language: null };
const reject: NumberClosed = { action: 'reject', message: null, language: null };
const AGENT = { kind: 'agent' };
const MESSAGE = { kind: 'message', message: 'We are closed.', language: 'en' };

describe('a call to a number with business hours', () => {
  it.each<[string, string, object]>([
    ['is answered within the hours', '2026-06-01T07:00:00Z', AGENT],
    ['is not answered a second before they begin', '2026-06-01T06:59:59Z', MESSAGE],
    ['is not answered when they end', '2026-06-01T15:00:00Z', MESSAGE],
    ['is answered in winter at the same local time', '2026-11-02T08:00:00Z', AGENT],
    ['is not answered in winter at the hour of summer', '2026-11-02T07:59:00Z', MESSAGE],
    ['is answered after midnight when the window began the day before', '2026-06-06T23:30:00Z', AGENT],
    ['is not answered on a day without a window', '2026-06-02T10:00:00Z', MESSAGE],
    ['is not answered on an excluded date', '2026-12-25T10:00:00Z', MESSAGE],
  ])('%s', (_title, at, route) => {
    expect(inboundRoute({ hours, closed: message, closed_agent_id: null }, new Date(at))).toEqual(route);
  });

  const sunday = new Date('2026-06-07T10:00:00Z');
  it.each<[string, NumberClosed | null, number | null, object]>([
    ['goes to the agent for the night', night, 7, { kind: 'closed_agent', agentId: 7 }],
    ['is rejected when the agent for the night was deleted', night, null, { kind: 'reject' }],
    ['is rejected when the number says so', reject, 7, { kind: 'reject' }],
    ['is rejected when the number has no closed action', null, null, { kind: 'reject' }],
  ])('%s', (_title, closed, agentId, route) => {
    expect(inboundRoute({ hours, closed, closed_agent_id: agentId }, sunday)).toEqual(route);
  });

  it('goes to the agent at any time when the number has no hours', () => {
    expect(inboundRoute({ hours: null, closed: message, closed_agent_id: null }, sunday)).toEqual(AGENT);
  });
});

describe('the queue of a number', () => {
  const queue = { enabled: true, max_waiting: 2 } as NumberQueue;
  it.each<[string, NumberQueue | null, number, boolean]>([
    ['takes a caller while it has room', queue, 1, true],
    ['takes no caller when it is full', queue, 2, false],
    ['takes no caller when it is switched off', { ...queue, enabled: false }, 0, false],
    ['takes no caller when the number has none', null, 0, false],
  ])('%s', (_title, of, waiting, expected) => expect(mayQueue(of, waiting)).toBe(expected));

  const callers = ['a1', 'a1', 'b2', 'a1'].map((name, at) => ({ id: `${name[0]}${at}`, trunkId: Number(name[1]) }));
  it.each<[string, number, [number, number][], string[]]>([
    ['serves no caller without a free place', 0, [], []],
    ['serves the first caller when one place is free', 1, [], ['a0']],
    ['serves callers in order of arrival', 3, [], ['a0', 'a1', 'b2']],
    ['lets callers of another trunk pass those of a full trunk', 5, [[1, 0]], ['b2']],
    ['serves as many callers of a trunk as it has places', 5, [[1, 2]], ['a0', 'a1', 'b2']],
    ['serves no caller while the account is above its limit', -1, [], []],
  ])('%s', (_title, account, trunks, served) =>
    expect([...servedCallers(callers, { account, trunks: new Map(trunks) })]).toEqual(served),
  );
});
