import { describe, expect, it } from '@jest/globals';
import type { Target } from '../transport/flow.js';
import { FailedTargets } from './locate.js';

const at = (port: number): Target => ({ transport: 'udp', address: '192.0.2.1', port });

describe('failed targets', () => {
  it.each([
    [undefined, 29_999, [2, 3, 1]],
    [undefined, 30_000, [1, 2, 3]],
    [5_000, 5_000, [1, 2, 3]],
    [3_600_000, 599_999, [2, 3, 1]],
    [3_600_000, 600_000, [1, 2, 3]],
  ])('with Retry-After %s come last, after %i ms: %j', (retryAfterMs, laterMs, order) => {
    let now = 1_000;
    const failed = new FailedTargets(() => now);
    failed.add(at(1), retryAfterMs);
    now += laterMs;
    expect(failed.last([at(1), at(2), at(3)]).map((one) => one.port)).toEqual(order);
  });

  it('with the TLS settings of one trunk are not avoided for other trunks', () => {
    const failed = new FailedTargets(() => 0);
    const withCa = (ca: string): Target => ({ ...at(1), transport: 'tls', tls: { serverName: 'carrier.test', ca } });
    failed.add(withCa('wrong'));
    expect([failed.has(withCa('wrong')), failed.has(withCa('right'))]).toEqual([true, false]);
  });

  it('are forgotten when there are too many', () => {
    const failed = new FailedTargets(() => 0);
    for (let port = 1; port <= 1_001; port++) failed.add(at(port));
    expect(failed.last([at(2), at(1)]).map((one) => one.port)).toEqual([1, 2]);
  });
});
