import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const MAX_REMEMBERED = 10_000;

/** Which of the host's addresses the kernel would use towards a far end: a connected UDP socket knows, without sending. */
export class LocalAddresses {
  private readonly known = new Map<string, string>();

  get(remote: string): string | undefined {
    return this.known.get(remote);
  }

  /** @throws when there is no route to `remote` */
  async find(remote: string): Promise<string> {
    const known = this.known.get(remote);
    if (known !== undefined) return known;
    const local = await sourceAddressTo(remote);
    // Sources of datagrams can be forged: the memory of them has an end.
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    this.known.set(remote, local);
    return local;
  }
}

function sourceAddressTo(remote: string): Promise<string> {
  const socket = createSocket(isIPv6(remote) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    // The discard port; nothing is sent.
    socket.connect(9, remote, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}
