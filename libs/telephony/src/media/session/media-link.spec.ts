import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';
import { openMediaSession } from './media-session.js';
import type { MediaSession } from './media-session.types.js';
import { writeRtpHeader } from '../rtp/rtp-packet.js';

const sockets: Socket[] = [];
let session: MediaSession;
let time: VirtualTime;

// A stall of the machine would make the receiver skip packets.
beforeEach(() => void (time = VirtualTime.start()));

afterEach(async () => {
  await session.close();
  for (const socket of sockets.splice(0)) socket.close();
  await time.stop();
});

interface Speaker {
  port: number;
  packets: () => number;
  says: (fill: number) => Promise<unknown>;
}

async function speaker(address = '127.0.0.1'): Promise<Speaker> {
  const socket = createSocket('udp4').bind(0, address);
  sockets.push(socket);
  await once(socket, 'listening');
  const { port } = socket.address();
  let packets = 0;
  socket.on('message', () => packets++);
  const says = (fill: number): Promise<unknown> => {
    const packet = Buffer.alloc(172, fill);
    writeRtpHeader(packet, { payloadType: 0, marker: false, sequence: fill, timestamp: fill * 160, ssrc: port });
    const answered = once(socket, 'message');
    socket.send(packet, session.localPort, '127.0.0.1');
    return answered;
  };
  return { port, packets: () => packets, says };
}

it('RTP from the described address replaces an earlier source', async () => {
  session = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 31_400, max: 31_499 } });
  const [intruder, peer] = [await speaker(), await speaker()];
  session.start({ address: '127.0.0.1', port: peer.port, codec: 'PCMU', payloadType: 0, sendAudio: true });
  const heard: number[] = [];
  session.onFrame((frame) => void (frame[0] === 0xff || heard.push(frame[0]!)));
  await intruder.says(1);
  await peer.says(2);
  const overheard = intruder.packets();
  void intruder.says(90).catch(() => undefined);
  for (let said = 3; said < 10; said++) await peer.says(said);
  expect(heard.slice(0, 3)).toEqual([1, 2, 3]);
  expect(heard).not.toContain(90);
  expect(intruder.packets()).toBe(overheard);
});

it('a refused media address is replaced by the source address of the signalling only, and nothing is sent before RTP arrives', async () => {
  session = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 31_400, max: 31_499 } });
  const [stranger, described, peer] = [await speaker('127.0.0.2'), await speaker('127.0.0.3'), await speaker()];
  const terms = { codec: 'PCMU', payloadType: 0, sendAudio: true } as const;
  session.start({ address: '127.0.0.3', port: described.port, latchTo: '127.0.0.1', ...terms });
  const heard: number[] = [];
  session.onFrame((frame) => void (frame[0] === 0xff || heard.push(frame[0]!)));
  void stranger.says(90).catch(() => undefined);
  void described.says(91).catch(() => undefined);
  for (let said = 1; said < 8; said++) await peer.says(said);
  expect(heard.slice(0, 3)).toEqual([1, 2, 3]);
  expect([stranger.packets(), described.packets()]).toEqual([0, 0]);
});
