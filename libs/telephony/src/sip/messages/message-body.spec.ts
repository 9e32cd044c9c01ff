import { describe, expect, it } from '@jest/globals';
import { FuzzRun } from '../../../../../test/fuzz/fuzz-run.js';
import { LINE_MUTATIONS } from '../../../../../test/fuzz/mutations.js';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import { sessionDescription } from './message-body.js';
import { newRequest, setBody, type SipMessage, type SipRequest } from './message.js';

const SDP = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';
const ISUP = 'Content-Type: application/ISUP; version=itu-t92+\r\nContent-Disposition: signal';
const part = (headers: string, body: string): string => `--b1\r\n${headers}\r\n\r\n${body}\r\n`;
const sdp = part('Content-Type: application/sdp', SDP);
const isup = part(`${ISUP};handling=optional`, '\u0001\0binary\n--b');
const END = '--b1--\r\n';

function invite(type: string, body: string, headers: [string, string][] = []): SipRequest {
  const request = newRequest('INVITE', 'sip:100@127.0.0.1');
  setBody(request, type, body);
  for (const [name, value] of headers) request.headers.push(name, value);
  return request;
}

const MIXED = 'multipart/mixed;boundary=b1';

describe('the session description of a message', () => {
  it.each<[string, string, string]>([
    ['alone', 'application/sdp', SDP],
    ['alone, with a parameter', 'Application/SDP; charset=utf-8', SDP],
    ['before ISUP', MIXED, sdp + isup + END],
    ['behind ISUP and a preamble', MIXED, `preamble\r\n${isup}${sdp}${END}epilogue`],
    ['with a quoted boundary', 'multipart/mixed; boundary="b1"', sdp + isup + END],
    [
      'with a boundary of several words',
      'multipart/mixed; boundary="b1 x:y"',
      (sdp + END).replaceAll('--b1', '--b1 x:y'),
    ],
    ['with spaces behind the delimiter', MIXED, (sdp + END).replaceAll('--b1\r', '--b1 \t\r')],
    ['without a last delimiter', MIXED, isup + sdp],
    [
      'with a disposition',
      MIXED,
      part('Content-Disposition: session;handling=required\r\nContent-Type: application/sdp', SDP) + END,
    ],
    ['with a compact name and a folded line', MIXED, part('c:\r\n application/sdp', SDP) + END],
    ['beside an unknown part without a handling', MIXED, part(ISUP, 'x') + sdp + END],
    [
      'beside an early session',
      MIXED,
      part('Content-Type: application/sdp\r\nContent-Disposition: early-session;handling=optional', 'v=1') + sdp + END,
    ],
    [
      'in an alternative, as the last supported part',
      'multipart/alternative;boundary=b1',
      part('Content-Type: text/plain\r\nContent-Disposition: render;handling=required', 'a') +
        sdp +
        part('Content-Type: application/unknown', 'x') +
        END,
    ],
    [
      'in a nested body',
      MIXED,
      isup +
        part(
          'Content-Type: multipart/alternative; boundary=in',
          `--in\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n--in--`,
        ) +
        END,
    ],
  ])('is found %s', (_, type, body) => {
    expect(sessionDescription(invite(type, body))).toBe(SDP);
  });

  it('is found with line ends of LF only', () => {
    const lf = (text: string): string => text.replaceAll('\r', '');
    expect(sessionDescription(invite(MIXED, lf(isup + sdp + END)))).toBe(lf(SDP));
  });

  it.each<[string, string, string]>([
    ['no body', MIXED, ''],
    ['optional parts only', MIXED, isup + END],
    [
      'a body that is nested too deep',
      MIXED,
      part(
        'Content-Type: multipart/mixed;boundary=2',
        '--2\r\nContent-Type: multipart/mixed;boundary=3\r\n\r\n--3\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--3--\r\n--2--',
      ) + END,
    ],
    ['a part behind the last delimiter', MIXED, isup + END + sdp],
  ])('is empty with %s', (_, type, body) => {
    expect(sessionDescription(invite(type, body))).toBe('');
  });

  it.each<[string, SipRequest]>([
    ['another type', invite('text/plain', 'hello')],
    ['an unknown part with handling=required', invite(MIXED, part(`${ISUP}; handling=REQUIRED`, 'x') + sdp + END)],
    ['a multipart body without a boundary', invite('multipart/mixed', sdp + END)],
    ['a boundary that never occurs', invite('multipart/mixed;boundary=b2', sdp + END)],
    ['a boundary that is too long', invite(`multipart/mixed;boundary=${'b'.repeat(71)}`, sdp)],
    ['a compressed body', invite('application/sdp', SDP, [['content-encoding', 'gzip']])],
    [
      'an alternative with only unknown and required parts',
      invite('multipart/alternative;boundary=b1', part(`${ISUP};handling=required`, 'x') + END),
    ],
  ])('is refused in %s', (_, request) => {
    expect(sessionDescription(request)).toBeUndefined();
  });

  it('of a response is used whatever its other parts require', () => {
    const { headers, body } = invite(MIXED, part(`${ISUP};handling=required`, 'x') + sdp + END);
    const response: SipMessage = { kind: 'response', status: 200, reason: 'OK', headers, body };
    expect(sessionDescription(response)).toBe(SDP);
    expect(sessionDescription({ ...response, body: 'no supported part' })).toBe('');
  });

  it('is searched in 5,000 broken multipart bodies without an error and in bounded time', () => {
    const random = new SeededRandom('multipart 1');
    const kinds = Object.keys(LINE_MUTATIONS);
    const nested = part(
      'Content-Type: multipart/alternative; boundary=in',
      `--in\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n--in--`,
    );
    const run = new FuzzRun();
    for (let n = 0; n < 5_000; n++) {
      const whole = `Content-Type: ${MIXED}\r\n${isup + nested + sdp + END}`;
      const kind = kinds[n % kinds.length]!;
      const broken = LINE_MUTATIONS[kind]!(whole, random).slice(0, 65_000);
      const [type = '', ...lines] = broken.split('\r\n');
      const request = newRequest('INVITE', 'sip:100@127.0.0.1');
      request.headers.push('content-type', type.slice(14));
      request.body = lines.join('\r\n');
      run.feed(kind, Buffer.from(broken, 'latin1'), () => void sessionDescription(request));
    }
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
  });
});
