import { describe, expect, it } from '@jest/globals';
import { ConversationSecrets, type Speaker } from './conversation-secrets.js';
import { SECRET_KINDS } from './redaction.js';

type Line = [speaker: Speaker, text: string];

function transcript(lines: readonly Line[]): string[] {
  const secrets = new ConversationSecrets({ kinds: [...SECRET_KINDS], custom: [] });
  const said = lines.map(([speaker, text]) => secrets.add(speaker, text));
  secrets.closeAll();
  return said.map((one) => one.redacted.text);
}

const STORIES: [string, Line[], string[]][] = [
  [
    'a card that is said in two turns',
    [
      ['user', 'It is 4111 1111.'],
      ['agent', 'Go on.'],
      ['user', '1111 1111, that is it.'],
    ],
    ['It is [card].', 'Go on.', '[card], that is it.'],
  ],
  [
    'a card in four turns, each of which the agent repeats',
    [
      ['user', 'four one one one'],
      ['agent', 'Four one one one.'],
      ['user', 'one one one one'],
      ['agent', 'One one one one, yes.'],
      ['user', 'one one one one'],
      ['agent', 'One one one one.'],
      ['user', 'and one one one one'],
      ['agent', 'So it is 4111 1111 1111 1111.'],
    ],
    ['[card]', '[card].', '[card]', '[card].', '[card]', '[card].', '[card]', 'So it is [card].'],
  ],
  [
    'the last four digits of a card that the agent repeats',
    [
      ['user', 'My card is 5555 5555 5555 4444'],
      ['agent', 'The card that ends in 4444, is that right?'],
    ],
    ['My card is [card]', 'The card that ends in [card], is that right?'],
  ],
  [
    'an IBAN in three turns with a hesitation',
    [
      ['user', 'DE89 3704'],
      ['agent', 'Yes?'],
      ['user', 'Uhm, wait a second.'],
      ['user', '0044 0532'],
      ['agent', 'Mhm.'],
      ['user', '0130 00'],
    ],
    ['[iban]', 'Yes?', 'Uhm, wait a second.', '[iban]', 'Mhm.', '[iban]'],
  ],
  [
    'an e-mail address in two turns',
    [
      ['user', 'anna dot miller'],
      ['user', 'at example dot com'],
    ],
    ['[email]', '[email]'],
  ],
  [
    'a PIN that is announced in the turn before',
    [
      ['user', 'My PIN is'],
      ['user', 'four eight two one.'],
    ],
    ['My PIN is', '[password].'],
  ],
  [
    'the answer to a question for a password, and its repetition',
    [
      ['agent', 'What is your password?'],
      ['user', 'Sunflower.'],
      ['agent', 'Is it sunflower with a capital letter?'],
    ],
    ['What is your password?', '[password].', 'Is it [password] with a capital letter?'],
  ],
  [
    'a card on the keypad',
    [
      ['agent', 'Please enter your card number.'],
      ['keys', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ],
    ['Please enter your card number.', '[card]'],
  ],
  [
    'a complete secret at the end of a turn, and another one in the next',
    [
      ['user', 'My card is 4111 1111 1111 1111'],
      ['user', '5555 5555 5555 4444'],
    ],
    ['My card is [card]', '[card]'],
  ],
  [
    'a card that is never finished',
    [
      ['agent', 'What is your card number?'],
      ['user', '4111 1111 11'],
      ['agent', 'Hello?'],
    ],
    ['What is your card number?', '[digits]', 'Hello?'],
  ],
  [
    'numbers that are no secret',
    [
      ['user', 'My order number is 48213377.'],
      ['agent', 'Order 48213377, for 2 people at 14:30?'],
      ['user', 'For 3.'],
      ['user', '15:30 please.'],
    ],
    ['My order number is 48213377.', 'Order 48213377, for 2 people at 14:30?', 'For 3.', '15:30 please.'],
  ],
];

describe('secrets of a conversation', () => {
  it.each(STORIES)('%s', (_name, lines, expected) => {
    expect(transcript(lines)).toEqual(expected);
  });

  it('holds a turn back while its number may go on', () => {
    const secrets = new ConversationSecrets({ kinds: ['card'], custom: [] });
    const first = secrets.add('user', '4111 1111');
    expect([first.isOpen, first.shown.text]).toEqual([true, '[digits]']);
    secrets.add('user', 'Sorry, that was my customer card, I have no other one.');
    expect(first.isOpen).toBe(false);
  });

  it.each([
    'Hello, this is ACME. How can I help you?',
    'This is ACME. We are open at nine.',
    'Have a look at it, please.',
    'That is 3.5 percent plus tax.',
    'The meeting point is here.',
    'Bonjour et bienvenue.',
    'Please give me your e-mail address.',
    'I am at home.',
    'Your appointment is on Monday at 9.',
    'Welcome to acme.com. How can I help you?',
  ])('does not hold back an ordinary sentence: %s', (text) => {
    const secrets = new ConversationSecrets({ kinds: [...SECRET_KINDS], custom: [] });
    expect(secrets.add('agent', text).isOpen).toBe(false);
  });

  it.each([
    ['anna dot miller', ''],
    ['You reach her by anna at example.', ''],
    ['It is anna.miller', ''],
    ['It is anna plus news', 'What is your e-mail address?'],
    ['Mein Konto ist anna at', ''],
    ['It is anna at g m x', ''],
    ['My mail address is anna et example', ''],
    ['My e-mail is anna at example?', ''],
    ['It is anna at example?', 'What is your e-mail address?'],
    ['anna dot miller?', ''],
  ])('holds back an address that is not finished: %s', (text, question) => {
    const secrets = new ConversationSecrets({ kinds: [...SECRET_KINDS], custom: [] });
    secrets.add('agent', question);
    expect(secrets.add('user', text).isOpen).toBe(true);
  });

  it('shows the words of a running turn up to what may become a secret', () => {
    const secrets = new ConversationSecrets({ kinds: [...SECRET_KINDS], custom: [] });
    const shown = (text: string): string => secrets.running('user', text);
    expect(shown('I would like to pay with')).toBe('I would like to pay with');
    expect(shown('I would like to pay with 4111 11')).toBe('I would like to pay with');
    expect(shown('My mail is anna dot')).toBe('My mail is');
    expect(shown('It is 4111 1111 1111 1111 and I')).toBe('It is [card] and I');
  });

  it('takes the keys of JSON as cues, and finds numbers', () => {
    const secrets = new ConversationSecrets({ kinds: [...SECRET_KINDS], custom: [] });
    const args = {
      card: 4111111111111111,
      pin: '4821',
      dateOfBirth: '1980-03-12',
      order_id: '4821337755',
      n: [1, null],
    };
    expect(secrets.redactValue(args)).toEqual({
      value: {
        card: '[card]',
        pin: '[password]',
        dateOfBirth: '[date_of_birth]',
        order_id: '4821337755',
        n: [1, null],
      },
      kinds: ['card', 'password', 'date_of_birth'],
    });
  });
});
