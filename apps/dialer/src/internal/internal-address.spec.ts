import { describe, expect, it } from '@jest/globals';
import { bindAddressOf, hostOf, internalHost } from './internal-address.js';

describe('the address of the internal server', () => {
  it.each([
    ['the setting', 'dialer-0.dialers', 'postgres://127.0.0.1/trunkline', 'dialer-0.dialers'],
    ['loopback beside a database on this machine', undefined, 'postgres://u:p@localhost:5432/trunkline', '127.0.0.1'],
    ['loopback beside a database with a Unix socket', undefined, 'postgres:///t?host=/run/postgresql', '127.0.0.1'],
    ['loopback beside a database on an IPv6 loopback', undefined, 'postgres://[::1]:5432/trunkline', '127.0.0.1'],
  ])('is %s', async (_title, setting, url, expected) => {
    expect(await internalHost({ INTERNAL_ADDRESS: setting, DATABASE_URL: url })).toBe(expected);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2', '127.0.0.2'],
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['dialer-0.dialers', undefined, 'dialer-0.dialers'],
    ['2001:db8::1', undefined, '[2001:db8::1]'],
  ])('%s: listens on %s and is published as %s', (host, bind, published) => {
    expect(bindAddressOf(host)).toBe(bind);
    expect(hostOf(host)).toBe(published);
  });
});
