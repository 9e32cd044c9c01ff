import { describe, expect, it } from '@jest/globals';
import { systemClock, ToolBox, ToolFailed, type ToolOutcome, type VoiceTool } from '@app/voice';
import { ToolRpcClient } from './agent-task.js';
import { ToolRpcServer } from './tool-rpc-server.js';

const call = { callId: 'c', direction: 'outbound' as const, to: 'sip:a@b', from: '+1555', metadata: null };
const described = (name: string) => ({ name, description: name, parameters: { type: 'object' } });

function tool(name: string, run: VoiceTool['run']): VoiceTool {
  return { ...described(name), run };
}

/** The two sides of one call, connected like two threads. */
function join(tools: VoiceTool[]) {
  const pressed: string[] = [];
  let ends = 0;
  const over = new AbortController();
  const server = new ToolRpcServer(tools, call, async (digits) => void pressed.push(digits));
  const client: ToolRpcClient = new ToolRpcClient(structuredClone(server.definitions()), (question) =>
    server.take(structuredClone(question), (answer) => client.take(structuredClone(answer))),
  );
  const control = { handOver: () => undefined, endCall: () => ends++, sendDtmf: async () => undefined };
  const context = { toolCallId: 't1', call, control, signal: over.signal };
  const box = new ToolBox(client.tools);
  const run = (name: string, args: object = {}): Promise<ToolOutcome> =>
    box.run(name, JSON.stringify(args), context, systemClock);
  return { run, over, pressed, server, ends: () => ends };
}

describe('tools of the main thread, called from a media thread,', () => {
  it('get the arguments and the call, and return their result', async () => {
    const { run } = join([
      tool('look_up', async (args, context) => ({ args, to: context.call.to, id: context.toolCallId })),
    ]);
    expect(await run('look_up', { q: 1 })).toMatchObject({
      ok: true,
      result: { args: { q: 1 }, to: 'sip:a@b', id: 't1' },
    });
  });

  it.each([
    ['says why', new ToolFailed('not_found', 'No such order.'), { code: 'not_found', message: 'No such order.' }],
    ['has a fault', new Error('connect db:5432'), { code: 'tool_failed', message: 'The tool failed.' }],
  ])('that fails and %s', async (_, failure, error) => {
    const { run } = join([
      tool('fails', async () => {
        throw failure;
      }),
    ]);
    expect(await run('fails')).toMatchObject({ ok: false, result: { error } });
  });

  it('act on the call', async () => {
    const { run, pressed, ends } = join([
      tool('act', async (_, { control }) => {
        await control.sendDtmf('12');
        control.endCall();
      }),
    ]);
    expect(await run('act')).toMatchObject({ ok: true, result: null });
    expect([pressed, ends()]).toEqual([['12'], 1]);
  });

  it.each(['over', 'server'] as const)('are aborted when their result is no longer needed (%s)', async (ending) => {
    let aborted: () => void;
    const aborts = new Promise<void>((resolve) => (aborted = resolve));
    const { run, over, server } = join([
      tool('waits', async (_, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted();
      }),
    ]);
    const outcome = run('waits');
    if (ending === 'over') over.abort();
    else server.close();
    await aborts;
    expect((await outcome).ok).toBe(ending === 'server');
  });
});

describe('arguments that do not fit the schema', () => {
  const parameters = {
    type: 'object',
    properties: { order: { type: 'integer' }, city: { type: 'string' } },
    required: ['order'],
    additionalProperties: false,
  };

  it('do not reach the tool, and the model gets the problems', async () => {
    let runs = 0;
    const { run } = join([{ ...tool('book', async () => ++runs), parameters }]);
    const { result, text } = await run('book', { city: 7 });
    expect(result).toMatchObject({ error: { code: 'invalid_arguments' } });
    const { problems } = (result as { error: { problems: string[] } }).error;
    expect(problems.join('\n')).toMatch(/order[^]*city/);
    expect(text).toContain('problems');
    expect(runs).toBe(0);
    expect(await run('book', { order: 7, city: 'Bonn' })).toMatchObject({ ok: true, result: 1 });
  });

  it('reach a tool that checks them itself', async () => {
    const { run } = join([{ ...tool('book', async (args) => args), parameters, checksArguments: true }]);
    expect(await run('book', { city: 7 })).toMatchObject({ ok: true, result: { city: 7 } });
  });
});
