import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseRtcp, type ReceivedStream, type ReportBlock, RtcpReporter, type SentStream, writeRtcp } from './rtcp.js';

const block: ReportBlock = {
  ssrc: 0xcafe,
  fractionLost: 12,
  lost: -3,
  highest: 0x1_0007,
  jitter: 44,
  lastSr: 0xdead_beef,
  sinceLastSr: 99,
};
const sender = { ntp: { seconds: 0xdd00_1234, fraction: 0x5678_0000 }, timestamp: 5, packets: 6, octets: 960 };
const whole = writeRtcp({ ssrc: 7, cname: 'abc', sender, block, bye: true });

describe('RTCP packets', () => {
  it('can be parsed after writing', () => {
    expect(parseRtcp(whole)).toEqual({ ssrc: 7, senderNtp: 0x1234_5678, blocks: [block], bye: true });
    expect(parseRtcp(writeRtcp({ ssrc: 7, cname: '' }))).toEqual({ ssrc: 7, blocks: [], bye: false });
  });

  it('are compound, each part of whole words, with a CNAME', () => {
    const types: number[] = [];
    for (let at = 0; at < whole.length; at += 4 + 4 * whole.readUInt16BE(at + 2)) types.push(whole.readUInt8(at + 1));
    expect(types).toEqual([200, 202, 203]);
    expect(whole.length % 4).toBe(0);
    expect(whole.includes('abc')).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no report at the beginning', whole.subarray(52)],
    ['a length beyond the datagram', Buffer.concat([whole.subarray(0, 2), Buffer.of(0, 200), whole.subarray(4)])],
    ['another version', Buffer.concat([Buffer.of(0x41), whole.subarray(1)])],
    ['more than a datagram holds', Buffer.concat([whole, Buffer.alloc(1_500)])],
  ])('%s is not a report', (_, datagram) => {
    expect(parseRtcp(datagram)).toBeUndefined();
  });

  it('with fewer blocks than announced yield the complete ones', () => {
    const report = Buffer.from(whole);
    report[0] = 0x9f;
    expect(parseRtcp(report)?.blocks).toEqual([block]);
  });

  it('never throw on garbage', () => {
    for (let i = 0; i < 2_000; i++) {
      expect(() => parseRtcp(randomBytes(i % 200))).not.toThrow();
      const bent = Buffer.from(whole);
      bent[i % bent.length] = i >> 3;
      expect(() => parseRtcp(bent.subarray(0, 1 + ((i * 7) % bent.length)))).not.toThrow();
    }
  });
});

describe('reports', () => {
  const sent = (packets: number): SentStream => ({ ssrc: 1, packets, octets: packets * 160, timestamp: packets * 160 });
  const heard = (received: number, lost: number): ReceivedStream => ({
    ssrc: 2,
    extendedHighest: received + lost,
    received,
    lost,
    jitterUnits: 16,
  });

  it('contain the loss since the last report and in total', () => {
    const reporter = new RtcpReporter();
    const losses = [heard(90, 10), heard(190, 10), heard(265, 35)].map(
      (stream, i) => parseRtcp(reporter.report(sent(i), stream, i))?.blocks[0],
    );
    expect(losses.map((one) => [one?.fractionLost, one?.lost])).toEqual([
      [25, 10],
      [0, 10],
      [64, 35],
    ]);
  });

  it('are sender reports only while audio is sent', () => {
    const reporter = new RtcpReporter();
    const isSr = [5, 9, 9].map((packets, i) => reporter.report(sent(packets), undefined, i).readUInt8(1) === 200);
    expect(isSr).toEqual([true, true, false]);
  });

  it('of both sides yield round trip, remote loss and remote jitter', () => {
    const [here, there] = [new RtcpReporter(), new RtcpReporter()];
    there.receive(here.report(sent(50), undefined, 1_000), 2, 1_030);
    const answer = there.report({ ...sent(50), ssrc: 2 }, { ...heard(45, 5), ssrc: 1 }, 3_030);
    here.receive(answer, 1, 3_070);
    expect(here.rttMs).toBeCloseTo(70, 0);
    expect([here.remoteLost, here.remoteJitterMs]).toEqual([5, 2]);
  });

  it.each<[string, Partial<ReportBlock>, string[]]>([
    ['more lost than was sent', { lost: 51 }, ['remote_lost']],
    ['a jitter of hours', { jitter: 8_000 * 7_200 }, ['remote_jitter_ms']],
    ['a round trip that ends before it begins', { sinceLastSr: 65_536 * 5 }, ['rtt_ms']],
    ['a round trip of an hour', { lastSr: 1, sinceLastSr: 0 }, ['rtt_ms']],
    ['everything', { lost: 0x7f_ffff, jitter: 0xffff_ffff, lastSr: 1 }, ['remote_lost', 'remote_jitter_ms', 'rtt_ms']],
    ['plausible values with total loss and duplicates', { lost: 50, jitter: 80 }, []],
  ])('with %s omit implausible values and count them', (_, changes, implausible) => {
    const [here, there] = [new RtcpReporter(), new RtcpReporter()];
    there.receive(here.report(sent(50), undefined, 1_000), 2, 1_030);
    const honest = parseRtcp(there.report({ ...sent(50), ssrc: 2 }, { ...heard(45, 5), ssrc: 1 }, 3_030))!.blocks[0]!;
    const reported = writeRtcp({ ssrc: 2, cname: 'x', block: { ...honest, ...changes } });
    here.receive(reported, 1, 3_070, 50);
    expect([...here.implausible]).toEqual(implausible);
    const figures = { remote_lost: here.remoteLost, remote_jitter_ms: here.remoteJitterMs, rtt_ms: here.rttMs };
    const missing = Object.entries(figures).filter(([, value]) => value === undefined);
    expect(missing.map(([name]) => name)).toEqual(implausible);
  });

  it('of or about other sources change nothing', () => {
    const reporter = new RtcpReporter();
    reporter.receive(writeRtcp({ ssrc: 9, cname: 'x', block }), 1, 5);
    reporter.receive(Buffer.from('no report at all'), 1, 5);
    expect([reporter.rttMs, reporter.remoteLost]).toEqual([undefined, undefined]);
  });

  it('are due within 1.25 to 3.75 s, then within 2.5 to 7.5 s', () => {
    const reporter = new RtcpReporter();
    reporter.start(0);
    expect([reporter.isDue(1_249), reporter.isDue(3_750)]).toEqual([false, true]);
    expect([reporter.isDue(3_750 + 2_499), reporter.isDue(3_750 + 7_500)]).toEqual([false, true]);
  });
});
