import { describe, expect, it } from '@jest/globals';
import { replyTo, type Input, type Reply } from './default-agent.js';

const agent = { name: 'Ada', instructions: 'Take orders for tea. Be brief.', greeting: 'Tea house, hello.' };
const fresh = { heard: 1, interrupted: false, canTransfer: false, canAccept: false, canSearch: false };

describe('the default sandbox agent', () => {
  it.each<[Input, string | RegExp, Reply['then']]>([
    [{ kind: 'opening' }, 'Tea house, hello.', undefined],
    [{ kind: 'digits', digits: '5' }, 'You pressed the key 5.', undefined],
    [{ kind: 'digits', digits: '12' }, 'You pressed the keys 1, 2.', undefined],
    [{ kind: 'digits', digits: '#' }, 'You pressed the key pound.', undefined],
    [{ kind: 'digits', digits: '*' }, 'Tea house, hello.', undefined],
    [{ kind: 'digits', digits: '0' }, 'You pressed zero. My task is: Take orders for tea.', undefined],
    [{ kind: 'digits', digits: '9' }, /Goodbye\.$/, 'end_call'],
    [{ kind: 'digits', digits: '8' }, 'You pressed the key 8.', undefined],
    [{ kind: 'tool_result', failed: true }, 'I am sorry, that did not work.', undefined],
    [{ kind: 'speech', seconds: 0.6 }, /^Thank you, I heard you speak for one second\. I am Ada/, undefined],
    [{ kind: 'text', text: 'Good morning! And more.' }, 'You wrote: Good morning.', undefined],
  ])('answers %j with %s', (input, words, then) => {
    const reply = replyTo(input, agent, fresh);
    expect(reply.say).toMatch(words instanceof RegExp ? words : new RegExp(`^${words.replaceAll(/[.*?]/g, '\\$&')}$`));
    expect(reply.then).toBe(then);
  });

  it('transfers the call on the key 8 when transfers are enabled', () => {
    const reply = replyTo({ kind: 'digits', digits: '8' }, agent, { ...fresh, canTransfer: true });
    expect(reply).toEqual({ say: 'One moment, I am connecting you.', then: 'call_transfer' });
  });

  const reader = { ...fresh, canSearch: true };

  it.each<[Input, string]>([
    [{ kind: 'digits', digits: '4711' }, '4711'],
    [{ kind: 'text', text: 'What does it cost?' }, 'What does it cost?'],
  ])('looks up %j when it has knowledge bases', (input, query) => {
    expect(replyTo(input, agent, reader)).toEqual({ say: '', lookUp: query });
    expect(replyTo(input, agent, fresh).lookUp).toBeUndefined();
  });

  it.each<Input>([
    { kind: 'digits', digits: '5' },
    { kind: 'digits', digits: '1*' },
    { kind: 'text', text: 'Good morning!' },
  ])('does not look up %j', (input) => {
    expect(replyTo(input, agent, reader)).toEqual(replyTo(input, agent, fresh));
  });

  it('reads out the best passage with its title, and says when there is none', () => {
    const passages = [
      { title: 'Price list', text: 'All our prices.\nArticle: 4711\nArticle 4711 costs three euros. More.' },
      { title: 'Other', text: 'No.' },
    ];
    const say = (query: string, found = passages): string =>
      replyTo({ kind: 'found', query, passages: found }, agent, reader).say;
    expect(say('4711')).toBe('I found this in Price list. Article 4711 costs three euros.');
    expect(say('What does it cost?')).toBe('I found this in Price list. All our prices.');
    expect(say('4711', [])).toBe('I found nothing about that.');
  });

  it('offers in its menu to look up numbers only when it has knowledge bases', () => {
    const speech: Input = { kind: 'speech', seconds: 2 };
    expect(replyTo(speech, agent, reader).say).toContain('Type a number and pound, and I will look it up.');
    expect(replyTo(speech, agent, fresh).say).not.toContain('pound');
  });

  it('says goodbye after the fourth utterance', () => {
    const speech: Input = { kind: 'speech', seconds: 2 };
    const replies = [1, 2, 3, 4].map((heard) => replyTo(speech, agent, { ...fresh, heard }));
    expect(replies.map((reply) => reply.then)).toEqual([undefined, undefined, undefined, 'end_call']);
    expect(new Set(replies.map((reply) => reply.say)).size).toBe(4);
  });

  it('apologises after an interruption', () => {
    const reply = replyTo({ kind: 'speech', seconds: 2 }, agent, { ...fresh, interrupted: true });
    expect(reply.say).toMatch(/^Sorry, I did not mean to talk over you\./);
  });

  it('greets and answers without a configured greeting or instructions', () => {
    const bare = { name: 'Ada', instructions: '', greeting: ' ' };
    expect(replyTo({ kind: 'opening' }, bare, fresh).say).toBe('Hello, this is Ada.');
    expect(replyTo({ kind: 'digits', digits: '0' }, bare, fresh).say).toContain('I was given no task.');
  });
});
