import ipaddr from 'ipaddr.js';
import type { SipMessageRow } from '../../presenters/diagnostics.presenter.js';

/** IP packets without a link layer (https://www.tcpdump.org/linktypes.html). */
const LINKTYPE_RAW = 101;
const UDP = 17;
const UDP_HEADER_BYTES = 8;
const MAX_PACKET_BYTES = 65_535;

/**
 * The messages as a capture file (libpcap, microseconds) with their retransmissions. Every message is one UDP datagram, including
 * those of TCP and TLS, so that Wireshark and tcpdump show each as one SIP message; the Via names the transport. Addresses,
 * ports, times and bytes are original except for masked secrets; the packet headers are generated.
 */
export function pcapOf(messages: SipMessageRow[]): Buffer {
  const packets = messages.flatMap((message) =>
    [message.at, ...message.repeated_at].map((at) => ({ at: at.getTime(), packet: packetOf(message) })),
  );
  // The sort is stable: messages of the same millisecond keep their order.
  packets.sort((a, b) => a.at - b.at);
  return Buffer.concat([fileHeader(), ...packets.flatMap(({ at, packet }) => [recordHeader(at, packet), packet])]);
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(MAX_PACKET_BYTES, 16);
  header.writeUInt32LE(LINKTYPE_RAW, 20);
  return header;
}

function recordHeader(atMs: number, packet: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(atMs / 1_000), 0);
  header.writeUInt32LE((atMs % 1_000) * 1_000, 4);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return header;
}

function packetOf(row: SipMessageRow): Buffer {
  const local = { ip: addressOf(row.local_address), port: row.local_port };
  const remote = { ip: addressOf(row.remote_address), port: row.remote_port };
  const [source, target] = row.direction === 'out' ? [local, remote] : [remote, local];
  const ips = sameFamily(source.ip, target.ip);
  const datagram = udp(source.port, target.port, row.message);
  datagram.writeUInt16BE(udpChecksum(ips, datagram), 6);
  return Buffer.concat([ips[0].length === 4 ? ipv4(ips, datagram.length) : ipv6(ips, datagram.length), datagram]);
}

/** An IPv4-mapped IPv6 address (of a dual-stack socket) is IPv4. */
function addressOf(text: string): Buffer {
  return Buffer.from(ipaddr.isValid(text) ? ipaddr.process(text).toByteArray() : [0, 0, 0, 0]);
}

/** A packet has one address family; the local address may be of the other one. */
function sameFamily(source: Buffer, target: Buffer): [Buffer, Buffer] {
  return source.length === target.length ? [source, target] : [mapped(source), mapped(target)];
}

const mapped = (ip: Buffer): Buffer =>
  ip.length === 16 ? ip : Buffer.concat([Buffer.alloc(10), Buffer.from([0xff, 0xff]), ip]);

function udp(sourcePort: number, targetPort: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(UDP_HEADER_BYTES);
  header.writeUInt16BE(sourcePort, 0);
  header.writeUInt16BE(targetPort, 2);
  header.writeUInt16BE(UDP_HEADER_BYTES + payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** RFC 791. */
function ipv4(ips: [Buffer, Buffer], payloadBytes: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(0x4500, 0);
  header.writeUInt16BE(20 + payloadBytes, 2);
  // Don't fragment.
  header.writeUInt16BE(0x4000, 6);
  header.writeUInt8(64, 8);
  header.writeUInt8(UDP, 9);
  const whole = Buffer.concat([header, ...ips]);
  whole.writeUInt16BE(onesComplement(whole), 10);
  return whole;
}

/** RFC 8200. */
function ipv6(ips: [Buffer, Buffer], payloadBytes: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(0x60000000, 0);
  header.writeUInt16BE(payloadBytes, 4);
  header.writeUInt8(UDP, 6);
  header.writeUInt8(64, 7);
  return Buffer.concat([header, ...ips]);
}

/** RFC 768: over the addresses, the protocol, the length and the datagram; 0 means none and is sent as its complement. */
function udpChecksum(ips: [Buffer, Buffer], datagram: Buffer): number {
  const trailer = Buffer.alloc(4);
  trailer.writeUInt16BE(UDP, 0);
  trailer.writeUInt16BE(datagram.length, 2);
  return onesComplement(Buffer.concat([...ips, trailer, datagram])) || 0xffff;
}

/** RFC 1071. */
function onesComplement(data: Buffer): number {
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum += i % 2 === 0 ? data[i]! << 8 : data[i]!;
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}
