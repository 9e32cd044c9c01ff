import { describe, expect, it } from '@jest/globals';
import { indexTexts, type KnowledgeOfTexts } from '../../test/index-texts.js';
import { knowledgeBaseOf } from './agent-index.js';
import { BestChunks, distinct, fuse, rank } from './ranking.js';
import { queryTerms } from './query-terms.js';

async function ids(query: string, knowledge: KnowledgeOfTexts[], limit = 10): Promise<number[]> {
  const index = await indexTexts(...knowledge);
  const ranked = rank(index, queryTerms(index, [query]), 100);
  return distinct(ranked, limit).map(({ segment, chunk }) => segment.ids[chunk]!);
}

const HOTEL = [
  'Breakfast is served from seven to ten in the restaurant.',
  'Dogs are welcome for twenty euros a night.',
  'The reservation can be cancelled until six on the day of arrival.',
  'Parking costs fifteen euros a night; the garage closes at ten.',
];

/** Each text is a page with a heading; the last page is the expected result. */
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

describe('the lexical search', () => {
  it.each([
    ['by a word', 'breakfast', 0],
    ['by another form of a word', 'cancellation of reservations', 2],
    ['despite a missing letter', 'brekfast', 0],
    ['despite two wrong letters in a long word', 'rezervatoin', 2],
    ['despite swapped letters', 'pakring', 3],
    ['by the rarest word', 'at what time is the garage locked', 3],
  ])('finds a passage %s', async (_how, query, id) => {
    expect((await ids(query, [{ texts: HOTEL }]))[0]).toBe(id);
  });

  it.each(PAGES)('ranks the page about "%s" above pages with its function words', async (question, pages) => {
    const knowledge = Object.entries(pages).map(([title, text]) => ({ title, texts: [text] }));
    expect((await ids(question, knowledge))[0]).toBe(knowledge.length - 1);
  });

  it.each([
    ['numbers', 'room 1235', 'Room 1234 has a balcony.'],
    ['short words', 'cat', 'A bat.'],
    ['a word with too many differences', 'elephant', 'The telegram.'],
  ])('does not match %s as a similar word', async (_what, query, text) => {
    expect((await ids(query, [{ texts: [text, 'Something else.'] }])).length).toBe(query.startsWith('room') ? 1 : 0);
  });

  it('matches the title of the knowledge base', async () => {
    const knowledge = [
      { title: 'Zurich', texts: ['We open at nine.'] },
      { title: 'Geneva', texts: ['We open at ten.'] },
    ];
    expect(await ids('When do you open in Geneva?', knowledge)).toEqual([1, 0]);
  });

  it('weighs a word by its rarity across all knowledge bases of the agent', async () => {
    const knowledge = [
      { texts: ['apple pear', 'apple plum', 'apple fig'] },
      { texts: ['grape and apple', 'pear', 'grape with pear inside'] },
    ];
    expect((await ids('apple grape', knowledge))[0]).toBe(3);
  });

  it('keeps the reading order for equal scores', async () => {
    const texts = ['a red door', 'a red wall', 'a red roof', 'a red lamp'];
    expect(await ids('red', [{ texts }, { texts: ['the red rose'] }])).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns the requested number of passages although most of the best are duplicates', async () => {
    const texts = [...Array.from({ length: 200 }, () => 'red red red'), 'a red door', 'a red wall'];
    expect(await ids('red', [{ texts }], 3)).toEqual([0]);
    const index = await indexTexts({ texts });
    const ranked = rank(index, queryTerms(index, ['red']), 500);
    expect(distinct(ranked, 3).map(({ chunk }) => chunk)).toEqual([0, 200, 201]);
  });

  it('returns no duplicates when a document was uploaded twice', async () => {
    const again = [
      { title: 'Rules', texts: HOTEL },
      { title: 'Rules, copy', texts: HOTEL },
    ];
    expect((await ids('euros a night', again)).toSorted((a, b) => a - b)).toEqual([1, 3]);
  });

  it('returns scores between 0 and 1, best first', async () => {
    const index = await indexTexts({ texts: HOTEL });
    const scores = rank(index, queryTerms(index, ['euros a night for the garage']), 10).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it.each(['', '   ', '?!', '🙂'])('finds nothing for %j', async (query) => {
    expect(await ids(query, [{ texts: HOTEL }])).toEqual([]);
  });
});

/** Unordered scores with many ties. */
const SCORES = Array.from({ length: 500 }, (_, at) => (at * 37) % 23);

describe('the heap of the best scores', () => {
  it.each([1, 2, 7, 40, 500, 600])(
    '%i of them are those that sorting puts first, ties in the order they came',
    (most) => {
      const chosen = new BestChunks(most);
      let least = 0;
      SCORES.forEach((score, at) => {
        if (score > least) least = chosen.offer(at, score);
      });
      const sorted = SCORES.map((score, at) => ({ at, score })).filter(({ score }) => score > 0);
      sorted.sort((a, b) => b.score - a.score || a.at - b.at);
      expect(chosen.inOrder()).toEqual(sorted.slice(0, most));
    },
  );

  it('is empty if nothing was offered', () => {
    expect(new BestChunks(0).inOrder()).toEqual([]);
  });
});

describe('the score of a passage', () => {
  const scoreOf = async (query: string): Promise<number> => {
    const index = await indexTexts({ texts: HOTEL });
    return rank(index, queryTerms(index, [query]), 1)[0]!.score;
  };

  it('is the share of the whole query: words that no passage has lower it', async () => {
    const whole = await scoreOf('parking garage');
    expect(await scoreOf('parking garage helicopter submarine')).toBeLessThan(whole * 0.7);
  });

  it('is not ruined by one unknown word where there is a single passage', async () => {
    const index = await indexTexts({ texts: ['Parking costs fifteen euros a night.'] });
    const [known] = rank(index, queryTerms(index, ['parking costs']), 1);
    const [unknown] = rank(index, queryTerms(index, ['parking costs somewhere']), 1);
    expect(unknown!.score).toBeGreaterThan(known!.score * 0.6);
  });

  it('is above zero for a word of every passage beside an unknown one', async () => {
    const index = await indexTexts({ texts: Array.from({ length: 85 }, (_, at) => `A parcel takes ${at} days.`) });
    expect(rank(index, queryTerms(index, ['how long does a parcel take']), 5)).toHaveLength(5);
  });

  it('of a question of column names finds rows, although every row has them, and a value among them decides', async () => {
    const texts = Array.from({ length: 70_000 }, (_, at) => `Name: lamp ${at} | Price: ${at % 7} | Stock: ${at % 5}`);
    const index = await indexTexts({ texts });
    const found = (query: string) =>
      rank(index, queryTerms(index, [query]), 5).map(({ segment, chunk }) => segment.ids[chunk]);
    expect(found('name price stock lamp')).toHaveLength(5);
    expect(found('name, price and stock of lamp 69123')[0]).toBe(69_123);
  });

  it('is not lowered by a misspelled word that was found', async () => {
    expect(await scoreOf('parking garagge')).toBeGreaterThan((await scoreOf('parking helicopter')) * 1.2);
  });
});

describe('several wordings of a question', () => {
  const found = async (queries: string[]): Promise<(readonly [chunk: number, score: number])[]> => {
    const index = await indexTexts({ texts: HOTEL });
    return rank(index, queryTerms(index, queries), 10).map(({ chunk, score }) => [chunk, score] as const);
  };

  it('find the passage that matches one of them', async () => {
    const [best] = await found(['Kann ich mein Auto abstellen?', 'vehicle storage', 'parking in the garage']);
    expect(best![0]).toBe(3);
  });

  it('count equally, although one is much longer', async () => {
    const long = 'dogs dogs welcome welcome twenty euros night dogs are welcome for twenty euros a night'.repeat(5);
    const scores = new Map(await found([long, 'parking garage']));
    expect(scores.get(3)! / scores.get(1)!).toBeGreaterThan(0.5);
  });

  it('have the result of the question alone if it is asked twice', async () => {
    const twice = await found(['parking garage', 'parking garage']);
    for (const [at, [chunk, score]] of (await found(['parking garage'])).entries()) {
      expect(twice[at]![0]).toBe(chunk);
      expect(twice[at]![1]).toBeCloseTo(score, 10);
    }
  });
});

describe('a search in some of the knowledge bases', () => {
  it('ranks only their passages, however many better ones the others have', async () => {
    const index = await indexTexts(
      { texts: Array.from({ length: 300 }, () => 'Parking parking parking.') },
      { texts: ['Breakfast from seven.', 'Parking is behind the house.'] },
    );
    const terms = queryTerms(index, ['parking']);
    const found = (among?: number[]) =>
      rank(index, terms, 3, { among: among && new Set(among) }).map((place) => [knowledgeBaseOf(place), place.chunk]);
    expect(found([2])).toEqual([[2, 1]]);
    expect(found([])).toEqual([]);
    expect(found([3])).toEqual([]);
    expect(found([1, 2])).toEqual(found());
    expect(found().map(([base]) => base)).toEqual([1, 1, 1]);
  });
});

describe('words and vectors together', () => {
  const QUERY = 'What does parking cost?';

  /** Fifty passages of which those named are as similar to the question as given, the others as unrelated texts are. */
  async function fused(query: string, similarities: Record<number, number>, texts = HOTEL) {
    const others = Array.from({ length: 50 - texts.length }, (_, n) => `Unrelated remark ${'x'.repeat(n + 5)}.`);
    const index = await indexTexts({ texts: [...texts, ...others] });
    const [segment] = index.segments;
    const near = Array.from({ length: 50 }, (_, chunk) => ({
      ...{ segment: segment!, chunk },
      similarity: similarities[chunk] ?? 0.2 + chunk / 10_000,
    })).sort((a, b) => b.similarity - a.similarity);
    const nearest = near.slice(0, 40);
    const lexical = rank(index, queryTerms(index, [query]), 40, { also: nearest });
    return fuse(lexical, [nearest]).map(({ chunk, matched, score }) => ({ chunk, matched, score }));
  }

  it.each<[string, string, Record<number, number>, [chunk: number, matched: string]]>([
    ['leaves the order of the words if no passage is nearer than others', QUERY, { 0: 0.21, 1: 0.22 }, [3, 'words']],
    ['puts a passage without a word of the question first that is far nearer', QUERY, { 1: 0.8 }, [1, 'meaning']],
    ['says that both found the best passage', QUERY, { 3: 0.7, 1: 0.4 }, [3, 'both']],
    ['does not take function words for words', 'What does it do at ten?', { 1: 0.7 }, [1, 'meaning']],
    ['trusts words that cover the question', 'Parking costs fifteen euros a night', { 0: 0.6, 3: 0.3 }, [3, 'words']],
  ])('%s', async (_, query, similarities, [chunk, matched]) => {
    expect((await fused(query, similarities))[0]).toMatchObject({ chunk, matched });
  });

  it('a near passage keeps its score by words although it is not among the best by words', async () => {
    const texts = [
      ...Array.from({ length: 45 }, () => 'Parking parking costs.'),
      'Parking is behind the house, and costs nothing.',
    ];
    expect((await fused(QUERY, { 45: 0.9 }, texts))[0]).toMatchObject({ chunk: 45, matched: 'both' });
  });

  it('a single passage is found by its meaning', async () => {
    const index = await indexTexts({ texts: ['Refunds are paid within 30 days.'] });
    const near = [{ segment: index.segments[0]!, chunk: 0, similarity: 0.6 }];
    const terms = queryTerms(index, ['How do I get my money back?']);
    expect(fuse(rank(index, terms, 40, { also: near }), [near])).toMatchObject([{ chunk: 0, matched: 'meaning' }]);
  });

  it('without vectors the order is that of the words', async () => {
    const index = await indexTexts({ texts: HOTEL });
    const found = fuse(rank(index, queryTerms(index, [QUERY]), 10), []);
    expect(found.map(({ chunk, matched }) => [chunk, matched])).toEqual([[3, 'words']]);
  });

  it('the mean of several queries counts', async () => {
    const index = await indexTexts({ texts: HOTEL });
    const place = (chunk: number, similarity: number) => ({ segment: index.segments[0]!, chunk, similarity });
    const near = [
      [place(0, 0.9), place(1, 0.8), place(2, 0.1)],
      [place(1, 0.9), place(2, 0.2), place(0, 0.1)],
    ];
    const found = fuse(rank(index, queryTerms(index, ['?']), 10, { also: near[0]! }), near);
    expect(found.map(({ chunk }) => chunk)).toEqual([1, 0, 2]);
  });

  it('scores stay between 0 and 1', async () => {
    const found = await fused('garage', { 3: 1.000001, 2: -0.3 });
    expect(found.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    expect(found[0]).toMatchObject({ chunk: 3, matched: 'both' });
  });
});
