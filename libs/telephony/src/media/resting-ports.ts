/** UDP ports, both ends included; RTP takes the even ones (RFC 3550 §11). */
export interface PortRange {
  min: number;
  max: number;
}

/**
 * The even ports of a range that no call has, the one left longest ago first: a port that has just been left still gets the old
 * call's last packets, and those must not be heard in a new call. A ring, so that taking a port costs the same however many rest:
 * looking through those of the last five seconds took 0.3 ms per call at 1,000 calls per second.
 */
export class RestingPorts {
  private readonly ring: Uint16Array;
  private head = 0;
  private length: number;

  constructor({ min, max }: PortRange) {
    const first = min + (min % 2);
    this.length = Math.max(0, Math.floor((max - first) / 2) + 1);
    this.ring = Uint16Array.from({ length: this.length }, (_, index) => first + index * 2);
  }

  get count(): number {
    return this.length;
  }

  take(): number | undefined {
    if (this.length === 0) return undefined;
    const port = this.ring[this.head];
    this.head = (this.head + 1) % this.ring.length;
    this.length--;
    return port;
  }

  /** Only for ports that were taken. */
  add(port: number): void {
    this.ring[(this.head + this.length) % this.ring.length] = port;
    this.length++;
  }
}
