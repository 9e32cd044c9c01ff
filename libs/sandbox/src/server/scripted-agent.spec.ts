import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { keysPressed } from '@app/voice';
import { readScript, scriptProblems } from './script.js';
import { openingWords, ScriptedAgent } from './scripted-agent.js';

const TEA_HOUSE = readScript(
  parse(`
agent: { name: Ada }
metadata: { name: Jan, orders: [{ id: 7 }] }
rules:
  - on: opening
    say: Hello {{metadata.name}}.
    call: { tool: note_call, arguments: { order: '{{metadata.orders.0.id}}', from: 'by {{agent.name}}' } }
  - on: { speech: 2 }
    say: You spoke twice.
  - on: { digits: 5 }
    say: '{{digits}} it is.'
    send_dtmf: '12#'
  - on: { text: 'order (?P<number>\\d+)' }
    call: [{ tool: find_order, arguments: { id: '{{match.1}}' } }, { tool: note_call }]
  - on: { tool: find_order, failed: true }
    say: I cannot see it.
    transfer: No order found.
  - on: { tool: find_order }
    say: 'It is {{result.order.status}}{{result.order.nothing}}, {{result.order.items}}.'
    hang_up: true
  - on: { text: prices }
    search: 'price of {{text}}'
  - on: { idle: 4 }
    say: Hello?
`),
);

const agent = (tools: string[] = []) => new ScriptedAgent(TEA_HOUSE, () => ({ instructions: 'Sell tea.', tools }));

describe('a scripted agent', () => {
  it('opens with the words of its script, or with the words of the client', () => {
    const calls = [{ name: 'note_call', arguments: { order: 7, from: 'by Ada' } }];
    expect(agent().reply()).toEqual({ say: 'Hello Jan.', calls });
    expect(agent().reply('Good day.')).toEqual({ say: 'Good day.', calls: [] });
    expect(openingWords(TEA_HOUSE, '')).toBe('Hello Jan.');
  });

  it('answers the nth utterance by its rule, and other utterances as the default agent', () => {
    const ada = agent();
    ada.reply('Hello.');
    ada.hearSpeech(1);
    expect(ada.reply().say).toContain('I heard you speak for one second. I am Ada');
    ada.hearSpeech(1);
    expect(ada.reply()).toEqual({ say: 'You spoke twice.', calls: [] });
    ada.hearText(keysPressed('*'));
    expect(ada.reply().say).toBe('Hello.');
    ada.hearText(keysPressed('0'));
    expect(ada.reply().say).toBe('You pressed zero. My task is: Sell tea.');
  });

  it('answers keys before speech', () => {
    const ada = agent();
    ada.hearText(keysPressed('5'));
    ada.hearSpeech(2);
    expect(ada.reply()).toEqual({ say: '5 it is.', calls: [{ name: 'send_dtmf', arguments: { digits: '12#' } }] });
  });

  it('fills the arguments of its tools from a text', () => {
    const ada = agent();
    ada.hearText('Where is ORDER 42?');
    expect(ada.reply()).toEqual({
      say: '',
      calls: [
        { name: 'find_order', arguments: { id: '42' } },
        { name: 'note_call', arguments: {} },
      ],
    });
  });

  it.each([
    [{ order: { status: 'shipped', items: [1] } }, 'It is shipped, [1].', 'end_call'],
    [{ error: { code: 'timeout' } }, 'I cannot see it.', 'call_transfer'],
    [{ find: { error: { code: 'timeout' } } }, 'I cannot see it.', 'call_transfer'],
    ['no json', 'It is , .', 'end_call'],
  ])('inserts the result of a tool into its answer: %j', (result, say, tool) => {
    const ada = agent();
    ada.takeToolResult('call_1', 'find_order', typeof result === 'string' ? result : JSON.stringify(result));
    const reply = ada.reply();
    expect(reply.say).toBe(say);
    expect(reply.calls.map(({ name }) => name)).toEqual([tool]);
  });

  it('searches and reads out the result', () => {
    const ada = agent();
    ada.hearText('prices');
    const [request] = ada.reply().calls;
    expect(request).toEqual({ name: 'search_knowledge_base', arguments: { query: 'price of prices' } });
    ada.noteCall('call_1', request!);
    const results = [{ title: 'List', text: 'Tea is three euros.' }];
    ada.takeToolResult('call_1', 'search_knowledge_base', JSON.stringify({ results }));
    expect(ada.reply().say).toBe('I found this in List. Tea is three euros.');
  });

  it('speaks after the idle time of a rule', () => {
    const ada = agent();
    expect(ada.idleSeconds).toEqual([4]);
    ada.noteIdle(4);
    expect(ada.reply().say).toBe('Hello?');
  });

  it('hears a turn with pauses as one utterance of their whole length', () => {
    const ada = agent();
    ada.hearText('[speech 0.6 s] [speech 0.8 s]');
    ada.continueConversation();
    ada.hearText('[speech 0.6 s] [speech 0.8 s]');
    expect(ada.reply().say).toBe('You spoke twice.');
  });

  it('counts utterances of an earlier connection', () => {
    const ada = agent();
    ada.hearText('[speech 1.2 s]');
    ada.continueConversation();
    expect(ada.reply().say).toBe('Sorry, I was away for a moment. Please go on.');
    ada.hearSpeech(1);
    expect(ada.reply().say).toBe('You spoke twice.');
  });
});

it.each<[unknown, string]>([
  ['text', ''],
  [{ rules: [{ on: {}, say: 'x' }] }, 'rules.0.on: needs exactly one trigger'],
  [{ rules: [{ on: { speech: 1, tool: 'x' }, say: 'x' }] }, 'rules.0.on: needs exactly one trigger'],
  [{ rules: [{ on: { speech: 1, failed: true }, say: 'x' }] }, 'rules.0.on.failed: goes with tool only'],
  [{ rules: [{ on: 'opening' }] }, 'rules.0: does nothing'],
  [{ rules: [{ on: { digits: 'x' }, say: 'x' }] }, 'rules.0.on.digits'],
  [{ rules: [{ on: { text: '(?=x)' }, say: 'x' }] }, 'rules.0.on.text: is no pattern'],
  [{ rules: [{ on: 'opening', say: 'x'.repeat(2_001) }] }, 'rules.0.say'],
  [{ faults: [{ do: 'disconnect' }] }, 'faults.0: say when'],
  [{ faults: [{ do: 'explode' }] }, 'faults.0.do'],
  [{ metadata: { text: 'x'.repeat(70_000) } }, ': longer than 65536 characters'],
])('a script is refused: %j', (script, problem) => {
  const problems = scriptProblems(script);
  expect(problems.map((one) => one.slice(0, problem.length))).toContain(problem);
});

it('the scripts of the documentation can be played', () => {
  const blocks = [...readFileSync('docs/sandbox-agent.md', 'utf8').matchAll(/```yaml\n([^`]*)```/g)];
  expect(blocks).toHaveLength(3);
  expect(blocks.flatMap(([, yaml = '']) => scriptProblems(parse(yaml)))).toEqual([]);
});
