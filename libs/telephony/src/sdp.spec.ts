import { describe, expect, it } from '@jest/globals';
import { buildAnswer, buildOffer, negotiate, parseSdp, SdpProblem, type SdpAudio } from './sdp.js';

const local = { address: '192.0.2.9', port: 30_000, codecs: ['PCMU' as const, 'PCMA' as const] };

function read(text: string): SdpAudio {
  const sdp = parseSdp(text);
  if (sdp instanceof SdpProblem) throw new Error(sdp.problem);
  return sdp;
}

function sdp(...lines: string[]): string {
  return ['v=0', 'o=- 7 3 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0', ...lines, ''].join('\r\n');
}

describe('parseSdp', () => {
  it('reads our own offer back', () => {
    expect(read(buildOffer(local))).toMatchObject({
      address: '192.0.2.9',
      port: 30_000,
      codecs: [
        { codec: 'PCMU', payloadType: 0 },
        { codec: 'PCMA', payloadType: 8 },
      ],
      dtmfPayloadType: 101,
      direction: 'sendrecv',
      ptime: 20,
    });
  });

  it.each([
    ['static types without rtpmap', ['m=audio 4000 RTP/AVP 8 0'], { codecs: [{ codec: 'PCMA' }, { codec: 'PCMU' }] }],
    ['its own address of the stream', ['m=audio 4000 RTP/AVP 0', 'c=IN IP4 203.0.113.5'], { address: '203.0.113.5' }],
    ['an IPv6 address', ['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::5'], { address: '2001:db8::5' }],
    ['a direction for the session', ['a=sendonly', 'm=audio 4000 RTP/AVP 0'], { direction: 'sendonly' }],
    ['the direction of the stream', ['a=sendonly', 'm=audio 4000 RTP/AVP 0', 'a=inactive'], { direction: 'inactive' }],
    [
      'a dynamic telephone-event',
      ['m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'],
      { dtmfPayloadType: 96 },
    ],
    ['only codecs we lack', ['m=audio 4000 RTP/AVP 9 18'], { codecs: [] }],
    ['video before audio', ['m=video 5000 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0'], { port: 4000 }],
    ['a refused stream', ['m=audio 0 RTP/AVP 0'], { port: 0 }],
  ])('reads %s', (_, lines, expected) => {
    expect(read(sdp(...lines))).toMatchObject(expected);
  });

  it.each([
    ['nothing', ''],
    ['no audio', sdp('m=video 5000 RTP/AVP 99')],
    ['secure audio only', sdp('m=audio 4000 RTP/SAVP 0')],
    ['no address', 'v=0\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['a host name for an address', 'v=0\r\nc=IN IP4 inside.example\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['an address that is none', 'v=0\r\nc=IN IP4 $(id)\r\nm=audio 4000 RTP/AVP 0\r\n'],
  ])('tells what is wrong with %s', (_, text) => {
    expect(parseSdp(text)).toBeInstanceOf(SdpProblem);
  });
});

describe('answers', () => {
  it.each([
    ['sendrecv', 'sendrecv', true],
    ['sendonly', 'recvonly', false],
    ['recvonly', 'sendonly', true],
    ['inactive', 'inactive', false],
  ] as const)('to %s is %s', (theirs, ours, sendAudio) => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 8', `a=${theirs}`));
    expect(read(buildAnswer(offer, local)!)).toMatchObject({ direction: ours, codecs: [{ codec: 'PCMA' }] });
    expect(negotiate(local, offer)).toMatchObject({ codec: 'PCMA', payloadType: 8, port: 4000, sendAudio });
  });

  it('hold of the old kind, with the address 0.0.0.0, sends nothing', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 0.0.0.0'));
    expect(negotiate(local, offer)?.sendAudio).toBe(false);
  });

  it('keep the order of the streams and refuse all but one', () => {
    const offer = read(sdp('m=video 5000 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0', 'm=audio 4002 RTP/AVP 0'));
    const lines = buildAnswer(offer, local)!
      .split('\r\n')
      .filter((line) => line.startsWith('m='));
    expect(lines).toEqual(['m=video 0 RTP/AVP 99', 'm=audio 30000 RTP/AVP 0', 'm=audio 0 RTP/AVP 0']);
  });

  it('are undefined without a codec in common', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 9'));
    expect([buildAnswer(offer, local), negotiate(local, offer)]).toEqual([undefined, undefined]);
  });

  it('take the payload type of the offer for telephone-event', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 0 97', 'a=rtpmap:97 telephone-event/8000'));
    expect(read(buildAnswer(offer, local)!).dtmfPayloadType).toBe(97);
  });
});
