import { describe, expect, it } from '@jest/globals';
import { mistypedNames } from './mistyped-names.js';

describe('an unknown variable', () => {
  it.each([
    ['EGRESS_ALOW_CIDRS', 'EGRESS_ALLOW_CIDRS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['REQUESTS_PER_MINTUE', 'REQUESTS_PER_MINUTE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['SIP_PROT', 'SIP_PORT'],
    ['SIP_PRT', 'SIP_PORT'],
    ['HOSTNAME', undefined],
    ['HOME', undefined],
    ['REDIS_PORT', undefined],
    ['KUBERNETES_SERVICE_PORT', undefined],
    ['SIP_PORT', undefined],
    ['AWS_SECRET_ACCESS_KEY', undefined],
  ])('%s is reported as a misspelling of %s', (name, meant) => {
    expect(mistypedNames({ [name]: '1' })).toEqual(meant === undefined ? [] : [{ name, meant }]);
  });

  it('ignores a similar name when the variable itself is set', () => {
    expect(mistypedNames({ DATABASE_URI: '1', DATABASE_URL: '2' })).toEqual([]);
  });
});
