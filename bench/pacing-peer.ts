import { once } from 'node:events';
import { openMediaSession, type MediaSession } from '@app/telephony';

/** Counters of the remote side over the whole run. */
export interface PeerResult {
  received: number;
  lost: number;
}

export type PeerMessage = { ports: number[] } | { result: PeerResult };

const LOOPBACK = '127.0.0.1';

/** A child process of the pacing bench: calls each of the given ports, sends speech without pauses, counts the returned packets. */
async function main(ports: number[]): Promise<void> {
  const sessions = await Promise.all(
    ports.map(() => openMediaSession({ bindAddress: LOOPBACK, ports: { min: 36_000, max: 38_999 } })),
  );
  send({ ports: sessions.map((session) => session.localPort) });
  sessions.forEach((session, i) => talkTo(session, ports[i] as number));
  await once(process, 'message');
  const all = sessions.map((session) => session.stats());
  send({ result: { received: sum(all.map((stats) => stats.received)), lost: sum(all.map((stats) => stats.lost)) } });
}

function talkTo(session: MediaSession, port: number): void {
  const frame = Buffer.alloc(160, 0x55);
  const next = (played: boolean): void => {
    if (played) session.write(frame, next);
  };
  session.write(frame);
  next(true);
  session.start({ address: LOOPBACK, port, codec: 'PCMU', payloadType: 0, sendAudio: true });
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const send = (message: PeerMessage): void => void process.send?.(message);

await main(JSON.parse(process.argv[2] as string) as number[]);
