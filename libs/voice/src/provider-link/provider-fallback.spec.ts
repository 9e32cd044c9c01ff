import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { complete, GeminiBench, generated, heardWords, sound, words } from '../../test/gemini-call.js';
import { created, delta, done, RealtimeBench, text } from '../../test/realtime-call.js';
import { answeredCall, speech, type TestCall, userSpeech } from '../../test/test-call.js';
import type { VoiceProvider } from '../providers/voice-provider.js';
import { transcriptOf } from '../transcript/transcript.js';

let gemini: GeminiBench;
let realtime: RealtimeBench;
let call: TestCall;

beforeEach(async () => {
  gemini = await GeminiBench.start();
  realtime = await RealtimeBench.start();
});
afterEach(async () => {
  call.session.stop('drained');
  await gemini.server.stop();
  await realtime.server.stop();
});

const KINDS = {
  'gemini-live': {
    server: () => gemini.server,
    provider: (clock: TestCall['line']) => gemini.provider({ clock, speech }),
    says: (said: string) => gemini.server.last.send(sound(400), words(said), generated, complete),
    refuses: () => gemini.server.last.socket.close(1008, 'PERMISSION_DENIED: the key was revoked.'),
    /** The conversation that the server received, as `role: text`. */
    history: () =>
      gemini.sent
        .flatMap(({ clientContent }) => clientContent?.turns ?? [])
        .map(({ role, parts }) => `${role === 'model' ? 'agent' : role}: ${parts?.[0]?.text}`),
  },
  'openai-realtime': {
    server: () => realtime.server,
    provider: (clock: TestCall['line']) => realtime.provider({ clock }),
    says: (said: string) => realtime.server.last.send(created('r'), text('r', said), delta('r', 3_200), done('r')),
    refuses: () =>
      realtime.server.last.send({ type: 'error', error: { type: 'e', code: 'insufficient_quota', message: 'Pay.' } }),
    history: () =>
      (realtime.server.last.received as unknown as { item?: { role: string; content: { text: string }[] } }[])
        .flatMap(({ item }) => (item ? [item] : []))
        .map(({ role, content }) => `${role === 'assistant' ? 'agent' : role}: ${content[0]?.text}`),
  },
};
type Kind = keyof typeof KINDS;

describe.each([
  ['gemini-live', 'openai-realtime'],
  ['openai-realtime', 'gemini-live'],
] as [Kind, Kind][])('a call whose %s provider fails for good', (first, second) => {
  it(`continues with ${second}, which knows the conversation so far and repeats none of it`, async () => {
    const [before, after] = [KINDS[first], KINDS[second]];
    let fallback: VoiceProvider | undefined;
    call = answeredCall({
      provider: (line) => {
        fallback = after.provider(line);
        return before.provider(line);
      },
      // Opened by the line of the call, like the provider.
      get fallbacks(): VoiceProvider[] {
        return [
          {
            name: second,
            capabilities: { cancel: true, truncate: true, transcribesUser: true },
            prepare: () => Promise.resolve(),
            connect: (request, onEvent, signal) => fallback!.connect(request, onEvent, signal),
          },
        ];
      },
    });
    const { line } = call;
    const turns = () => transcriptOf(call.events).length;
    await line.until(() => (before.server().connections.at(-1)?.received.length ?? 0) > 1, 60_000);
    before.says('Hello, this is the tea house speaking.');
    await line.until(() => turns() === 1, 60_000);
    const spoken = await userSpeech(1_000);
    await line.run(1_000, spoken);
    await line.run(1_200);
    if (first === 'gemini-live') gemini.server.last.send(heardWords('Two teas.'));
    before.says('With pleasure.');
    await line.until(() => call.of('turn').filter(({ role }) => role === 'agent').length === 2, 60_000);
    before.refuses();
    await line.until(() => call.of('provider_restored').length === 1, 60_000);
    after.says('Anything else?');
    await line.until(() => call.of('turn').filter(({ role }) => role === 'agent').length === 3, 60_000);

    expect(call.of('provider_restored')).toMatchObject([{ provider: second }]);
    const history = after.history();
    expect(history.filter((turn) => turn.startsWith('agent'))).toEqual([
      'agent: Hello, this is the tea house speaking.',
      'agent: With pleasure.',
    ]);
    // The other server reports no speech.
    const user = history.filter((turn) => turn.startsWith('user'));
    expect(user).toEqual(first === 'gemini-live' ? ['user: Two teas.'] : []);
    const agent = transcriptOf(call.events).filter(({ role }) => role === 'agent');
    expect(agent.map(({ text: said }) => said)).toEqual([
      'Hello, this is the tea house speaking.',
      'With pleasure.',
      'Anything else?',
    ]);
    expect(call.end()).toBeUndefined();
  });
});
