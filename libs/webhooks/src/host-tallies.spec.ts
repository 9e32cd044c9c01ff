import { describe, expect, it } from '@jest/globals';
import { BREAKER_LIMITS } from './breaker.js';
import { HostTallies } from './host-tallies.js';
import type { KnownHost } from './hosts.js';

const HOST = { account_id: 1, host: 'example.com' };
const tallies = (): HostTallies => new HostTallies(BREAKER_LIMITS);
const answer = (known: Partial<KnownHost> = {}): KnownHost => ({
  ...HOST,
  openForMs: null,
  requests: 0,
  failures: 0,
  changed: false,
  ...known,
});

function note(hosts: HostTallies, failures: number, successes = 0): string[] {
  const failed = [...Array<boolean>(successes).fill(false), ...Array<boolean>(failures).fill(true)];
  return failed.map((one) => hosts.note(HOST, one, false));
}

describe('a host', () => {
  it('that works is never told of', () => {
    const hosts = tallies();
    expect(new Set(note(hosts, 0, 100))).toEqual(new Set(['nothing']));
    expect([hosts.hasNews, hosts.takeNews()]).toEqual([false, []]);
  });

  it('that fails is told of once, successes included, and what comes meanwhile is told next', () => {
    const hosts = tallies();
    expect(note(hosts, 1, 3)).toEqual(['nothing', 'nothing', 'nothing', 'news']);
    expect(hosts.takeNews()).toEqual([{ ...HOST, requests: 4, failures: 1 }]);
    expect(hosts.hasNews).toBe(false);
    note(hosts, 1);
    expect(hosts.takeNews()).toEqual([{ ...HOST, requests: 1, failures: 1 }]);
  });

  it('is suspected with the tenth failure, also of those that others saw, and held back from at once', () => {
    const hosts = tallies();
    expect(note(hosts, 4)).not.toContain('suspected');
    hosts.takeNews();
    hosts.known(answer({ requests: 9, failures: 9 }));
    expect(hosts.blockedMs(HOST)).toBe(0);
    expect(note(hosts, 1)).toEqual(['suspected']);
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    expect(hosts.blockedMs({ ...HOST, account_id: 2 })).toBe(0);
  });

  it('that failed too often while it was told of stays held back from when the answer to what came before arrives', () => {
    const hosts = tallies();
    note(hosts, 4);
    hosts.takeNews();
    note(hosts, 6);
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    hosts.known(answer({ requests: 4, failures: 4 }));
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    hosts.takeNews();
    hosts.known(answer({ openForMs: 30_000, changed: true }));
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(25_000);
  });

  it('that others saw working is sent to again, as soon as the answer says so', () => {
    const hosts = tallies();
    note(hosts, 10);
    hosts.takeNews();
    hosts.known(answer({ requests: 100, failures: 10 }));
    expect(hosts.blockedMs(HOST)).toBe(0);
    expect(note(hosts, 1)).toEqual(['news']);
  });

  it('whose news could not be told keeps them, with what came meanwhile', () => {
    const hosts = tallies();
    hosts.note(HOST, true, true);
    const untold = hosts.takeNews();
    note(hosts, 2, 1);
    hosts.putBack(untold);
    expect(hosts.takeNews()).toEqual([{ ...HOST, requests: 4, failures: 3, probe: 'failed' }]);
  });

  it('is told of when the database is back, although its window has passed by then', () => {
    const hosts = new HostTallies({ ...BREAKER_LIMITS, windowMs: 0 });
    note(hosts, 1);
    hosts.putBack(hosts.takeNews());
    expect(hosts.takeNews()).toEqual([{ ...HOST, requests: 1, failures: 1 }]);
  });

  it('whose try came to nothing is told of', () => {
    const hosts = tallies();
    hosts.probeUnused(HOST);
    expect(hosts.takeNews()).toEqual([{ ...HOST, requests: 0, failures: 0, probe: 'unused' }]);
  });
});
