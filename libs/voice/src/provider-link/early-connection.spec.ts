import { createLog } from '@app/common';
import { transcode } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { SILENT_FRAME, SteppedLine } from '../../test/stepped-line.js';
import { speech } from '../../test/test-call.js';
import { AgentSession } from '../agent-session.js';
import type { SessionEvent } from '../session-events.js';
import { ToolBox } from '../tools/tool-box.js';

const CAPABILITIES = { cancel: true, truncate: true, transcribesUser: true } as const;

/** A call whose phone rings. */
function ringingCall(provider = new PuppetProvider(CAPABILITIES)) {
  const line = new SteppedLine();
  const events: SessionEvent[] = [];
  const session = new AgentSession({
    provider,
    settings: { agent: { name: 'Ada', instructions: '', greeting: 'Hello.' } },
    call: { callId: 'call-1', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: null },
    tools: new ToolBox([]),
    speech,
    onEvent: (event) => events.push(event),
    log: createLog({ level: 'silent', role: 'test' }),
    clock: line,
  });
  return { provider, line, session, events };
}

/** The next connection opens when `open` is called. */
function slowly(provider: PuppetProvider): () => void {
  let open = (): void => undefined;
  provider.opening = new Promise((resolve) => (open = resolve));
  return open;
}

describe('a provider that is connected while the phone rings', () => {
  it('is asked for the first words in the first frames after the answer, over the same connection', async () => {
    const { provider, line, session } = ringingCall();
    const open = slowly(provider);
    const connected = session.connect('PCMU');
    await line.run(800);
    open();
    await connected;
    void session.start(line);
    await line.run(40);
    expect([provider.attempts, provider.last.asked]).toEqual([1, [{ say: 'Hello.' }]]);
    session.stop('user_hangup');
  });

  it('that is still being connected at the answer is not connected twice', async () => {
    const { provider, line, session } = ringingCall();
    const open = slowly(provider);
    void session.connect('PCMU');
    void session.start(line);
    await line.run(200);
    open();
    await line.run(40);
    expect([provider.attempts, provider.last.asked]).toEqual([1, [{ say: 'Hello.' }]]);
    session.stop('user_hangup');
  });

  it('is closed at once when the call is not answered, and nothing is charged', async () => {
    const { provider, line, session, events } = ringingCall();
    await session.connect('PCMU');
    let isClosed = false;
    provider.last.close = () => (isClosed = true);
    session.stop('cancelled');
    expect([isClosed, provider.attempts, events]).toEqual([true, 1, []]);
    await line.run(200);
    expect(provider.attempts).toBe(1);
  });

  it('that opens after the end of the call is closed', async () => {
    const { provider, session } = ringingCall();
    const open = slowly(provider);
    let closed = 0;
    provider.onConnect = (connection) => (connection.close = () => void closed++);
    const connected = session.connect('PCMU');
    session.stop('cancelled');
    open();
    await connected;
    expect(closed).toBe(1);
  });

  it('is connected again when its session expires or closes during ringing, and left alone after four', async () => {
    const { provider, line, session } = ringingCall();
    await session.connect('PCMU');
    provider.last.emit({ type: 'expiring', inMs: 1_000 });
    await line.run(40);
    expect(provider.attempts).toBe(2);
    for (let n = 0; n < 4; n++) {
      provider.last.emit({ type: 'closed', reason: 'idle' });
      await line.run(40);
    }
    expect(provider.attempts).toBe(4);
    void session.start(line);
    await line.run(40);
    expect([provider.attempts, provider.last.asked]).toEqual([5, [{ say: 'Hello.' }]]);
    session.stop('user_hangup');
  });

  it('and refuses is tried again after the answer', async () => {
    const { provider, line, session } = ringingCall();
    provider.failures = [new Error('busy')];
    await session.connect('PCMU');
    void session.start(line);
    await line.run(40);
    expect([provider.attempts, provider.last.asked]).toEqual([2, [{ say: 'Hello.' }]]);
    session.stop('user_hangup');
  });

  it('and charges for connected time is connected at the answer', async () => {
    const { provider, line, session } = ringingCall(new PuppetProvider({ ...CAPABILITIES, billsConnection: true }));
    await session.connect('PCMU');
    expect(provider.attempts).toBe(0);
    void session.start(line);
    await line.run(40);
    expect(provider.attempts).toBe(1);
    session.stop('user_hangup');
  });

  it('hears and speaks the other law when the answer has that', async () => {
    const { provider, line, session } = ringingCall();
    await session.connect('PCMA');
    void session.start(line);
    await line.run(40);
    expect(provider.last.request.codec).toBe('PCMA');
    expect(provider.last.heard).toEqual(transcode(SILENT_FRAME, 'PCMU', 'PCMA'));
    provider.last.emit({ type: 'response_started', responseId: 'r1' });
    const audio = Buffer.alloc(160, 0x10);
    provider.last.emit({ type: 'audio', responseId: 'r1', itemId: 'i1', audio });
    await line.run(40);
    expect(line.agentFrames).toBe(1);
    expect(line.sent).toContainEqual(transcode(audio, 'PCMA', 'PCMU'));
    session.stop('user_hangup');
  });
});
