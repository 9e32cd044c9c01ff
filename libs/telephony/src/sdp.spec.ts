import { describe, expect, it } from '@jest/globals';
import { newLocalSrtp } from './media/rtp/srtp-keys.js';
import { parseSdp, type SdpAudio, SdpProblem } from './sdp-parse.js';
import { buildAnswer, buildOffer, negotiate } from './sdp.js';

const local = { address: '192.0.2.9', port: 30_000, codecs: ['PCMU' as const, 'PCMA' as const] };

const SHA1_80 = 'AES_CM_128_HMAC_SHA1_80';
const KEY = Buffer.alloc(30, 7).toString('base64');

function read(text: string): SdpAudio {
  const sdp = parseSdp(text);
  if (sdp instanceof SdpProblem) throw new Error(sdp.problem);
  return sdp;
}

function sdp(...lines: string[]): string {
  return ['v=0', 'o=- 7 3 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0', ...lines, ''].join('\r\n');
}

describe('the types of telephone-event', () => {
  const event = (type: number): string[] => [`m=audio 4000 RTP/AVP 0 ${type}`, `a=rtpmap:${type} telephone-event/8000`];

  it.each<[string, string[], Record<string, number>]>([
    ['are one type when the answer repeats ours', event(101), { dtmfPayloadType: 101 }],
    ['are two types when the answer has another', event(97), { dtmfPayloadType: 97, offeredDtmfPayloadType: 101 }],
    ['are missing when the answer has none', ['m=audio 4000 RTP/AVP 0'], {}],
    [
      'are one type when ours is the audio of the answer',
      [...event(97).map((line) => line.replace('AVP 0', 'AVP 101')), 'a=rtpmap:101 PCMU/8000'],
      { dtmfPayloadType: 97 },
    ],
  ])('%s', (_, lines, expected) => {
    const { dtmfPayloadType, offeredDtmfPayloadType } = negotiate(local, read(sdp(...lines)))!;
    expect({ dtmfPayloadType, offeredDtmfPayloadType }).toEqual(expected);
  });
});

describe('parseSdp', () => {
  it('parses our own offer', () => {
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
    ['an address of the stream', ['m=audio 4000 RTP/AVP 0', 'c=IN IP4 203.0.113.5'], { address: '203.0.113.5' }],
    ['an IPv6 address', ['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::5'], { address: '2001:db8::5' }],
    ['an IPv4 address as IPv6', ['m=audio 4000 RTP/AVP 0', 'c=IN IP6 ::FFFF:203.0.113.5'], { address: '203.0.113.5' }],
    ['another spelling of IPv6', ['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:DB8:0:0::5'], { address: '2001:db8::5' }],
    ['a direction for the session', ['a=sendonly', 'm=audio 4000 RTP/AVP 0'], { direction: 'sendonly' }],
    ['the direction of the stream', ['a=sendonly', 'm=audio 4000 RTP/AVP 0', 'a=inactive'], { direction: 'inactive' }],
    [
      'a dynamic telephone-event',
      ['m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'],
      { dtmfPayloadType: 96 },
    ],
    ['only unsupported codecs', ['m=audio 4000 RTP/AVP 3 18'], { codecs: [] }],
    ['video before audio', ['m=video 5000 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0'], { port: 4000 }],
    ['a refused stream', ['m=audio 0 RTP/AVP 0'], { port: 0 }],
    ['G.722 by its static type', ['m=audio 4000 RTP/AVP 9'], { codecs: [{ codec: 'G722', payloadType: 9 }] }],
    [
      'G.722 with a clock of 16000',
      ['m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 G722/16000'],
      { codecs: [{ codec: 'G722', payloadType: 96 }] },
    ],
    ['one port for RTP and RTCP', ['m=audio 4000 RTP/AVP 0', 'a=rtcp-mux'], { rtcpMux: true }],
    ['a separate port for RTCP', ['m=audio 4000 RTP/AVP 0', 'a=rtcp:4100 IN IP4 10.0.0.1'], { rtcpPort: 4100 }],
    ['an RTCP port of 0', ['m=audio 4000 RTP/AVP 0', 'a=rtcp:0', 'a=rtcp:99999'], { rtcpMux: false }],
    [
      'RTP/AVPF and RTP/SAVPF',
      ['m=audio 4000 RTP/SAVPF 0', `a=crypto:1 ${SHA1_80} inline:${KEY}`],
      { secure: true, crypto: [{ tag: 1, suite: SHA1_80, key: KEY }] },
    ],
    [
      'keys with a lifetime, in the order of preference',
      [
        'm=audio 4000 RTP/SAVP 0',
        `a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|2^31`,
        `a=crypto:8 ${SHA1_80} inline:${KEY}|1048576 WSH=64`,
      ],
      { crypto: [{ tag: 7 }, { tag: 8 }] },
    ],
  ])('reads %s', (_, lines, expected) => {
    expect(read(sdp(...lines))).toMatchObject(expected);
  });

  // RFC 8866 §5.14: attributes belong to the m= line before them, whatever that line contains.
  it.each([
    ['without a format', 'm=video 0 RTP/AVP', 'm=video 0 RTP/AVP 0'],
    ['without a format, open', 'm=video 5000 RTP/AVP', 'm=video 0 RTP/AVP 0'],
    ['without a protocol', 'm=video 5000', 'm=video 0 RTP/AVP 0'],
    ['without a port', 'm=video', 'm=video 0 RTP/AVP 0'],
    ['that is empty', 'm=', 'm=application 0 RTP/AVP 0'],
    ['with a port that is not a number', 'm=video x RTP/AVP 99', 'm=video 0 RTP/AVP 99'],
    ['with a port that is too large', 'm=video 99999 RTP/AVP 99', 'm=video 0 RTP/AVP 99'],
    ['of a fax', 'm=image 5000 udptl t38', 'm=image 0 udptl t38'],
    ['with a range of ports', 'm=video 5000/2 RTP/AVP 99', 'm=video 0 RTP/AVP 99'],
  ])('keeps the attributes of a line %s from the audio, and answers it', (_, line, refused) => {
    const theirs = [
      'c=IN IP4 203.0.113.9',
      'a=inactive',
      'a=ptime:60',
      'a=rtcp:4200',
      'a=rtcp-mux',
      'a=mid:v',
      'a=setup:actpass',
      'a=rtpmap:0 H264/90000',
      `a=crypto:9 ${SHA1_80} inline:${KEY}`,
    ];
    const audio = ['m=audio 4000 RTP/AVP 0', 'a=sendrecv'];
    for (const lines of [
      [...audio, line, ...theirs],
      [line, ...theirs, ...audio],
    ]) {
      const offer = read(sdp(...lines));
      expect(offer).toMatchObject({
        address: '198.51.100.1',
        direction: 'sendrecv',
        ptime: 20,
        rtcpMux: false,
        crypto: [],
        codecs: [{ codec: 'PCMU', payloadType: 0 }],
      });
      expect(offer.rtcpPort).toBeUndefined();
      const answered = buildAnswer(offer, local)!.match(/^m=.*$/gm);
      expect(answered).toEqual(
        lines.filter((one) => one.startsWith('m=')).map((one) => (one === line ? refused : 'm=audio 30000 RTP/AVP 0')),
      );
    }
  });

  it('reads fields with more than one space or a tab between them', () => {
    const lines = [
      'v=0',
      'o=-  7  3  IN  IP4  198.51.100.1',
      'c=IN  IP4\t198.51.100.1',
      'm=audio  4000  RTP/SAVP  0 \t 96 ',
      'a=rtpmap: 96  telephone-event/8000',
      'a=rtcp: 4100  IN IP4 198.51.100.1',
      'a=ptime: 30',
      'a= sendonly',
      `a=crypto: 1  ${SHA1_80}  inline:${KEY}  WSH=64`,
    ];
    expect(read(lines.join('\r\n'))).toMatchObject({
      address: '198.51.100.1',
      port: 4000,
      codecs: [{ codec: 'PCMU' }],
      dtmfPayloadType: 96,
      rtcpPort: 4100,
      ptime: 30,
      direction: 'sendonly',
      crypto: [{ tag: 1 }],
      origin: { id: '7', version: 3 },
      streams: [{ protocol: 'RTP/SAVP', formats: '0 96' }],
    });
  });

  it.each([
    ['nothing', ''],
    ['no audio', sdp('m=video 5000 RTP/AVP 99')],
    ['encryption without keys', sdp('m=audio 4000 RTP/SAVP 0')],
    ['keys by DTLS', sdp('m=audio 4000 UDP/TLS/RTP/SAVPF 0', 'a=fingerprint:sha-1 00')],
    ['a key of another length', sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 ${SHA1_80} inline:${KEY}AAAA`)],
    ['an unsupported suite', sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 F8_128_HMAC_SHA1_80 inline:${KEY}`)],
    ['a master key identifier', sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 ${SHA1_80} inline:${KEY}|2^20|1:4`)],
    [
      'an unsupported session parameter',
      sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 ${SHA1_80} inline:${KEY} UNENCRYPTED_SRTP`),
    ],
    ['more streams than a call has', sdp(...Array<string>(40).fill('m=audio 4000 RTP/AVP 0'))],
    ['a link-local address with a zone', 'v=0\r\nc=IN IP6 fe80::1%eth0\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['no address', 'v=0\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['a host name for an address', 'v=0\r\nc=IN IP4 inside.example\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['an invalid address', 'v=0\r\nc=IN IP4 $(id)\r\nm=audio 4000 RTP/AVP 0\r\n'],
  ])('reports the problem of %s', (_, text) => {
    expect(parseSdp(text)).toBeInstanceOf(SdpProblem);
  });

  it('reports a host name as address, also of the stream alone', () => {
    const text = sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 inside.example');
    expect(parseSdp(text)).toEqual(new SdpProblem('the address of the audio stream is not an IP address'));
  });

  it('never throws on a damaged description and parses each quickly', () => {
    const whole = buildOffer({ ...local, codecs: ['G722', 'PCMU'], srtp: newLocalSrtp('required')! });
    for (let at = 0; at < whole.length; at++) {
      expect(() => parseSdp(whole.slice(0, at))).not.toThrow();
      expect(() => parseSdp(whole.slice(0, at) + '\0: |9'.repeat(at % 7) + whole.slice(at))).not.toThrow();
    }
    for (const piece of ['m=audio 1 RTP/AVP 0\n', 'a=crypto:', 'a=rtpmap:', '|', ' ', 'a=rtcp:', '1 ', 'c=IN IP4 ']) {
      expect(() => parseSdp(`${whole}${piece.repeat(20_000)}`)).not.toThrow();
    }
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

  it('the old form of hold, with the address 0.0.0.0, stops sending', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 0.0.0.0'));
    expect(negotiate(local, offer)?.sendAudio).toBe(false);
    // For Linux that address is the local machine.
    expect(negotiate(local, offer)?.rtcp).toBeUndefined();
  });

  it('keep the order of the streams and refuse all except one', () => {
    const offer = read(sdp('m=video 5000 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0', 'm=audio 4002 RTP/AVP 0'));
    const lines = buildAnswer(offer, local)!
      .split('\r\n')
      .filter((line) => line.startsWith('m='));
    expect(lines).toEqual(['m=video 0 RTP/AVP 99', 'm=audio 30000 RTP/AVP 0', 'm=audio 0 RTP/AVP 0']);
  });

  it('are undefined without a codec in common', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 18'));
    expect([buildAnswer(offer, local), negotiate(local, offer)]).toEqual([undefined, undefined]);
  });

  it('take the payload type of the offer for telephone-event', () => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 0 97', 'a=rtpmap:97 telephone-event/8000'));
    expect(read(buildAnswer(offer, local)!).dtmfPayloadType).toBe(97);
  });
});

it('a new offer in the same session has the streams of the description before it, in their order (RFC 3264 §8)', () => {
  const before = read(sdp('m=video 0 RTP/AVP 99', 'm=audio 4000 RTP/AVP 0', 'm=image 0 udptl t38')).streams;
  expect(buildOffer(local, before).match(/^m=.*$/gm)).toEqual([
    'm=video 0 RTP/AVP 99',
    'm=audio 30000 RTP/AVP 0 8 101',
    'm=image 0 udptl t38',
  ]);
});

describe('encryption', () => {
  const optional = newLocalSrtp('optional')!;
  const required = newLocalSrtp('required')!;
  const offered = {
    plain: ['m=audio 4000 RTP/AVP 0'],
    'plain with keys': ['m=audio 4000 RTP/AVP 0', `a=crypto:4 ${SHA1_80} inline:${KEY}`],
    secure: ['m=audio 4000 RTP/SAVP 0', `a=crypto:4 ${SHA1_80} inline:${KEY}`],
  };

  it.each([
    [undefined, 'plain', 'plain'],
    [undefined, 'plain with keys', 'plain'],
    [undefined, 'secure', 'refused'],
    [optional, 'plain', 'plain'],
    [optional, 'plain with keys', 'encrypted'],
    [optional, 'secure', 'encrypted'],
    [required, 'plain', 'refused'],
    [required, 'plain with keys', 'encrypted'],
    [required, 'secure', 'encrypted'],
  ] as const)('%j to an offer that is %s: %s', (srtp, kind, outcome) => {
    const offer = read(sdp(...offered[kind]));
    const ours = { ...local, ...(srtp && { srtp }) };
    const answer = buildAnswer(offer, ours);
    const audio = negotiate(ours, offer);
    expect([answer === undefined, audio === undefined]).toEqual(Array(2).fill(outcome === 'refused'));
    expect(audio?.srtp !== undefined).toBe(outcome === 'encrypted');
    if (answer === undefined) return;
    // The answer repeats the profile of the offer and the tag of the accepted line.
    expect(answer).toContain(
      offered[kind][0]!.includes('SAVP') ? 'm=audio 30000 RTP/SAVP 0' : 'm=audio 30000 RTP/AVP 0',
    );
    expect(read(answer).crypto).toEqual(audio?.srtp ? [{ ...srtp!.keys[0], tag: 4 }] : []);
  });

  it.each([
    ['optional', 'RTP/AVP'],
    ['required', 'RTP/SAVP'],
  ] as const)('%s offers %s with every suite, the mandatory one first', (policy, protocol) => {
    const srtp = newLocalSrtp(policy)!;
    const offer = buildOffer({ ...local, srtp });
    expect(offer).toContain(`m=audio 30000 ${protocol} 0 8 101`);
    expect(read(offer).crypto).toEqual(srtp.keys);
    expect(srtp.keys.map(({ suite }) => suite)).toEqual([SHA1_80, 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM']);
  });

  it.each(['optional', 'required'] as const)('both sides agree on the same pair of keys (%s)', (policy) => {
    const [caller, callee] = [newLocalSrtp(policy)!, newLocalSrtp('optional')!];
    const offer = read(buildOffer({ ...local, srtp: caller }));
    const answer = read(buildAnswer(offer, { ...local, srtp: callee })!);
    const [atCaller, atCallee] = [
      negotiate({ ...local, srtp: caller }, answer),
      negotiate({ ...local, srtp: callee }, offer),
    ];
    expect(atCaller?.srtp?.local).toEqual(atCallee?.srtp?.remote);
    expect(atCaller?.srtp?.remote).toEqual(atCallee?.srtp?.local);
  });

  it('accepts a plain answer when encryption is optional, and refuses it when required', () => {
    const answer = read(sdp('m=audio 4000 RTP/AVP 0'));
    expect(negotiate({ ...local, srtp: optional }, answer)).toMatchObject({ port: 4000 });
    expect(negotiate({ ...local, srtp: required }, answer)).toBeUndefined();
  });

  it('chooses between an encrypted and a plain stream side by side', () => {
    const offer = read(sdp(...offered.secure, 'm=audio 4002 RTP/AVP 0'));
    expect(negotiate({ ...local, srtp: optional }, offer)).toMatchObject({ port: 4000 });
    expect(negotiate(local, offer)).toMatchObject({ port: 4002 });
    const answered = (ours: typeof local) => buildAnswer(offer, ours)!.match(/^m=.*$/gm);
    expect(answered({ ...local, ...{ srtp: required } })).toEqual(['m=audio 30000 RTP/SAVP 0', 'm=audio 0 RTP/AVP 0']);
    expect(answered(local)).toEqual(['m=audio 0 RTP/SAVP 0', 'm=audio 30000 RTP/AVP 0']);
  });

  it('does not choose a stream at an unchecked address', () => {
    const offer = read(sdp(...offered.secure, 'm=audio 4002 RTP/AVP 0', 'c=IN IP4 10.0.0.1'));
    expect(negotiate(local, offer)).toBeUndefined();
  });
});

describe('the destination of RTCP', () => {
  it.each([
    ['is the RTP port when both sides multiplex', ['a=rtcp-mux', 'a=rtcp:4100'], 4000],
    ['is the announced port', ['a=rtcp:4100'], 4100],
    ['is the next port otherwise', [], 4001],
  ])('%s', (_, lines, port) => {
    const offer = read(sdp('m=audio 4000 RTP/AVP 0', ...lines));
    expect(negotiate(local, offer)?.rtcp).toEqual({ address: '198.51.100.1', port });
    expect(buildAnswer(offer, local)!.includes('a=rtcp-mux')).toBe(lines.includes('a=rtcp-mux'));
  });

  it('is missing without a next port', () => {
    expect(negotiate(local, read(sdp('m=audio 65535 RTP/AVP 0')))?.rtcp).toBeUndefined();
  });
});

it('offers IPv6 as IP6', () => {
  const offer = buildOffer({ ...local, address: '2001:db8::7' });
  expect(offer).toContain('c=IN IP6 2001:db8::7');
  expect(negotiate(local, read(offer))).toMatchObject({ address: '2001:db8::7', port: 30_000 });
});

it('a negotiated result is plain data that can be sent to another thread', () => {
  const srtp = newLocalSrtp('required')!;
  const audio = negotiate({ codecs: ['G722'], srtp }, read(buildOffer({ ...local, codecs: ['G722'], srtp })));
  expect(structuredClone(audio)).toEqual(audio);
});
