import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, userSpeech } from '../../test/test-call.js';
import { ToolFailed, type ToolContext, type VoiceTool } from './tool-box.js';

/** A tool that has the line until the test resolves or rejects it. */
function lineTool() {
  let run: { context: ToolContext; resolve: (result: unknown) => void; reject: (error: Error) => void } | undefined;
  const tool: VoiceTool = {
    name: 'call_transfer',
    description: 'Connects the user to a colleague.',
    parameters: { type: 'object' },
    takesLine: true,
    timeoutMs: 60_000,
    run: (_args, context) => new Promise((resolve, reject) => (run = { context, resolve, reject })),
  };
  return { tool, run: () => run };
}

async function transferring() {
  const provider = new PuppetProvider();
  const { tool, run } = lineTool();
  const call = answeredCall({ provider: () => provider, tools: [tool] });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.respond('One moment please.', 400);
  provider.last.emit({ type: 'tool_call', responseId: 'x', toolCallId: 't1', name: 'call_transfer', arguments: '{}' });
  return { provider, call, run };
}

describe('a tool that takes the line', () => {
  it("a tool that takes the line starts after the agent's last word was played", async () => {
    const { call, run } = await transferring();
    await call.line.run(200);
    expect(run()).toBeUndefined();
    await call.line.until(() => run() !== undefined, 400);
    expect(call.line.queuedMs).toBe(0);
  });

  it('while a tool has the line, the agent neither hears nor speaks, even if the user speaks or presses keys', async () => {
    const { provider, call, run } = await transferring();
    await call.line.until(() => run() !== undefined, 1_000);
    const { calls, asked } = provider.last;
    const before = [calls.length, asked.length];
    await call.line.run(1_800, await userSpeech(1_800));
    expect(new Set(provider.last.heard)).toEqual(new Set([0xff]));
    call.line.press('5');
    await call.line.run(12_000);
    expect([calls.length, asked.length]).toEqual(before);
    expect(call.of('idle_prompt')).toEqual([]);
    expect(call.end()).toBeUndefined();
  });

  it('a failed tool returns the line, and the model gets the reason', async () => {
    const { provider, call, run } = await transferring();
    await call.line.until(() => run() !== undefined, 1_000);
    run()!.reject(new ToolFailed('busy', 'The other party is busy.'));
    await call.line.run(40);
    expect(provider.last.calls.at(-1)).toContain('"code":"busy"');
    expect(provider.last.asked.at(-1)).toEqual({});
    provider.last.respond('They are busy.', 200);
    await call.line.run(100);
    expect(call.of('turn_started').filter((turn) => turn.role === 'agent')).toHaveLength(2);
  });

  it('a completed transfer is recorded and ends the session without another word', async () => {
    const { provider, call, run } = await transferring();
    await call.line.until(() => run() !== undefined, 1_000);
    run()!.context.control.handOver();
    run()!.resolve({ transferred: true });
    await call.line.run(40);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'transferred' });
    expect(call.of('tool_call')).toMatchObject([{ name: 'call_transfer', ok: true }]);
    expect(provider.last.calls).toEqual([]);
  });
});
