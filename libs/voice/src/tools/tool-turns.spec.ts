import { describe, expect, it } from '@jest/globals';
import { argumentProblems } from '@app/json-schema';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import type { SessionSettings } from '../session-options.js';
import type { VoiceTool } from './tool-box.js';
import { transcriptOf } from '../transcript/transcript.js';

const FILLER = 'Let me look.';

/** Tools that run until the test ends them. */
async function withTools(options: { names?: string[]; takesLine?: boolean; settings?: Partial<SessionSettings> } = {}) {
  const done = new Map<string, (result: unknown) => void>();
  const tools = (options.names ?? ['first', 'second']).map((name): VoiceTool => ({
    name,
    description: name,
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    takesLine: options.takesLine,
    timeoutMs: 20_000,
    run: () => new Promise((resolve) => done.set(name, resolve)),
  }));
  const provider = new PuppetProvider();
  const settings = { phrases: { filler: FILLER }, ...options.settings };
  const call = answeredCall({ provider: () => provider, tools, settings, check: argumentProblems });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.respond('Hello.', 200);
  await call.line.run(400);
  const ask = (responseId: string, name: string, args = '{}') =>
    provider.last.emit({ type: 'tool_call', responseId, toolCallId: `${responseId}-${name}`, name, arguments: args });
  const started = (responseId: string) => provider.last.emit({ type: 'response_started', responseId });
  const over = (responseId: string) => provider.last.emit({ type: 'response_done', responseId, status: 'completed' });
  const asked = () => provider.last.asked.slice(1);
  return {
    provider,
    call,
    ask,
    started,
    over,
    asked,
    end: (name: string, result: unknown) => done.get(name)?.(result),
  };
}

describe('the tools of one response', () => {
  it('the tools of one response are answered together after the last has ended', async () => {
    const { provider, call, ask, started, over, asked, end } = await withTools();
    started('r');
    ask('r', 'first');
    ask('r', 'second');
    over('r');
    end('first', { a: 1 });
    await call.line.run(100);
    expect(provider.last.calls).toEqual(['result of r-first: {"a":1}']);
    expect(asked()).toEqual([]);
    end('second', { b: 2 });
    await call.line.run(100);
    expect(provider.last.calls).toHaveLength(2);
    expect(asked()).toEqual([{}]);
  });

  it('a tool gets the ID that the model wrote, with all its digits, and so does the record', async () => {
    const provider = new PuppetProvider();
    const got: unknown[] = [];
    const tool = { name: 'find', description: '', parameters: { type: 'object' }, timeoutMs: 1_000 };
    const run = (args: unknown) => Promise.resolve(void got.push(args));
    const call = answeredCall({ provider: () => provider, tools: [{ ...tool, run }] });
    await call.line.until(() => provider.connections.length === 1, 100);
    const json = '{"order_id":8389765929445198309}';
    provider.last.emit({ type: 'tool_call', responseId: 'r', toolCallId: 't', name: 'find', arguments: json });
    await call.line.run(40);
    expect(got).toEqual([{ order_id: '8389765929445198309' }]);
    expect(call.of('tool_call')).toMatchObject([{ arguments: { order_id: '8389765929445198309' } }]);
  });

  it.each([
    ['invalid arguments', '{"n":"two"}'],
    ['arguments that are not JSON', '{"n":'],
    ['arguments for tools that end at once', '{}'],
  ])('two calls with %s in one response are answered after both results', async (_, json) => {
    const { provider, call, ask, started, over, end } = await withTools();
    const order: string[] = [];
    provider.last.sendToolResult = (toolCallId) => void order.push(toolCallId);
    provider.last.createResponse = () => void order.push('response');
    started('r');
    ask('r', 'first', json);
    ask('r', 'second', json);
    over('r');
    end('first', 1);
    end('second', 2);
    await call.line.run(200);
    expect(order).toEqual(['r-first', 'r-second', 'response']);
  });

  it('tools are not answered before their response is done, because it may call another', async () => {
    const { call, ask, started, over, asked, end } = await withTools();
    started('r');
    ask('r', 'first');
    end('first', 1);
    await call.line.run(100);
    ask('r', 'second');
    over('r');
    await call.line.run(100);
    expect(asked()).toEqual([]);
    end('second', 2);
    await call.line.run(100);
    expect(asked()).toEqual([{}]);
  });
});

describe('while a tool works', () => {
  it('silence during a tool call is filled once after 800 ms, and the transcript has the filler', async () => {
    const { provider, call, ask, asked, end } = await withTools();
    ask('r', 'first');
    await call.line.run(780);
    expect(asked()).toEqual([]);
    await call.line.run(40);
    expect(asked()).toEqual([{ say: FILLER }]);
    provider.last.respond(FILLER, 600);
    await call.line.run(5_000);
    expect(asked()).toHaveLength(1);
    end('first', 1);
    await call.line.run(100);
    expect(asked()).toEqual([{ say: FILLER }, {}]);
    expect(transcriptOf(call.events).map(({ text }) => text)).toEqual(['Hello.', FILLER]);
  });

  it('no filler is said while the agent still speaks', async () => {
    const { provider, call, ask, asked } = await withTools();
    provider.last.respond('Let me see what I can find out about that.', 1_500);
    ask('r', 'first');
    await call.line.run(1_500 + 700);
    expect(asked()).toEqual([]);
    await call.line.run(200);
    expect(asked()).toEqual([{ say: FILLER }]);
  });

  it('one filler covers all tools that run at the same time', async () => {
    const { provider, call, ask, asked, end } = await withTools();
    ask('r', 'first');
    ask('r', 'second');
    await call.line.run(900);
    provider.last.respond(FILLER, 600);
    end('first', 1);
    await call.line.run(4_000);
    expect(asked()).toEqual([{ say: FILLER }]);
  });

  it('a quick tool gets no filler', async () => {
    const { call, ask, asked, end } = await withTools();
    ask('r', 'first');
    await call.line.run(700);
    end('first', 1);
    await call.line.run(3_000);
    expect(asked()).toEqual([{}]);
  });

  it('a tool that has the line gets no filler', async () => {
    const { call, ask, asked } = await withTools({ takesLine: true });
    ask('r', 'first');
    await call.line.run(5_000);
    expect(asked()).toEqual([]);
  });

  it('no idle prompt is said while a tool runs', async () => {
    const { call, ask } = await withTools({ settings: { idle: { afterMs: 2_000 } } });
    ask('r', 'first');
    await call.line.run(8_000);
    expect(call.of('idle_prompt')).toEqual([]);
  });
});

describe('a tool of a call that ends', () => {
  it('a tool that is cut off by the end of the call is recorded as call_ended', async () => {
    const { call, ask, end } = await withTools();
    ask('r', 'first', '{"n":1}');
    await call.line.run(100);
    call.session.stop('user_hangup');
    end('first', 1);
    await call.line.run(100);
    expect(call.of('tool_call')).toMatchObject([
      { name: 'first', arguments: { n: 1 }, ok: false, result: { error: { code: 'call_ended' } } },
    ]);
    expect(call.events.at(-1)?.type).toBe('ended');
    expect(call.line.pendingTimers).toBe(0);
  });
});

describe('tool arguments', () => {
  it('arguments that do not fit the schema do not reach the tool, and the model gets the reasons', async () => {
    const { provider, call, ask, asked } = await withTools();
    ask('r', 'first', '{"n":"three"}');
    await call.line.run(100);
    const [received] = provider.last.calls;
    expect(received).toContain('"code":"invalid_arguments"');
    expect(received).toMatch(/"problems":\["n[^"]*integer/);
    expect(asked()).toEqual([{}]);
  });
});

describe('a connection that is lost while a tool works', () => {
  it('a tool survives the loss of the connection; the next connection gets the call in its history and the result as text', async () => {
    const { provider, call, ask, end } = await withTools();
    ask('r', 'first', '{"n":4711}');
    await call.line.run(100);
    provider.last.emit({ type: 'closed', reason: 'socket hang up' });
    await call.line.until(() => provider.connections.length === 2, 500);
    const note = provider.last.request.history.find(({ role }) => role === 'system');
    expect(note?.text).toContain('first with {"n":4711}. Its result is not there yet.');
    expect(provider.last.asked).toEqual([]);
    end('first', { found: true });
    await call.line.run(40);
    expect(provider.last.calls).toEqual([expect.stringMatching(/^system: .*It returned: \{"found":true\}$/)]);
    expect(provider.last.asked).toEqual([{}]);
  });

  it('a result that arrives between two connections is in the history of the next, which answers at once', async () => {
    const { provider, call, ask, end } = await withTools();
    ask('r', 'first');
    await call.line.run(100);
    provider.last.emit({ type: 'closed', reason: 'socket hang up' });
    end('first', { found: true });
    await call.line.until(() => provider.connections.length === 2, 500);
    await call.line.run(40);
    expect(provider.last.request.history.at(-1)?.text).toContain('It returned: {"found":true}');
    expect(provider.last.calls).toEqual([]);
    expect(provider.last.asked).toEqual([{}]);
  });
});
