import { describe, expect, it } from '@jest/globals';
import { declaredValues, readInboundHeaders } from './inbound-headers.js';

const read = (header: string, written: string | undefined) =>
  readInboundHeaders({ [header]: 'value' }, (name) => (name === header ? written : undefined));

describe('headers of an incoming INVITE', () => {
  it.each([
    ['a word', 'X-Customer', 'C-4711', 'C-4711'],
    ['spaces around it', 'X-Customer', '  C-4711 ', 'C-4711'],
    ['letters of other languages', 'X-Customer', 'Zoë Müller', 'Zoë Müller'],
    ['256 bytes', 'X-Customer', 'é'.repeat(128), 'é'.repeat(128)],
    ['user data in hexadecimal digits', 'User-to-User', '43343731c3a9;encoding=hex', 'C471é'],
    ['user data with a purpose', 'User-to-User', '43343731;purpose=isdn-uui;encoding=hex', 'C471'],
    ['user data as text', 'User-to-User', 'order 5;encoding=text', 'order 5;encoding=text'],
    ['hexadecimal digits of another header', 'X-Customer', '4334;encoding=hex', '4334;encoding=hex'],
  ])('keep %s', (_what, header, written, value) => {
    expect(read(header, written)).toEqual({ values: { value }, dropped: [] });
  });

  it.each([
    ['more than 256 bytes', 'X-Customer', 'é'.repeat(129)],
    ['a line break', 'X-Customer', 'a\r\nVia: b'],
    ['a null character', 'X-Customer', 'a\u0000b'],
    ['invalid UTF-8', 'X-Customer', 'a\uFFFDb'],
    ['user data with a line break', 'User-to-User', '610d0a62;encoding=hex'],
  ])('drop %s', (_what, header, written) => {
    expect(read(header, written)).toEqual({ values: {}, dropped: [header] });
  });

  it('give no value when they are absent or empty', () => {
    expect(read('X-Customer', undefined)).toEqual({ values: {}, dropped: [] });
    expect(read('X-Customer', ' ')).toEqual({ values: {}, dropped: [] });
    expect(readInboundHeaders(null, () => 'x')).toEqual({ values: {}, dropped: [] });
  });

  it('are own properties, whatever their names are', () => {
    const { values } = readInboundHeaders({ 'X-A': '__proto__' }, () => 'a');
    expect(Object.entries(values)).toEqual([['__proto__', 'a']]);
  });

  it('are variables when the agent declares them, and short enough', () => {
    const declared = [
      { name: 'customer', required: false, max_length: 5 },
      { name: 'order', required: false, max_length: 5 },
      { name: 'toString', required: false, max_length: 5 },
    ];
    expect(declaredValues({ customer: '12345', order: '123456', other: '1' }, declared)).toEqual({ customer: '12345' });
  });
});
