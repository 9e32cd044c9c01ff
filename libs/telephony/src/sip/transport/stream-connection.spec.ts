import { describe, expect, it } from '@jest/globals';
import { FramingError, StreamFramer } from './stream-connection.js';

function message(body: string, name = 'Content-Length'): string {
  return `MESSAGE sip:a@h SIP/2.0\r\n${name}: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function framer(maxBytes = 1_000): { push: (data: string | Buffer) => void; got: string[] } {
  const got: string[] = [];
  const one = new StreamFramer(
    maxBytes,
    (data) => got.push(data.toString()),
    () => got.push('ping'),
  );
  return { got, push: (data) => one.push(Buffer.from(data)) };
}

describe('StreamFramer', () => {
  it.each([1, 2, 3, 7, 50, 10_000])('cuts a stream that comes in pieces of %i bytes', (size) => {
    const stream = `${message('one')}\r\n\r\n${message('')}\r\n${message('zwölf', 'l')}`;
    const { got, push } = framer();
    const bytes = Buffer.from(stream);
    for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
    expect(got.filter((one) => one !== 'ping').length).toBe(3);
    expect(got[0]).toBe(message('one'));
    expect(got[1]).toBe('ping');
  });

  it.each([
    ['no Content-Length', 'OPTIONS sip:a@h SIP/2.0\r\nVia: x\r\n\r\n'],
    ['a Content-Length that is not a number', 'OPTIONS sip:a@h SIP/2.0\r\nContent-Length: -1\r\n\r\n'],
    ['a body over the limit', 'OPTIONS sip:a@h SIP/2.0\r\nContent-Length: 5000\r\n\r\n'],
    ['headers without an end', 'X'.repeat(1_001)],
  ])('rejects a stream with %s', (_, text) => {
    expect(() => framer().push(text)).toThrow(FramingError);
  });
});
