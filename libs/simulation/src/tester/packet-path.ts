import type { NegotiatedAudio } from '@app/telephony';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { LineProfile } from '@app/agents/scenarios';
import { SeededRandom } from './seeded-random.js';

type Direction = 'to_agent' | 'to_tester';

interface Tally {
  sent: number;
  lost: number;
}

type Network = Pick<LineProfile, 'loss' | 'jitter_ms' | 'delay_ms'>;

/** Whether a network has faults: a perfect one needs no relay. */
export const hasFaults = ({ loss, jitter_ms: jitter, delay_ms: delay }: Network): boolean =>
  (loss?.share ?? 0) > 0 || jitter > 0 || delay > 0;

/** The fate of packets in one direction: it depends on the seed and the number of the packet only, never on time. */
export class PacketFates {
  private readonly random: SeededRandom;
  private isLosing = false;

  constructor(
    private readonly network: Network,
    seed: string,
  ) {
    this.random = new SeededRandom(seed);
  }

  /** The delay of the next packet; undefined: it is lost. */
  next(): number | undefined {
    const { delay_ms: delay, jitter_ms: jitter } = this.network;
    // Drawn for lost packets as well, so that the delays do not depend on the loss.
    const delayMs = delay + this.random.next() * jitter;
    return this.isLost() ? undefined : delayMs;
  }

  /** A chain of two states (Gilbert): bursts have the mean length, and the share holds in the long run. */
  private isLost(): boolean {
    const chance = this.random.next();
    const { share = 0, burst = 1 } = this.network.loss ?? {};
    if (burst === 1) return chance < share;
    const stays = 1 - 1 / burst;
    const begins = Math.min(1, share / burst / (1 - share));
    this.isLosing = chance < (this.isLosing ? stays : begins);
    return this.isLosing;
  }
}

/** The path of a tester's RTP through a network with faults: each side sends to a socket here, and receives from the same one. */
export class PacketPath {
  readonly tally: Record<Direction, Tally> = { to_agent: { sent: 0, lost: 0 }, to_tester: { sent: 0, lost: 0 } };
  private readonly fates: Record<Direction, PacketFates>;
  private readonly underWay = new Set<NodeJS.Timeout>();
  private agent: { address: string; port: number } | undefined;
  /** The agent's packets come from this address only. */
  private latchTo: string | undefined;
  private closed = false;

  private constructor(
    /** Faces the tester. */
    private readonly near: Socket,
    /** Faces the agent. */
    private readonly far: Socket,
    private readonly tester: { address: string; port: number },
    network: Network,
    seed: string,
  ) {
    this.fates = {
      to_agent: new PacketFates(network, `${seed} to_agent`),
      to_tester: new PacketFates(network, `${seed} to_tester`),
    };
    near.on('message', (packet) => this.pass(packet, 'to_agent'));
    far.on('message', (packet, { address, port }) => {
      if (this.latchTo !== undefined && address !== this.latchTo) return;
      // Symmetric RTP: the agent is where its packets come from.
      this.agent = { address, port };
      this.pass(packet, 'to_tester');
    });
    for (const socket of [near, far]) socket.on('error', () => undefined);
  }

  /** `tester`: the address of its RTP socket. */
  static async open(tester: { address: string; port: number }, network: Network, seed: string): Promise<PacketPath> {
    const [near, far] = await Promise.all([bound(tester.address), bound(tester.address)]);
    return new PacketPath(near, far, tester, network, seed);
  }

  /** The address for the agent's packets. */
  get address(): { address: string; port: number } {
    const { address, port } = this.far.address();
    return { address, port };
  }

  /** The agent's description; returns that for the tester. */
  describe({
    address,
    port,
    latchTo,
  }: Pick<NegotiatedAudio, 'address' | 'port' | 'latchTo'>): Pick<
    NegotiatedAudio,
    'address' | 'port' | 'latchTo' | 'rtcp'
  > {
    this.agent = latchTo === undefined ? { address, port } : undefined;
    this.latchTo = latchTo;
    const near = this.near.address();
    const toNear = { address: near.address, port: near.port };
    // Nothing may be sent to the described address, reports included.
    return latchTo === undefined ? toNear : { ...toNear, latchTo: undefined, rtcp: undefined };
  }

  /** Delayed packets are lost. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const timer of this.underWay) clearTimeout(timer);
    this.near.close();
    this.far.close();
  }

  private pass(packet: Buffer, direction: Direction): void {
    const to = direction === 'to_agent' ? this.agent : this.tester;
    if (!to || this.closed) return;
    const isRtcp = packet.length > 1 && packet[1]! >= 192 && packet[1]! <= 223;
    const delayMs = isRtcp ? 0 : this.fateOf(direction);
    if (delayMs === undefined) return;
    const out = direction === 'to_agent' ? this.far : this.near;
    if (delayMs < 1) {
      out.send(packet, to.port, to.address);
      return;
    }
    const timer = setTimeout(() => {
      this.underWay.delete(timer);
      out.send(packet, to.port, to.address);
    }, delayMs);
    this.underWay.add(timer);
  }

  private fateOf(direction: Direction): number | undefined {
    const tally = this.tally[direction];
    tally.sent++;
    const delayMs = this.fates[direction].next();
    if (delayMs === undefined) tally.lost++;
    return delayMs;
  }
}

async function bound(address: string): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, address);
  await once(socket, 'listening');
  return socket;
}
