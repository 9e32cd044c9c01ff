import { describe, expect, it } from '@jest/globals';
import {
  QUESTION_LANGUAGES,
  QUESTION_SETS,
  questionedParagraphs,
  type QuestionLanguage,
} from '../../../../test/support/questions.js';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { type Block, type Chunk, toIndexedText, type Table } from '../blocks.js';
import { Chunker } from './chunker.js';
import { estimateTokens } from './text-measures.js';

const SEEDS = Array.from({ length: 60 }, (_, n) => n);
const SYLLABLES = ['ba', 'ko', 'Li', 'mé', 'straße', 'до', 'при', '中', '文字', 'กา', 'ไทย', 'سلام', 'हि', 'x', '7'];
const ENDS = ['. ', '. ', '! ', '。', '؟ ', ', ', ' ', '\n'];

interface Made {
  source: string;
  blocks: Block[];
}

/** A document of random shape whose words are all different; its text is its own source. */
class Maker {
  source = '';
  readonly blocks: Block[] = [];
  private count = 0;

  constructor(private readonly random: SeededRandom) {}

  make(): Made {
    for (let left = this.random.int(1, 40); left > 0; left--) this.add();
    return this;
  }

  private add(): void {
    const shape = this.random.next();
    if (shape < 0.3) this.write('heading', this.words(this.random.int(1, 6)).replaceAll('\n', ' ').trim());
    else if (shape < 0.85) this.write('paragraph', this.words(this.size()).trim());
    else this.table();
  }

  private size(): number {
    return this.random.pick([2, 10, 10, 40, 40, 100, 600]);
  }

  private write(kind: 'heading' | 'paragraph', text: string): void {
    const offset = this.source.length;
    this.source += `${text}\n\n`;
    this.blocks.push(
      kind === 'heading' ? { kind, text, offset, level: this.random.int(1, 4) } : { kind, text, offset },
    );
  }

  private table(): void {
    const columns = this.random.int(1, 8);
    const cell = (): string =>
      this.words(this.random.pick([0, 1, 2, 5, 5, 80]))
        .replaceAll('\n', ' ')
        .trim();
    const header = Array.from({ length: columns }, () => this.word());
    const table: Table = { header, style: this.random.pick(['grid', 'record']), offset: this.source.length };
    this.source += `| ${header.join(' | ')} |\n`;
    for (let number = 1; number <= this.random.int(1, 30); number++) {
      const cells = Array.from({ length: columns }, cell);
      const line = `| ${cells.join(' | ')} |\n`;
      this.blocks.push({ kind: 'row', table, cells, number, offset: this.source.length, length: line.length });
      this.source += line;
    }
  }

  private words(count: number): string {
    return Array.from({ length: count }, () => this.word() + this.random.pick(ENDS)).join('');
  }

  private word(): string {
    const syllables = Array.from({ length: this.random.int(1, 3) }, () => this.random.pick(SYLLABLES));
    return `${syllables.join('')}${(this.count++).toString(36)}z`;
  }
}

const madeWith = (seed: number): Made => new Maker(new SeededRandom(seed)).make();

function chunksOf(blocks: Block[]): Chunk[] {
  const chunker = new Chunker();
  return [...blocks.flatMap((block) => chunker.add(block)), ...chunker.end()];
}

const wordsOf = (text: string): string[] => text.split(/[\s|。]+/).filter((word) => word !== '' && word !== '؟');

/** Column names without a value are left out. */
const textsOf = (block: Block): string[] =>
  block.kind === 'row'
    ? block.cells.flatMap((cell, n) => (cell === '' ? [] : [block.table.header[n] ?? '', cell]))
    : [block.text];

/** The first and last word of a chunk, which its offsets must contain; names of columns are repeated in many chunks. */
function outerWords({ text }: Chunk, columns: Set<string>): string[] {
  const words = wordsOf(text);
  return [words[0]!, words.at(-1)!].filter((word) => !columns.has(bare(word)));
}

const bare = (word: string): string => word.replace(/:$/, '');

describe.each(SEEDS)('the chunks of a random document (seed %i)', (seed) => {
  const { source, blocks } = madeWith(seed);
  const chunks = chunksOf(blocks);

  it('contain every word, in order, within the token limit', () => {
    const found = new Map<string, number>();
    for (const { ordinal, text, headingPath } of chunks) {
      for (const word of wordsOf([...headingPath, text].join(' '))) found.set(bare(word), found.get(word) ?? ordinal);
    }
    const words = blocks.flatMap(textsOf).flatMap(wordsOf);
    expect(words.filter((word) => !found.has(bare(word)))).toEqual([]);
    expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, n) => n));
    for (const [n, { text, tokens, start }] of chunks.entries()) {
      // The sum of the pieces, each weighed as if it came first.
      expect(tokens).toBeGreaterThanOrEqual(estimateTokens(text));
      expect(tokens).toBeLessThanOrEqual(estimateTokens(text) * 1.1 + 1);
      expect(tokens).toBeLessThanOrEqual(480);
      expect(start).toBeGreaterThanOrEqual(chunks[n - 1]?.start ?? 0);
    }
  });

  it('have offsets that lead back to their words in the source', () => {
    const columns = new Set(blocks.flatMap((block) => (block.kind === 'row' ? block.table.header : [])));
    for (const chunk of chunks) {
      const slice = source.slice(chunk.start, chunk.end);
      for (const word of outerWords(chunk, columns)) expect(slice).toContain(word);
    }
  });

  it('split no row and repeat the header of every table', () => {
    for (const row of blocks.filter((block) => block.kind === 'row')) {
      const { header, style } = row.table;
      const cells = row.cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
      const record = cells.flatMap((cell, n) => (cell === '' ? [] : [`${header[n]}: ${cell}`])).join('\n');
      if (record === '' || estimateTokens(record) > 380) continue;
      const line = style === 'grid' ? cells.join(' | ') : record;
      const chunk = chunks.find(({ text }) => text.includes(line));
      expect(chunk?.text ?? '').toContain(line);
      expect(chunk?.text.split(line)[0]).toContain(style === 'grid' ? header.join(' | ') : '');
    }
  });

  it('are the same when the document is chunked again', () => {
    expect(chunksOf(structuredClone(blocks))).toEqual(chunks);
  });
});

const oneSpace = (text: string): string => text.replace(/\s+/g, ' ');

function textOf(paragraphs: string[]): Made {
  let source = '';
  const blocks = paragraphs.map((text): Block => {
    const offset = source.length;
    source += `${text}\n\n`;
    return { kind: 'paragraph', text, offset };
  });
  return { source, blocks };
}

describe.each(QUESTION_SETS)('the chunks of texts in many languages (%s)', (set) => {
  const textsIn = (language: QuestionLanguage): string[] => questionedParagraphs(set, language).map(({ text }) => text);

  it.each(QUESTION_LANGUAGES)('have offsets that lead back to their text: %s', (language) => {
    const { source, blocks } = textOf(textsIn(language));
    for (const { text, start, end, tokens } of chunksOf(blocks)) {
      expect(oneSpace(source.slice(start, end))).toBe(oneSpace(text));
      expect(tokens).toBeLessThanOrEqual(480);
    }
  });

  it('change only near a changed paragraph', () => {
    const paragraphs = textsIn('en').slice(0, 200);
    const before = new Set(indexed(paragraphs));
    const changed = paragraphs.map((_, n) => {
      const after = indexed(paragraphs.with(n, `${paragraphs[n]} One more sentence, which changes this paragraph.`));
      return after.filter((text) => !before.has(text)).length;
    });
    expect(Math.max(...changed)).toBeLessThanOrEqual(8);
    expect(changed.reduce((sum, count) => sum + count) / changed.length).toBeLessThanOrEqual(2.5);
  });
});

const indexed = (paragraphs: string[]): string[] =>
  chunksOf(textOf(paragraphs).blocks).map((chunk) => toIndexedText(chunk, 'Title'));
