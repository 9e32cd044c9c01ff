import { describe, expect, it } from '@jest/globals';
import { readFields } from '../domain/field-faults.js';
import { apiTrunk } from './trunk-schema.js';

const PROBLEM = 'The host field must be a host name or an address, with its port in port.';

describe('the host of a trunk', () => {
  it.each([
    ['sbc.example.net', 'sbc.example.net'],
    ['203.0.113.7', '203.0.113.7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
  ])('%s is %s', (host, expected) => {
    expect(readFields(apiTrunk, { name: 'carrier', host }).fields.host).toBe(expected);
  });

  it.each(['[', '[]', 'sbc.example.net:5061', '[2001:db8::7]:5061'])('%s is refused', (host) => {
    expect(() => readFields(apiTrunk, { name: 'carrier', host })).toThrow(
      expect.objectContaining({ fields: { host: [PROBLEM] } }),
    );
  });
});
