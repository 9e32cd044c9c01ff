import { describe, expect, it } from '@jest/globals';
import { BREAKER_LIMITS } from '../domain/breaker.js';
import { HostFailureWindows, type HostStatus } from './host-failure-window.js';

const HOST = { account_id: 1, host: 'example.com' };
const windows = (): HostFailureWindows => new HostFailureWindows(BREAKER_LIMITS);
const status = (given: Partial<HostStatus> = {}): HostStatus => ({
  ...HOST,
  openForMs: null,
  requests: 0,
  failures: 0,
  changed: false,
  ...given,
});

function record(hosts: HostFailureWindows, failures: number, successes = 0): string[] {
  const failed = [...Array<boolean>(successes).fill(false), ...Array<boolean>(failures).fill(true)];
  return failed.map((one) => hosts.record(HOST, one, false));
}

describe('the failure window of a host', () => {
  it('reports nothing while the host works', () => {
    const hosts = windows();
    expect(new Set(record(hosts, 0, 100))).toEqual(new Set(['nothing']));
    expect([hosts.hasReports, hosts.takeReports()]).toEqual([false, []]);
  });

  it('reports failures together with the successes before them, and later results in the next report', () => {
    const hosts = windows();
    expect(record(hosts, 1, 3)).toEqual(['nothing', 'nothing', 'nothing', 'report']);
    expect(hosts.takeReports()).toEqual([{ ...HOST, requests: 4, failures: 1 }]);
    expect(hosts.hasReports).toBe(false);
    record(hosts, 1);
    expect(hosts.takeReports()).toEqual([{ ...HOST, requests: 1, failures: 1 }]);
  });

  it('blocks the host at once with the tenth failure, those of other dispatchers included', () => {
    const hosts = windows();
    expect(record(hosts, 4)).not.toContain('suspected');
    hosts.takeReports();
    hosts.update(status({ requests: 9, failures: 9 }));
    expect(hosts.blockedMs(HOST)).toBe(0);
    expect(record(hosts, 1)).toEqual(['suspected']);
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    expect(hosts.blockedMs({ ...HOST, account_id: 2 })).toBe(0);
  });

  it('keeps the host blocked when it failed too often during a report, regardless of the result of that report', () => {
    const hosts = windows();
    record(hosts, 4);
    hosts.takeReports();
    record(hosts, 6);
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    hosts.update(status({ requests: 4, failures: 4 }));
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(0);
    hosts.takeReports();
    hosts.update(status({ openForMs: 30_000, changed: true }));
    expect(hosts.blockedMs(HOST)).toBeGreaterThan(25_000);
  });

  it('unblocks the host as soon as the status says that it works for other dispatchers', () => {
    const hosts = windows();
    record(hosts, 10);
    hosts.takeReports();
    hosts.update(status({ requests: 100, failures: 10 }));
    expect(hosts.blockedMs(HOST)).toBe(0);
    expect(record(hosts, 1)).toEqual(['report']);
  });

  it('adds a report that could not be stored to the next one', () => {
    const hosts = windows();
    hosts.record(HOST, true, true);
    const reports = hosts.takeReports();
    record(hosts, 2, 1);
    hosts.restore(reports);
    expect(hosts.takeReports()).toEqual([{ ...HOST, requests: 4, failures: 3, probe: 'failed' }]);
  });

  it('keeps a report that could not be stored although its time has passed', () => {
    const hosts = new HostFailureWindows({ ...BREAKER_LIMITS, windowMs: 0 });
    record(hosts, 1);
    hosts.restore(hosts.takeReports());
    expect(hosts.takeReports()).toEqual([{ ...HOST, requests: 1, failures: 1 }]);
  });

  it('reports an unused probe', () => {
    const hosts = windows();
    hosts.probeUnused(HOST);
    expect(hosts.takeReports()).toEqual([{ ...HOST, requests: 0, failures: 0, probe: 'unused' }]);
  });
});
