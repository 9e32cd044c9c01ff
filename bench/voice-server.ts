import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Speech, Synthesiser, type Voice } from '@app/voice';
import { SandboxServer } from '@app/sandbox';
import { WebSocketServer, type WebSocket } from 'ws';

export interface VoiceServers {
  sandbox: { url: string; key: string };
  /** Echoes all audio at once, in the Realtime protocol. */
  echoUrl: string;
  udpPort: number;
}

/** A tone without pauses, as long as the words would take, so that the cut can be measured. */
const toneVoice: Voice = {
  name: 'tone',
  speak: (sentence) =>
    Promise.resolve(
      Int16Array.from({ length: sentence.length * 60 * 8 }, (_, i) => 8_000 * Math.sin((Math.PI * i) / 8)),
    ),
};

/** A child process of the voice bench: the voice provider of the agents in the measured process. */
async function main(): Promise<void> {
  const sandbox = await SandboxServer.start({ speech: new Speech(new Synthesiser([toneVoice])) });
  const udp = createSocket('udp4').bind(0, '127.0.0.1');
  udp.on('message', (packet, from) => udp.send(packet, from.port, from.address));
  const echo = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  echo.on('connection', echoAudio);
  await Promise.all([once(udp, 'listening'), once(echo, 'listening')]);
  const servers: VoiceServers = {
    sandbox: { url: sandbox.url, key: sandbox.key },
    echoUrl: `ws://127.0.0.1:${(echo.address() as AddressInfo).port}/v1/realtime`,
    udpPort: udp.address().port,
  };
  process.send?.(servers);
}

function echoAudio(socket: WebSocket): void {
  const send = (event: object): void => socket.send(JSON.stringify(event));
  const ids = { response_id: 'r', item_id: 'i', output_index: 0, content_index: 0 };
  send({ type: 'session.created', session: { type: 'realtime' } });
  socket.on('message', (data: Buffer) => {
    const event = JSON.parse(data.toString('utf8')) as { type: string; session?: object; audio?: string };
    if (event.type === 'session.update') send({ type: 'session.updated', session: event.session });
    if (event.type === 'response.create') send({ type: 'response.created', response: { id: 'r' } });
    if (event.type === 'input_audio_buffer.append')
      send({ type: 'response.output_audio.delta', ...ids, delta: event.audio });
  });
}

await main();
