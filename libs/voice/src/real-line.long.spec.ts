import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { SandboxProvider, SandboxServer } from '@app/sandbox';
import { decode, type MediaSession } from '@app/telephony';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { speech } from '../test/test-call.js';
import { twoEnds } from '../test/two-ends.js';
import { AgentSession } from './agent-session.js';
import { BUILTIN_TOOLS, ToolBox } from './tools/tool-box.js';
import { systemClock } from './clock.js';
import type { SessionEvent } from './session-events.js';
import { peakOf } from './speech/voice.js';
import { transcriptOf } from './transcript/transcript.js';

const PORTS = { min: 42_000, max: 42_199 };
const open: MediaSession[] = [];
let time: VirtualTime;

// A stall of a busy machine would cut the user's speech into two turns.
beforeEach(() => {
  time = VirtualTime.start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
  await time.stop();
});

async function line(): Promise<{ agentSide: MediaSession; phone: MediaSession }> {
  const ends = await twoEnds(PORTS);
  open.push(ends.agentSide, ends.phone);
  return ends;
}

const server = await SandboxServer.start({ speech });
afterAll(() => server.close());

const sandbox = {
  provider: new SandboxProvider({ server, speech, clock: systemClock }),
  settings: { agent: { name: 'Ada', instructions: '', greeting: 'Hello, tea house.' } },
  speech,
  log: createLog({ level: 'silent', role: 'test' }),
};

function sandboxSession(onEvent: (event: SessionEvent) => void): AgentSession {
  return new AgentSession({
    ...sandbox,
    call: { callId: 'call-1', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: null },
    tools: new ToolBox(BUILTIN_TOOLS),
    onEvent,
  });
}

describe('a session over real RTP', () => {
  it('a phone hears the greeting over RTP, is answered, and ends the call with a key', async () => {
    const { agentSide, phone } = await line();
    const events: SessionEvent[] = [];
    let reaction = (_event: SessionEvent): void => undefined;
    const session = sandboxSession((event) => {
      events.push(event);
      reaction(event);
    });
    await AgentSession.prepare(sandbox, new AbortController().signal);

    let loudFrames = 0;
    phone.onFrame((frame) => {
      if (peakOf(decode(phone.codec, frame)) < 300) return;
      loudFrames++;
    });
    const words: Buffer[] = [];
    const sentences = speech.say('Good morning, I want some tea.', { codec: 'PCMA' }, new AbortController().signal);
    for await (const { audio } of sentences) words.push(audio);
    const saysWords = (event: SessionEvent) => {
      if (event.type === 'turn' && event.role === 'agent') phone.write(Buffer.concat(words));
      if (event.type === 'turn' && event.role === 'callee') reaction = pressesNine;
    };
    const pressesNine = (event: SessionEvent) => {
      if (event.type !== 'turn_started') return;
      void phone.sendDtmf('9#');
      reaction = () => undefined;
    };
    reaction = saysWords;
    const end = await session.start(agentSide);

    expect(end).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    const turns = transcriptOf(events);
    expect(turns[0]).toMatchObject({ role: 'agent', text: 'Hello, tea house.', truncated: false });
    expect(turns[1]?.text).toMatch(/^\[speech \d\.\d s\]$/);
    expect(turns.at(-1)?.text).toContain('You pressed nine.');
    const spokenMs = turns
      .filter(({ role }) => role === 'agent')
      .reduce((sum, turn) => sum + turn.ended_ms - turn.started_ms, 0);
    expect(loudFrames * 20).toBeGreaterThan(spokenMs * 0.4);
    expect(loudFrames * 20).toBeLessThanOrEqual(spokenMs);
  });
});
