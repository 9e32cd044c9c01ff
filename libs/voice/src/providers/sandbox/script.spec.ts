import { describe, expect, it } from '@jest/globals';
import { replyTo, type Input } from './script.js';

const agent = { name: 'Ada', instructions: 'Take orders for tea. Be brief.', greeting: 'Tea house, hello.' };
const fresh = { heard: 1, interrupted: false };

describe('the sandbox agent', () => {
  it.each<[Input, string | RegExp, boolean]>([
    [{ kind: 'opening' }, 'Tea house, hello.', false],
    [{ kind: 'digits', digits: '5' }, 'You pressed the key 5.', false],
    [{ kind: 'digits', digits: '12' }, 'You pressed the keys 1, 2.', false],
    [{ kind: 'digits', digits: '#' }, 'You pressed the key pound.', false],
    [{ kind: 'digits', digits: '*' }, 'Tea house, hello.', false],
    [{ kind: 'digits', digits: '0' }, 'You pressed zero. My task is: Take orders for tea.', false],
    [{ kind: 'digits', digits: '9' }, /Goodbye\.$/, true],
    [{ kind: 'speech', seconds: 0.6 }, /^Thank you, I heard you speak for one second\. I am Ada/, false],
    [{ kind: 'text', text: 'Good morning! And more.' }, 'You wrote: Good morning.', false],
  ])('on %j says %s', (input, words, hangUp) => {
    const reply = replyTo(input, agent, fresh);
    expect(reply.say).toMatch(words instanceof RegExp ? words : new RegExp(`^${words.replaceAll(/[.*?]/g, '\\$&')}$`));
    expect(reply.hangUp).toBe(hangUp);
  });

  it('takes its leave after the fourth utterance', () => {
    const speech: Input = { kind: 'speech', seconds: 2 };
    const replies = [1, 2, 3, 4].map((heard) => replyTo(speech, agent, { heard, interrupted: false }));
    expect(replies.map((reply) => reply.hangUp)).toEqual([false, false, false, true]);
    expect(new Set(replies.map((reply) => reply.say)).size).toBe(4);
  });

  it('excuses itself when it was interrupted', () => {
    const reply = replyTo({ kind: 'speech', seconds: 2 }, agent, { heard: 1, interrupted: true });
    expect(reply.say).toMatch(/^Sorry, I did not mean to talk over you\./);
  });

  it('without a greeting or instructions still has something to say', () => {
    const bare = { name: 'Ada', instructions: '', greeting: ' ' };
    expect(replyTo({ kind: 'opening' }, bare, fresh).say).toBe('Hello, this is Ada.');
    expect(replyTo({ kind: 'digits', digits: '0' }, bare, fresh).say).toContain('I was given no task.');
  });
});
