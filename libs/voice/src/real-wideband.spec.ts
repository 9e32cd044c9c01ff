import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { type MediaSession, pcmBytes, pcmSamples } from '@app/telephony';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { ScriptedServer } from '../../../test/support/realtime-server.js';
import { speech } from '../test/test-call.js';
import { twoEnds } from '../test/two-ends.js';
import { AgentSession } from './agent-session.js';
import { systemClock } from './clock.js';
import { RealtimeProvider } from './providers/openai-realtime/realtime-provider.js';
import { ToolBox } from './tools/tool-box.js';

const PORTS = { min: 42_200, max: 42_399 };
/** Above the 3.4 kHz of the telephone, within the 7 kHz of G.722. */
const HZ = 5_000;
const open: MediaSession[] = [];
let time: VirtualTime;
let server: ScriptedServer;

beforeEach(async () => {
  time = VirtualTime.start();
  server = await ScriptedServer.start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
  await server.stop();
  await time.stop();
});

const tone = (rate: number, ms: number): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * HZ * i) / rate));

/** The share of the energy at the tone's frequency. */
function share(samples: Int16Array, rate: number): number {
  let [cosine, sine, energy] = [0, 0, 1];
  samples.forEach((sample, i) => {
    cosine += sample * Math.cos((2 * Math.PI * HZ * i) / rate);
    sine += sample * Math.sin((2 * Math.PI * HZ * i) / rate);
    energy += sample ** 2;
  });
  return (2 * (cosine ** 2 + sine ** 2)) / samples.length / energy;
}

/** The server's side of a call in this codec; `phone` is the user's. */
async function aCall(codec: 'G722' | 'PCMA') {
  const { agentSide, phone } = await twoEnds(PORTS, codec);
  open.push(agentSide, phone);
  const { url } = server;
  const options = { name: 'openai-realtime', url, model: 'm', billing: 'tokens', clock: systemClock } as const;
  const session = new AgentSession({
    provider: new RealtimeProvider({ ...options, wideband: true }),
    settings: { agent: { name: 'Ada', instructions: '', greeting: '' } },
    call: { callId: 'call-1', direction: 'inbound', to: '+1555', from: '+15550001111', metadata: null },
    tools: new ToolBox([]),
    speech,
    onEvent: () => undefined,
    log: createLog({ level: 'silent', role: 'test' }),
  });
  const ended = session.start(agentSide);
  await server.whenConnected();
  const [hello] = await server.last.got(1);
  return { phone, session, ended, hello };
}

it('on a G.722 call the provider hears what is above the telephone band, and the phone hears it from the provider', async () => {
  const { phone, session, ended, hello } = await aCall('G722');
  const format = { type: 'audio/pcm', rate: 24_000 };
  expect(hello).toMatchObject({ session: { audio: { input: { format }, output: { format } } } });

  phone.write(pcmBytes(tone(16_000, 2_000)), undefined, 'L16');
  const atServer = (): Buffer =>
    Buffer.concat(
      server.last.received.flatMap((event) =>
        event.type === 'input_audio_buffer.append' ? [Buffer.from(event.audio, 'base64')] : [],
      ),
    );
  // Ten frames each: the tone is above the band in which the session detects a voice.
  await server.last.got(8);
  const heard = pcmSamples(atServer().subarray(-24_000));
  expect(share(heard, 24_000)).toBeGreaterThan(0.7);

  const onPhone = new Promise<void>((resolve) => {
    let loud = 0;
    phone.onFrame((_frame, wide) => {
      if (wide && share(pcmSamples(wide), 16_000) > 0.7 && ++loud === 10) resolve();
    });
  });
  server.last.send({ type: 'response.created', response: { id: 'r1' } });
  const delta = pcmBytes(tone(24_000, 1_000)).toString('base64');
  server.last.send({ type: 'response.output_audio.delta', response_id: 'r1', item_id: 'i1', delta });
  await onPhone;
  session.stop('user_hangup');
  await ended;
});

it('on a G.711 call the same provider gets G.711', async () => {
  const { session, ended, hello } = await aCall('PCMA');
  expect(hello).toMatchObject({ session: { audio: { input: { format: { type: 'audio/pcma' } } } } });
  const { audio } = (await server.last.gotAt(4)) as unknown as { audio: string };
  // Ten frames of a silent user.
  expect(Buffer.from(audio, 'base64')).toHaveLength(1_600);
  session.stop('user_hangup');
  await ended;
});
