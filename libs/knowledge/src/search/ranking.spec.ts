import { describe, expect, it } from '@jest/globals';
import { indexTexts, type KnowledgeOfTexts } from '../../test/index-texts.js';
import { distinct, rank } from './ranking.js';
import { queryTerms } from './query-terms.js';

async function ids(query: string, knowledge: KnowledgeOfTexts[], limit = 10): Promise<number[]> {
  const index = await indexTexts(...knowledge);
  const ranked = rank(index, queryTerms(index, query), 100);
  return distinct(ranked, limit).map(({ segment, chunk }) => segment.ids[chunk]!);
}

const HOTEL = [
  'Breakfast is served from seven to ten in the restaurant.',
  'Dogs are welcome for twenty euros a night.',
  'The reservation can be cancelled until six on the day of arrival.',
  'Parking costs fifteen euros a night; the garage closes at ten.',
];

/** Each text is a page with a heading; the last one is the answer. */
const PAGES: [question: string, pages: Record<string, string>][] = [
  [
    'Where can I park?',
    {
      Wifi: 'Where the signal is weak, tell us: I can show you where to sit.',
      Breakfast: 'You can eat where you like. Can I bring a friend? Yes, you can.',
      Pool: 'Here there were towels; there can be a queue where the showers are.',
      Parking: 'The garage below the house has forty places and costs fifteen euros a night.',
    },
  ],
  [
    'Where do I leave my dog?',
    {
      Wifi: 'The password is on the card in the room. Where it is missing I bring one.',
      Dogs: 'Animals are welcome for twenty euros a night.',
    },
  ],
  [
    'Wo kann ich hier frühstücken?',
    {
      Wlan: 'Das Passwort kann man am Empfang erfragen, wo ich es aufschreibe.',
      Frühstück: 'Von sieben bis zehn im Saal.',
    },
  ],
  [
    'Où est-ce que je peux laisser ma voiture ?',
    {
      Bar: 'Le bar est ouvert le soir ; je peux servir des repas où la vue est belle.',
      Garage: 'Quarante voitures trouvent place sous la maison.',
    },
  ],
];

describe('a search for words', () => {
  it.each([
    ['by a word', 'breakfast', 0],
    ['by another form of it', 'cancellation of reservations', 2],
    ['a letter forgotten', 'brekfast', 0],
    ['two letters wrong in a long word', 'rezervatoin', 2],
    ['neighbours swapped', 'pakring', 3],
    ['by the rarest word', 'at what time is the garage locked', 3],
  ])('finds a passage %s', async (_how, query, id) => {
    expect((await ids(query, [{ texts: HOTEL }]))[0]).toBe(id);
  });

  it.each(PAGES)('finds the page that "%s" is about, not those with its function words', async (question, pages) => {
    const knowledge = Object.entries(pages).map(([title, text]) => ({ title, texts: [text] }));
    expect((await ids(question, knowledge))[0]).toBe(knowledge.length - 1);
  });

  it.each([
    ['numbers', 'room 1235', 'Room 1234 has a balcony.'],
    ['short words', 'cat', 'A bat.'],
    ['what is too far away', 'elephant', 'The telegram.'],
  ])('does not take %s for nearly the same', async (_what, query, text) => {
    expect((await ids(query, [{ texts: [text, 'Something else.'] }])).length).toBe(query.startsWith('room') ? 1 : 0);
  });

  it('finds by the title of the knowledge base', async () => {
    const knowledge = [
      { title: 'Zurich', texts: ['We open at nine.'] },
      { title: 'Geneva', texts: ['We open at ten.'] },
    ];
    expect(await ids('When do you open in Geneva?', knowledge)).toEqual([1, 0]);
  });

  it('weighs a word by how rare it is in all knowledge bases together', async () => {
    const knowledge = [
      { texts: ['apple pear', 'apple plum', 'apple fig'] },
      { texts: ['grape and apple', 'pear', 'grape with pear inside'] },
    ];
    expect((await ids('apple grape', knowledge))[0]).toBe(3);
  });

  it('keeps the reading order among equals', async () => {
    const texts = ['a red door', 'a red wall', 'a red roof', 'a red lamp'];
    expect(await ids('red', [{ texts }, { texts: ['the red rose'] }])).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives as many as are asked for, although most of the best say the same', async () => {
    const texts = [...Array.from({ length: 200 }, () => 'red red red'), 'a red door', 'a red wall'];
    expect(await ids('red', [{ texts }], 3)).toEqual([0]);
    const index = await indexTexts({ texts });
    const ranked = rank(index, queryTerms(index, 'red'), 500);
    expect(distinct(ranked, 3).map(({ chunk }) => chunk)).toEqual([0, 200, 201]);
  });

  it('says nothing twice when a document was uploaded again', async () => {
    const again = [
      { title: 'Rules', texts: HOTEL },
      { title: 'Rules, copy', texts: HOTEL },
    ];
    expect((await ids('euros a night', again)).toSorted((a, b) => a - b)).toEqual([1, 3]);
  });

  it('scores between 0 and 1, the best first', async () => {
    const index = await indexTexts({ texts: HOTEL });
    const scores = rank(index, queryTerms(index, 'euros a night for the garage'), 10).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it.each(['', '   ', '?!', '🙂'])('finds nothing for %j', async (query) => {
    expect(await ids(query, [{ texts: HOTEL }])).toEqual([]);
  });
});
