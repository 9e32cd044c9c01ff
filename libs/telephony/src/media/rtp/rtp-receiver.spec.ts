import { describe, expect, it } from '@jest/globals';
import { type ReceiverFormat, RtpReceiver } from './rtp-receiver.js';

const PCMU: ReceiverFormat = {
  codec: 'PCMU',
  payloadTypes: { codec: 'PCMU', audio: 0, dtmf: 101 },
};

interface Sent {
  sequence: number;
  ssrc?: number;
  payloadType?: number;
}

/** A receiver and its output: a packet's payload is its sequence number modulo 256. */
function aReceiver(format = PCMU) {
  const heard: string[] = [];
  const receiver = new RtpReceiver(format, {
    frame: () => undefined,
    payload: (payload, codec) =>
      heard.push(payload.every((byte) => byte === payload[0]) ? `${payload[0]} ${codec}` : 'concealed'),
    digit: () => undefined,
  });
  const receive = (...packets: Sent[]) =>
    packets.forEach(({ sequence, ssrc = 7, payloadType = 0 }) =>
      receiver.receive(
        { sequence, ssrc, payloadType, marker: false, timestamp: sequence * 160, payload: Buffer.alloc(160, sequence) },
        0,
      ),
    );
  return { receiver, receive, heard };
}

const numbers = (...sequences: number[]): Sent[] => sequences.map((sequence) => ({ sequence }));

describe('received telephone events', () => {
  it('are accepted under the payload types of offer and answer, and under no other (RFC 3264 §6.1)', () => {
    const keys: string[] = [];
    const payloadTypes = { codec: 'PCMU' as const, audio: 0, dtmf: 97, offeredDtmf: 101 };
    const receiver = new RtpReceiver(
      { ...PCMU, payloadTypes },
      { frame: () => undefined, payload: () => undefined, digit: (digit) => keys.push(digit) },
    );
    const sent = [101, 97, 100].map((payloadType, i) => {
      const payload = Buffer.from([i + 1, 0x8a, 0x03, 0x20]);
      return { sequence: i, ssrc: 7, payloadType, marker: true, timestamp: 4_000 * i, payload };
    });
    expect(sent.map((packet) => receiver.expects(packet))).toEqual([true, true, false]);
    for (const packet of sent) receiver.receive(packet, 0);
    expect(keys).toEqual(['1', '2']);
  });
});

describe('telephone events with an SSRC of their own (RFC 4733 §2.6)', () => {
  interface Received {
    ssrc: number;
    sequence: number;
    timestamp: number;
    /** Absent: audio. */
    event?: { end?: boolean; duration: number };
  }

  /** Audio of `ssrc` A every 20 ms, with a press of 9 packets between, from another source. */
  function streams({ audio = 0xa, events = 0xb, first = 500 } = {}): Received[] {
    const packets: Received[] = [];
    for (let n = 0; n < 30; n++) {
      packets.push({ ssrc: audio, sequence: n, timestamp: n * 160 });
      const age = n - 10;
      if (age < 0 || age >= 9) continue;
      const event = { end: age >= 6, duration: Math.min(age + 1, 7) * 160 };
      packets.push({ ssrc: events, sequence: first + age, timestamp: 77_000, event });
    }
    return packets;
  }

  function receiveAll(packets: Received[]) {
    const keys: string[] = [];
    const heard: string[] = [];
    const receiver = new RtpReceiver(PCMU, {
      frame: () => undefined,
      payload: (payload) => heard.push(payload.every((byte) => byte === payload[0]) ? `${payload[0]}` : 'concealed'),
      digit: (digit, durationMs) => keys.push(`${digit} ${durationMs}`),
    });
    packets.forEach(({ ssrc, sequence, timestamp, event }, n) => {
      const payload = event
        ? Buffer.from([5, event.end ? 0x8a : 0x0a, event.duration >> 8, event.duration & 0xff])
        : Buffer.alloc(160, sequence);
      const payloadType = event ? 101 : 0;
      receiver.receive({ ssrc, sequence, timestamp, payloadType, marker: false, payload }, n * 20);
    });
    receiver.tick(packets.length * 20 + 500);
    return { keys, heard, receiver };
  }

  const AUDIO = Array.from({ length: 30 }, (_, n) => String(n));

  it('are one press, and the audio between them is heard in order', () => {
    const { keys, heard, receiver } = receiveAll(streams());
    expect(keys).toEqual(['5 140']);
    expect(heard).toEqual(AUDIO);
    expect(receiver.stats()).toMatchObject({ received: 39, lost: 0 });
    expect(receiver.receivedStream?.ssrc).toBe(0xa);
  });

  it('are one press before the first audio, which continues under either SSRC', () => {
    const [events, audio] = [streams().filter((one) => one.event), streams().filter((one) => !one.event)];
    expect(receiveAll([...events, ...audio])).toMatchObject({ keys: ['5 140'], heard: AUDIO });
    const [first, second] = [events.slice(0, 4), events.slice(4)];
    const mixed = receiveAll([...first, ...audio.slice(0, 1), ...second, ...audio.slice(1)]);
    expect(mixed).toMatchObject({ keys: ['5 140'], heard: AUDIO });
    const promoted = receiveAll([
      ...events.slice(0, 4),
      { ssrc: 0xb, sequence: 504, timestamp: 9_000 },
      ...events.slice(4).map((one) => ({ ...one, sequence: one.sequence + 1 })),
    ]);
    expect(promoted.keys).toEqual(['5 140']);
  });

  it('are one press when the SSRC of the events changes during it', () => {
    const packets = streams().map((one, n) => (one.event && n % 4 > 1 ? { ...one, ssrc: 0xc } : one));
    const { keys, heard } = receiveAll(packets);
    expect(keys).toHaveLength(1);
    expect(heard).toEqual(AUDIO);
  });

  it('are a press each in a second stream of events with earlier timestamps', () => {
    const second = streams({ events: 0xc, first: 9 }).map((one) => ({
      ...one,
      sequence: one.event ? one.sequence : one.sequence + 30,
      timestamp: one.event ? 1_000 : one.timestamp + 30 * 160,
    }));
    expect(receiveAll([...streams(), ...second]).keys).toEqual(['5 140', '5 140']);
  });

  it('packets of an unknown type from another source do not interrupt the audio', () => {
    const { receiver, receive, heard } = aReceiver();
    receive({ sequence: 1 }, { sequence: 700, ssrc: 9, payloadType: 13 }, { sequence: 3 }, { sequence: 2 });
    receiver.tick(1_000);
    expect(heard).toEqual(['1 PCMU', '2 PCMU', '3 PCMU']);
    expect(receiver.stats()).toMatchObject({ received: 3, lost: 0, reordered: 1 });
  });
});

describe('received packets', () => {
  it.each<[string, Sent[], string[], object]>([
    ['in order', numbers(1, 2, 3), ['1 PCMU', '2 PCMU', '3 PCMU'], { received: 3, lost: 0 }],
    ['that arrive twice are heard once', numbers(1, 3, 3, 2, 2), ['1 PCMU', '2 PCMU', '3 PCMU'], { duplicates: 2 }],
    [
      'with a stray sequence number are not heard',
      numbers(1, 9_000, 2),
      ['1 PCMU', '2 PCMU'],
      { received: 2, lost: 0 },
    ],
    [
      'that restart at another number',
      numbers(1, 9_000, 9_001, 9_002),
      ['1 PCMU', '41 PCMU', '42 PCMU'],
      { received: 3 },
    ],
    [
      'of another negotiated codec',
      [{ sequence: 1 }, { sequence: 2, payloadType: 8 }, { sequence: 3, payloadType: 9 }],
      ['1 PCMU', '2 PCMA', '3 G722'],
      { received: 3 },
    ],
    [
      'with comfort noise or keys between them are not delayed',
      [{ sequence: 1 }, { sequence: 2, payloadType: 13 }, { sequence: 3, payloadType: 101 }, { sequence: 4 }],
      ['1 PCMU', '4 PCMU'],
      { lost: 0 },
    ],
    [
      'of another source, with the loss of the first source',
      [...numbers(1, 2, 5), { sequence: 70, ssrc: 8 }],
      ['1 PCMU', '2 PCMU', 'concealed', 'concealed', '5 PCMU', '70 PCMU'],
      { received: 4, lost: 2 },
    ],
  ])('%s', (_name, packets, expected, stats) => {
    const { receiver, receive, heard } = aReceiver();
    receive(...packets);
    // Nothing waits any longer.
    receiver.tick(1_000);
    expect(heard).toEqual(expected);
    expect(receiver.stats()).toMatchObject(stats);
  });

  it('are decoded by the payload types that were negotiated last', () => {
    const { receiver, receive, heard } = aReceiver();
    receiver.setFormat({ ...PCMU, payloadTypes: { codec: 'PCMA', audio: 96, dtmf: 100 } });
    receive({ sequence: 1, payloadType: 96 });
    expect(heard).toEqual(['1 PCMA']);
    const expects = (payloadType: number) =>
      receiver.expects({ sequence: 2, ssrc: 7, payloadType, marker: false, timestamp: 0, payload: Buffer.alloc(0) });
    expect([96, 0, 8, 9, 100, 101, 13].map(expects)).toEqual([true, true, true, true, true, false, false]);
  });
});
