import { describe, expect, it } from '@jest/globals';
import type { RtpStats } from '@app/telephony';
import { callRow, sipMessage } from '../../../test/sip-rows.js';
import {
  type Diagnostics,
  diagnosticsView,
  mediaQuality,
  type SipMessageRow,
} from '../../presenters/diagnostics.presenter.js';
import { ladderText } from './sip-ladder.js';

const STATS: RtpStats = {
  sent: 500,
  received: 490,
  lost: 10,
  reordered: 1,
  duplicates: 0,
  jitterMs: 0.123456,
  lateFrames: 0,
  lossRate: 0.02,
  mos: 3.912,
  srtp: false,
  codec: 'PCMU',
};

const about = (messages: SipMessageRow[], more: Partial<Diagnostics> = {}): Diagnostics => ({
  call: callRow({ status: 'completed', hangup_cause: 'agent_hangup' }),
  legs: [{ leg: 1, direction: 'outbound', left_out: 0, rtp: null }],
  messages,
  ...more,
});

const draw = (diagnostics: Diagnostics): string => ladderText(diagnostics.call, diagnosticsView(diagnostics, ''));

const CALL = [
  sipMessage('INVITE sip:a@h SIP/2.0\r\nCSeq: 1 INVITE\r\n\r\nv=0\r\nm=audio 4000 RTP/AVP 0\r\n', {
    retransmissions: 1,
  }),
  sipMessage('SIP/2.0 180 Ringing\r\ncseq :  1   INVITE\r\n\r\n', { direction: 'in', ms: 20 }),
  sipMessage('BYE sip:a@h SIP/2.0\r\nCSeq: 2 BYE\r\n\r\n', { direction: 'in', ms: 61_500 }),
  sipMessage('SIP/2.0 200 OK\r\nCSeq: 2 BYE\r\n\r\n', { ms: 61_501 }),
];

describe('the diagnostics of a call', () => {
  it('name the summary, sender, recipient and time of each message', () => {
    const [leg] = diagnosticsView(about(CALL), 'u').legs;
    expect(leg?.ladder[1]).toMatchObject({
      at: '2026-01-02T03:04:05.698+00:00',
      offset_ms: 20,
      from: '198.51.100.7:5070',
      to: '192.0.2.1:5060',
      summary: '180 Ringing',
      cseq: '1 INVITE',
    });
    expect(leg?.ladder.map((step) => step.summary)).toEqual(['INVITE sip:a@h', '180 Ringing', 'BYE sip:a@h', '200 OK']);
  });

  it('list messages by leg, with offsets from the first message of the call', () => {
    const legs = [1, 2].map((leg) => ({ leg, direction: 'outbound' as const, left_out: leg, rtp: null }));
    const messages = [sipMessage('INVITE a SIP/2.0'), sipMessage('INVITE b SIP/2.0', { leg: 2, ms: 5_000 })];
    const view = diagnosticsView(about(messages, { legs }), 'u');
    expect(view.legs.map((leg) => leg.ladder.map((step) => step.offset_ms))).toEqual([[0], [5_000]]);
    expect(view.left_out).toBe(3);
  });

  it('have RTP statistics when there was audio, and null otherwise', () => {
    const none = { ...STATS, sent: 0, received: 0, codec: undefined };
    const [before, after] = [none, STATS].map((rtp) =>
      about([], { legs: [{ leg: 1, direction: 'outbound', left_out: 0, rtp }] }),
    );
    expect(diagnosticsView(before!, '').legs[0]?.rtp).toBeNull();
    expect(diagnosticsView(after!, '').legs[0]?.rtp).toMatchObject({
      lost: 10,
      loss_rate: 0.02,
      jitter_ms: 0.1235,
      rtt_ms: null,
    });
    expect(mediaQuality(none)).toBeNull();
    expect(mediaQuality(STATS)).toEqual({ mos: 3.912, loss_rate: 0.02, jitter_ms: 0.1235 });
  });
});

describe('the text ladder', () => {
  it('draws the messages of a call with arrows, times and audio', () => {
    const legs = [{ leg: 1, direction: 'outbound' as const, left_out: 2, rtp: STATS }];
    expect(draw(about(CALL, { legs }))).toBe(`Call 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11: completed, agent_hangup
2026-01-02T03:04:05.678+00:00, times in seconds since then

Leg 1, outbound, UDP
           192.0.2.1:5060               198.51.100.7:5070
                  |                             |
    0.000         |-- INVITE sip:a@h [SDP] ---->| (and 1 more time)
    0.020         |<- 180 Ringing (INVITE) -----|
   61.500         |<- BYE sip:a@h --------------|
   61.501         |-- 200 OK (BYE) ------------>|
  RTP: PCMU, sent 500, received 490, lost 10 (2.00 %), jitter 0.1 ms, MOS 3.9

2 messages were left out.
`);
  });

  it('has a lifeline for each remote address', () => {
    const messages = [
      sipMessage('INVITE sip:a@h SIP/2.0', {}),
      sipMessage('INVITE sip:a@h SIP/2.0', {
        ms: 500,
        remote_address: '2001:db8::7',
        remote_port: 5061,
        transport: 'tls',
      }),
      sipMessage('SIP/2.0 503 No', { ms: 501, direction: 'in', remote_address: '2001:db8::7', remote_port: 5061 }),
    ];
    expect(draw(about(messages)).split('\n').slice(3, -1)).toEqual([
      'Leg 1, outbound, UDP, TLS',
      '           192.0.2.1:5060               198.51.100.7:5070            [2001:db8::7]:5061',
      '                  |                             |                             |',
      '    0.000         |-- INVITE sip:a@h ---------->|                             |',
      '    0.500         |-- INVITE sip:a@h ---------------------------------------->|',
      '    0.501         |<- 503 No -------------------------------------------------|',
    ]);
  });

  it('of a call without messages states that there are no messages', () => {
    expect(draw(about([], { legs: [] }))).toContain('was not dialled');
  });

  it('replaces control characters from the remote party', () => {
    const text = draw(about([sipMessage('SIP/2.0 200 \u001b[2J\u009b2J', { direction: 'in' })]));
    expect(text).toContain('200 ?[2J?2J');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('shortens long summaries', () => {
    const lines = draw(about([sipMessage(`INVITE sip:${'a'.repeat(5_000)}@h SIP/2.0`)])).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100);
  });
});
