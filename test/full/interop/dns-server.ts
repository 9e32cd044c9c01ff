import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** `SRV _sip._udp.carrier.test` -> the response. */
export type Zone = Record<string, DnsRecord[]>;

export type DnsRecord =
  | string
  | { priority: number; weight: number; port: number; name: string }
  | { order: number; preference: number; flags: string; service: string; replacement: string };

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' };

/** A name server on loopback with one zone; other names do not exist. */
export class DnsServer {
  /** The received queries in order, such as `SRV _sip._udp.carrier.test`. */
  readonly asked: string[] = [];

  private constructor(
    private readonly socket: Socket,
    public zone: Zone,
  ) {
    socket.on('message', (query, from) => {
      const reply = this.answer(query);
      if (reply) socket.send(reply, from.port, from.address);
    });
  }

  static async start(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, zone);
  }

  /** The value for `dnsServers`. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Ignores all queries from now on. */
  fallSilent(): void {
    this.answer = () => undefined;
  }

  close(): void {
    this.socket.close();
  }

  private answer = (query: Buffer): Buffer | undefined => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    const asked = `${TYPES[type] ?? type} ${name.toLowerCase()}`;
    this.asked.push(asked);
    const records = this.zone[asked] ?? [];
    const header = Buffer.from(query.subarray(0, 12));
    // A response, recursion available; 3: there is no such name.
    header.writeUInt16BE(records.length > 0 ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    return Buffer.concat([header, query.subarray(12, end + 4), ...records.map((one) => resource(type, dataOf(one)))]);
  };
}

function resource(type: number, data: Buffer): Buffer {
  // The name is that of the question, with a TTL of 60 s.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(record: DnsRecord): Buffer {
  if (typeof record === 'string') return isIPv4(record) ? Buffer.from(record.split('.').map(Number)) : v6(record);
  if ('port' in record) return Buffer.concat([u16(record.priority, record.weight, record.port), wireName(record.name)]);
  const texts = [record.flags, record.service, ''].map(text);
  return Buffer.concat([u16(record.order, record.preference), ...texts, wireName(record.replacement)]);
}

function v6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16));
  const [first, last] = [groups(head), groups(tail)];
  return u16(...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last);
}

function u16(...values: number[]): Buffer {
  return Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

function wireName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([...labels.map(text), Buffer.from([0])]);
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}
