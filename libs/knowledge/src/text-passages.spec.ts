import { describe, expect, it } from '@jest/globals';
import { QUESTION_LANGUAGES, questionedParagraphs, type QuestionSet } from '../../../test/support/questions.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { largeOnly } from '../../../test/support/test-data.js';
import type { Chunk } from './blocks.js';
import { chunkText } from './text-passages.js';

const MARKED = [
  'word',
  '**bold**',
  '*words*',
  '`code`',
  '[a link](https://example.com/x)',
  'snake_case',
  'über',
  '中文。',
  'End.',
];

/** Markdown with every kind of block, in which every word is marked up and followed by a unique number. */
function markdownOf(random: SeededRandom): string {
  let count = 0;
  const words = (most: number): string =>
    Array.from({ length: random.int(1, most) }, () => `${random.pick(MARKED)} n${count++}`).join(' ');
  const row = (): string => `| ${words(4)} | ${words(4)} |`;
  const shapes = [
    () => `${'#'.repeat(random.int(1, 4))} ${words(3)}`,
    () => words(60),
    () => words(900),
    () => Array.from({ length: 5 }, () => `  * ${words(9)}`).join('\n'),
    () => Array.from({ length: 5 }, () => `> ${words(20)}`).join('\r\n'),
    () => `\`\`\`\n${words(30)}\n\n${words(30)}\n\`\`\``,
    () => [row(), '|---|---|', ...Array.from({ length: random.int(1, 40) }, row)].join('\n'),
  ];
  return Array.from({ length: random.int(1, 25) }, () => random.pick(shapes)()).join('\n\n');
}

const numbersOf = (text: string): string[] => text.match(/\bn\d+\b/g) ?? [];

const columnsOf = (content: string): string[] => (content.match(/^.*\n\|---/gm) ?? []).flatMap(numbersOf);

/** Words of table headers are repeated in many chunks. */
function expectFoundAgain(content: string, chunks: Chunk[]): void {
  const columns = new Set(columnsOf(content));
  for (const { text, start, end } of chunks) {
    const found = new Set(numbersOf(content.slice(start, end)));
    const numbers = numbersOf(text);
    const outer = [numbers[0]!, numbers.at(-1)!].filter((number) => !columns.has(number));
    expect(outer.filter((number) => !found.has(number))).toEqual([]);
  }
}

describe('the chunks of a text', () => {
  it('have offsets into the text and the path of their headings', async () => {
    const content = '# House rules\n\n**Pets** are [welcome](https://example.com).\n';
    const [chunk] = await chunkText(content);
    expect(chunk).toMatchObject({ headingPath: ['House rules'], text: 'Pets are welcome.' });
    expect(content.slice(chunk!.start, chunk!.end)).toBe('**Pets** are [welcome](https://example.com).');
  });

  it.each(Array.from({ length: 25 }, (_, n) => n))(
    'contain every word of random Markdown (seed %i) and lead back to it',
    async (seed) => {
      const content = markdownOf(new SeededRandom(seed));
      const chunks = await chunkText(content);
      const found = new Set(chunks.flatMap(({ text, headingPath }) => numbersOf([...headingPath, text].join(' '))));
      expect(numbersOf(content).filter((number) => !found.has(number))).toEqual([]);
      expectFoundAgain(content, chunks);
    },
  );

  it('are empty for a blank text', async () => {
    expect(await chunkText(' \n\n')).toEqual([]);
  });

  it('are produced without blocking the event loop', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await chunkText(markdownOf(new SeededRandom('long')).repeat(200));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

/** Direction marks, which extraction removes. */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e]/g;

describe.each<[QuestionSet, number]>([['handbook', 2], ...largeOnly<[QuestionSet, number]>(['xquad', 101])])(
  'the chunks of plain texts in many languages (%s)',
  (set, fewest) => {
    it.each(QUESTION_LANGUAGES)('are excerpts of the text: %s', async (language) => {
      const content = questionedParagraphs(set, language)
        .map(({ text }) => text)
        .join('\n\n');
      const chunks = await chunkText(content);
      expect(chunks.length).toBeGreaterThanOrEqual(fewest);
      for (const { text, start, end } of chunks) {
        const words = text.split(/\s+/);
        const slice = content.slice(start, end).replace(INVISIBLE, '');
        expect(slice).toContain(words[0]);
        expect(slice).toContain(words.at(-1));
      }
    });
  },
);
