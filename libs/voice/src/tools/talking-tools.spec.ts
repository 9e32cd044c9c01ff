import { describe, expect, it } from '@jest/globals';
import { argumentProblems } from '@app/json-schema';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import { ToolAnswer, ToolFailed, type VoiceTool } from './tool-box.js';

/** A call with one tool that runs until the test ends it. */
async function withTool(more: Partial<VoiceTool>) {
  const runs: { args: unknown; confirmation: unknown; end: (result: unknown) => void; fail: (error: Error) => void }[] =
    [];
  const tool: VoiceTool = {
    name: 'book',
    description: 'Books.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
    timeoutMs: 60_000,
    run: (args, { confirmation }) => new Promise((end, fail) => runs.push({ args, confirmation, end, fail })),
    ...more,
  };
  const provider = new PuppetProvider();
  const settings = { phrases: { filler: 'FILLER' }, idle: { afterMs: 60_000 } };
  const call = answeredCall({ provider: () => provider, tools: [tool], settings, check: argumentProblems });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.respond('Hello.', 200);
  await call.line.run(400);
  let count = 0;
  const use = async (args: object = {}) => {
    const responseId = `r${++count}`;
    provider.last.emit({
      type: 'tool_call',
      responseId,
      toolCallId: responseId,
      name: 'book',
      arguments: JSON.stringify(args),
    });
    await call.line.run(40);
    return responseId;
  };
  const asked = () => provider.last.asked.slice(1).map(({ say }) => say ?? 'ANSWER');
  const says = async (text: string) => {
    const itemId = `user-${++count}`;
    provider.last.emit({ type: 'speech_started', itemId, audioMs: 0 });
    provider.last.emit({ type: 'speech_stopped', itemId, audioMs: 500 });
    provider.last.emit({ type: 'user_text', itemId, text });
    await call.line.run(40);
  };
  return { call, provider, runs, use, asked, says, results: () => provider.last.calls };
}

describe('words before a tool', () => {
  it('are spoken at once, in turn from one use to the next, and no filler follows', async () => {
    const { call, provider, runs, use, asked } = await withTool({ phrases: { before: ['First.', 'Second.'] } });
    for (const words of ['First.', 'Second.', 'First.']) {
      await use();
      expect(asked().at(-1)).toBe(words);
      provider.last.respond(words, 300);
      await call.line.run(3_000);
      runs.at(-1)!.end({});
      await call.line.run(40);
      provider.last.respond('Done.', 300);
      await call.line.run(400);
    }
    expect(asked()).toEqual(['First.', 'ANSWER', 'Second.', 'ANSWER', 'First.', 'ANSWER']);
  });

  it('are silence when they are empty', async () => {
    const { call, use, asked } = await withTool({ phrases: { before: [] } });
    await use();
    await call.line.run(5_000);
    expect(asked()).toEqual([]);
  });

  it('are not spoken for arguments that the tool refuses', async () => {
    const { use, asked } = await withTool({ phrases: { before: ['First.'] } });
    await use({ n: 'x' });
    expect(asked()).toEqual(['ANSWER']);
  });
});

describe('words while a tool runs', () => {
  const whileWaiting = { afterMs: 3_000, everyMs: 5_000, texts: ['Still looking.', 'A moment longer.'] };

  it('come after their time, then no more often than they may, and not while somebody speaks', async () => {
    const { call, provider, runs, use, asked } = await withTool({ phrases: { before: [], whileWaiting } });
    await use();
    await call.line.run(2_900);
    expect(asked()).toEqual([]);
    await call.line.run(200);
    expect(asked()).toEqual(['Still looking.']);
    provider.last.respond('Still looking.', 4_900);
    await call.line.run(4_800);
    expect(asked()).toHaveLength(1);
    await call.line.run(400);
    expect(asked()).toEqual(['Still looking.', 'A moment longer.']);
    runs[0]!.end({});
    await call.line.run(40);
    provider.last.respond('A moment longer.', 200);
    await call.line.run(60_000);
    expect(asked()).toEqual(['Still looking.', 'A moment longer.', 'ANSWER']);
  });
});

describe('words after a failure', () => {
  const phrases = { before: [], onFailure: ['I cannot reach the desk.'] };

  it('are spoken instead of an answer of the model, which is told', async () => {
    const { call, runs, use, asked, results } = await withTool({ phrases });
    await use();
    runs[0]!.end(new ToolAnswer({ error: { code: 'http_error' } }, false));
    await call.line.run(100);
    expect(asked()).toEqual(['I cannot reach the desk.']);
    expect(results()[0]).toContain('"spoken_to_caller":"I cannot reach the desk."');
    expect(call.of('tool_call')).toMatchObject([{ ok: false, result: { error: { code: 'http_error' } } }]);
  });

  it('are spoken after a timeout, and not when the model can correct its arguments', async () => {
    const late = await withTool({ phrases, timeoutMs: 1_000 });
    await late.use();
    await late.call.line.run(1_100);
    expect(late.asked()).toEqual(['I cannot reach the desk.']);
    const wrong = await withTool({ phrases });
    await wrong.use();
    wrong.runs[0]!.fail(new ToolFailed('invalid_arguments', 'No.'));
    await wrong.call.line.run(100);
    expect(wrong.asked()).toEqual(['ANSWER']);
  });
});

describe('a tool that needs a confirmation', () => {
  it('is offered with one more argument', async () => {
    const { provider } = await withTool({ confirm: true });
    const offered = provider.last.request.tools.find(({ name }) => name === 'book')!;
    expect(offered.parameters.properties).toMatchObject({ n: { type: 'integer' }, confirmed: { type: 'boolean' } });
  });

  it('runs after the values were read back and the user has spoken, whose words are the evidence', async () => {
    const { call, runs, use, says, results } = await withTool({ confirm: true, phrases: { before: ['Booking.'] } });
    await use({ n: 4 });
    expect(runs).toEqual([]);
    expect(results()[0]).toContain('"confirmation_needed":true');
    expect(results()[0]).toContain('"values":{"n":4}');
    await says('Yes, please.');
    await use({ n: 4, confirmed: true });
    expect(runs).toMatchObject([{ args: { n: 4 }, confirmation: { words: 'Yes, please.' } }]);
    runs[0]!.end({ id: 1 });
    await call.line.run(40);
    expect(call.of('tool_call').map(({ ok, confirmation }) => [ok, confirmation?.state, confirmation?.words])).toEqual([
      [true, 'asked', undefined],
      [true, 'confirmed', 'Yes, please.'],
    ]);
  });

  it('is refused when the model confirms by itself, changes a value, or uses one yes twice', async () => {
    const { call, runs, use, says, results } = await withTool({ confirm: true });
    await says('Book four.');
    await use({ n: 4, confirmed: true });
    await use({ n: 4, confirmed: true });
    expect(results().every((one) => one.includes('not_confirmed'))).toBe(true);
    await says('Yes.');
    await use({ n: 5, confirmed: true });
    expect([runs.length, results().at(-1)]).toEqual([0, expect.stringContaining('not_confirmed')]);
    await says('Yes, five.');
    await use({ n: 5, confirmed: true });
    expect(runs).toHaveLength(1);
    runs[0]!.end({});
    await call.line.run(40);
    await use({ n: 5, confirmed: true });
    expect(runs).toHaveLength(1);
  });

  it('does not take speech that began before the question for a yes, even when its words come later', async () => {
    const { call, provider, runs, use } = await withTool({ confirm: true });
    provider.last.emit({ type: 'speech_started', itemId: 'u', audioMs: 0 });
    provider.last.emit({ type: 'speech_stopped', itemId: 'u', audioMs: 500 });
    await use({ n: 4 });
    provider.last.emit({ type: 'user_text', itemId: 'u', text: 'Book four, yes.' });
    await use({ n: 4, confirmed: true });
    await call.line.run(3_500);
    expect(runs).toEqual([]);
  });

  it('waits for words that are not recognised yet, and takes keys for an answer', async () => {
    const { call, provider, runs, use } = await withTool({ confirm: true });
    await use({ n: 4 });
    provider.last.emit({ type: 'speech_started', itemId: 'u', audioMs: 0 });
    provider.last.emit({ type: 'speech_stopped', itemId: 'u', audioMs: 500 });
    await use({ n: 4, confirmed: true });
    expect(runs).toEqual([]);
    provider.last.emit({ type: 'user_text', itemId: 'u', text: 'Yes.' });
    await call.line.run(200);
    expect(runs).toMatchObject([{ confirmation: { words: 'Yes.' } }]);
    runs[0]!.end({});
    await call.line.run(40);
    await use({ n: 5 });
    call.line.press('1');
    await call.line.run(3_000);
    await use({ n: 5, confirmed: true });
    expect(runs).toHaveLength(2);
  });

  it('does not ask the user about arguments that it would refuse', async () => {
    const { use, results } = await withTool({ confirm: true });
    await use({ n: 'four' });
    expect(results()[0]).toContain('invalid_arguments');
  });
});
