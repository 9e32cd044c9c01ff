import { describe, expect, it } from '@jest/globals';
import { sipMessage } from '../../../test/sip-rows.js';
import { pcapOf } from './sip-pcap.js';

interface Packet {
  seconds: number;
  version: number;
  source: string;
  target: string;
  payload: string;
}

/** An independent reader, written from the format descriptions. */
function packetsOf(file: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 24; at < file.length;) {
    const length = file.readUInt32LE(at + 8);
    expect(file.readUInt32LE(at + 12)).toBe(length);
    const seconds = file.readUInt32LE(at) + file.readUInt32LE(at + 4) / 1e6;
    packets.push({ seconds, ...readIp(file.subarray(at + 16, at + 16 + length)) });
    at += 16 + length;
  }
  return packets;
}

function readIp(packet: Buffer): Omit<Packet, 'seconds'> {
  const version = packet[0]! >> 4;
  // A reader that does not find UDP (17) there shows no SIP.
  expect(packet[version === 4 ? 9 : 6]).toBe(17);
  expect(packet[version === 4 ? 8 : 7]).toBeGreaterThan(0);
  const [start, size, headerBytes] = version === 4 ? [12, 4, 20] : [8, 16, 40];
  const [source, target] = [start, start + size].map((at) => packet.subarray(at, at + size)) as [Buffer, Buffer];
  const udp = packet.subarray(headerBytes);
  expect(udp.readUInt16BE(4)).toBe(udp.length);
  if (version === 4) expect(packet.readUInt16BE(2)).toBe(packet.length);
  else expect(packet.readUInt16BE(4)).toBe(udp.length);
  // RFC 1071: a header with its right checksum in it adds up to all ones.
  if (version === 4) expect(sum(packet.subarray(0, 20))).toBe(0xffff);
  const pseudo = Buffer.from([0, 17, udp.length >> 8, udp.length & 0xff]);
  expect(sum(Buffer.concat([source, target, pseudo, udp]))).toBe(0xffff);
  return {
    version,
    source: `${[...source].join('.')}:${udp.readUInt16BE(0)}`,
    target: `${[...target].join('.')}:${udp.readUInt16BE(2)}`,
    payload: udp.toString('latin1', 8),
  };
}

function sum(data: Buffer): number {
  let total = 0;
  for (let at = 0; at < data.length; at += 2) {
    total += (data[at]! << 8) | (data[at + 1] ?? 0);
    total = (total & 0xffff) + (total >> 16);
  }
  return total;
}

describe('the capture of a call', () => {
  it('without messages is an empty capture of raw IP', () => {
    const file = pcapOf([]);
    expect(file.toString('hex')).toBe('d4c3b2a1020004000000000000000000ffff000065000000');
  });

  it.each(['INVITE', 'BYES\0\xff'])('contains one datagram per message, regardless of the transport (%j)', (text) => {
    const message = Buffer.from(text, 'latin1');
    const file = pcapOf([
      sipMessage('', { message }),
      sipMessage('', { message, ms: 20, direction: 'in', transport: 'tls' }),
    ]);
    expect(packetsOf(file)).toEqual([
      {
        seconds: 1_767_323_045.678,
        version: 4,
        source: '192.0.2.1:5060',
        target: '198.51.100.7:5070',
        payload: text,
      },
      {
        seconds: 1_767_323_045.698,
        version: 4,
        source: '198.51.100.7:5070',
        target: '192.0.2.1:5060',
        payload: text,
      },
    ]);
  });

  it('has IPv6 packets, and IPv4 packets for IPv4-mapped addresses', () => {
    const file = pcapOf([
      sipMessage('A', { local_address: '2001:db8::1', remote_address: 'fe80::2%eth0' }),
      sipMessage('B', { local_address: '::ffff:192.0.2.1' }),
      sipMessage('C', { remote_address: '2001:db8::1' }),
    ]);
    expect(packetsOf(file).map(({ version, payload }) => `${payload}${version}`)).toEqual(['A6', 'B4', 'C6']);
  });

  it('contains retransmissions at their times', () => {
    const repeated_at = [500, 1_500].map((ms) => sipMessage('', { ms }).at);
    const file = pcapOf([sipMessage('INVITE', { repeated_at }), sipMessage('OK', { ms: 1_000 })]);
    expect(packetsOf(file).map(({ payload }) => payload)).toEqual(['INVITE', 'INVITE', 'OK', 'INVITE']);
  });

  it('accepts an address that is not valid', () => {
    expect(packetsOf(pcapOf([sipMessage('A', { local_address: 'sip.example.net' })]))[0]?.source).toBe('0.0.0.0:5060');
  });
});
