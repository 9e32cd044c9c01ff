import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Speech, Synthesiser, type Voice } from '@app/voice';
import { SandboxServer } from '@app/sandbox';
import { WebSocketServer, type WebSocket } from 'ws';
import { CYCLE_MS, TONE, USER_SPEAKS_MS } from './voice-phone.js';

export interface VoiceServers {
  sandbox: { url: string; key: string };
  /** Echoes all audio at once, in the Realtime protocol. */
  echoUrl: string;
  udpPort: number;
  /** `wss://`: the agent speaks and hears the user at fixed times. Only with a certificate. */
  talkingUrl?: string;
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
    ...(process.argv[2] && { talkingUrl: await startTalking(process.argv[2], process.argv[3]!) }),
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

const STEP_MS = 100;
/** Audio is generated twice as fast as it is played. */
const DELTAS_PER_STEP = 2;
const DELTA = JSON.stringify(Buffer.from(Array.from({ length: 800 }, (_, i) => TONE[i % 160]!)).toString('base64'));
const SPEECH_STEPS = 25;
const [HEARD, STOPPED] = [USER_SPEAKS_MS.from / STEP_MS + 3, USER_SPEAKS_MS.to / STEP_MS + 5];

async function startTalking(cert: string, key: string): Promise<string> {
  const http = createServer({ cert: readFileSync(cert), key: readFileSync(key) }).listen(0, '127.0.0.1');
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  server.on('connection', talk);
  await once(http, 'listening');
  return `wss://localhost:${(http.address() as AddressInfo).port}/v1/realtime`;
}

function talk(socket: WebSocket): void {
  let timer: NodeJS.Timeout | undefined;
  const send = (event: object): void => socket.send(JSON.stringify(event));
  send({ type: 'session.created', session: { type: 'realtime' } });
  socket.on('message', (data: Buffer) => {
    // Audio is not parsed: this process shall cost little.
    if (timer) return;
    const event = JSON.parse(data.toString('utf8')) as { type: string; session?: object };
    if (event.type === 'session.update') send({ type: 'session.updated', session: event.session });
    if (event.type === 'response.create') timer = converse(socket, send);
  });
  socket.on('close', () => clearInterval(timer));
}

function converse(socket: WebSocket, send: (event: object) => void): NodeJS.Timeout {
  const steps = CYCLE_MS / STEP_MS;
  const startedAt = performance.now();
  let step = 0;
  const advance = (): void => {
    const turn = Math.floor(step / steps);
    const at = step++ % steps;
    const response = { id: `r${turn}` };
    if (at === 0) send({ type: 'response.created', response });
    const ids = `"response_id":"r${turn}","item_id":"i${turn}","output_index":0,"content_index":0`;
    const delta = `{"type":"response.output_audio.delta","event_id":"event_${step}",${ids},"delta":${DELTA}}`;
    if (at < SPEECH_STEPS) for (let n = 0; n < DELTAS_PER_STEP; n++) socket.send(delta);
    if (at === SPEECH_STEPS) send({ type: 'response.done', response: { ...response, status: 'completed' } });
    if (at === HEARD) send({ type: 'input_audio_buffer.speech_started', item_id: `u${turn}`, audio_start_ms: 0 });
    if (at === STOPPED) send({ type: 'input_audio_buffer.speech_stopped', item_id: `u${turn}`, audio_end_ms: 0 });
  };
  return setInterval(() => {
    while (step * STEP_MS <= performance.now() - startedAt) advance();
  }, STEP_MS);
}

await main();
