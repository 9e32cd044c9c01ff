import { describe, expect, it } from '@jest/globals';
import { isPronounceable, PronunciationDictionary } from './pronunciation.js';

const DICTIONARY = new PronunciationDictionary([
  { text: 'SQL', spoken: 'sequel' },
  { text: 'SQL Server', spoken: 'sequel server' },
  { text: 'Müller', spoken: 'Miller' },
  { text: 'C++', spoken: 'see plus plus' },
  { text: '.NET', spoken: 'dot net' },
  { text: 'St. Gallen', spoken: 'Sankt Gallen' },
  { text: '重慶', spoken: '重庆' },
  { text: 'Straße', spoken: 'Street' },
  { text: '$5', spoken: 'five dollars' },
  { text: 'a', spoken: '$& (ay)' },
]);

describe('the pronunciation dictionary', () => {
  it.each([
    ['We use SQL here.', 'We use sequel here.'],
    ['We use sql server, SQL.', 'We use sequel server, sequel.'],
    ['MySQL and SQLite stay.', 'MySQL and SQLite stay.'],
    ['Frau MÜLLER und Müllers', 'Frau Miller und Müllers'],
    ['Frau Mu\u0308ller', 'Frau Miller'],
    ['C++ and .NET, not C.', 'see plus plus and dot net, not C.'],
    ['in St.  Gallen', 'in Sankt Gallen'],
    ['我在重慶市', '我在重庆市'],
    ['It costs $5!', 'It costs five dollars!'],
    ['What a day', 'What $& (ay) day'],
    ['Great 👍🏽!', 'Great !'],
    ['Press 1️⃣, #️⃣ or 🔟 🇩🇪.', 'Press 1, # or 10 .'],
  ])('%s is spoken as %s', (written, spoken) => expect(DICTIONARY.apply(written)).toBe(spoken));

  it('without entries the text stays as it is', () =>
    expect(new PronunciationDictionary().apply('SQL (x)')).toBe('SQL (x)'));

  it.each([
    ['Yes.', true],
    ['是', true],
    ['5', true],
    ['🔟', true],
    ['👍', false],
    ['...', false],
    ['', false],
  ])('%s has something to say: %s', (text, expected) => expect(isPronounceable(text)).toBe(expected));
});
