import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { describeWithData } from '../../../../test/support/describe-with-data.js';
import { dataPath } from '../../../../test/support/test-data.js';
import type { Block } from '../blocks.js';
import { extractPdf } from './pdf.js';

/** `[kind, text]` in order: headings, paragraphs, lists and tables. */
type Truth = Record<string, (['h' | 'p', string] | ['l', string[]] | ['t', string[][]])[]>;

const NAMES = ['en_one', 'en_two', 'de_one', 'de_two', 'ru_one', 'ru_two', 'zh_one', 'zh_two'];

async function extracted(...path: string[]): Promise<Block[]> {
  const blocks: Block[] = [];
  await extractPdf(dataPath('documents', ...path), (block) => blocks.push(block));
  return blocks;
}

const bare = (text: string): string => text.normalize('NFKC').replace(/\s/g, '');

const textOf = (block: Block): string =>
  bare(block.kind === 'row' ? block.cells.join('') : block.text.replace(/^- /, ''));

describeWithData('PDFs of a text processor', () => {
  const truth = (name: string) =>
    (JSON.parse(readFileSync(dataPath('documents', 'made', 'truth.json'), 'utf8')) as Truth)[name]!;

  it.each(NAMES)('%s: headings with their levels, and everything in order', async (name) => {
    const blocks = await extracted('made', `${name}.pdf`);
    const headings = truth(name).flatMap(([kind, text]) => (kind === 'h' ? [bare(text)] : []));
    const found = blocks.flatMap((block) => (block.kind === 'heading' && block.level < 3 ? [block] : []));
    expect(found.map(textOf)).toEqual(headings);
    expect(found.map(({ level, text }) => [level, text])).toEqual(
      found.map(({ text }) => [/^\d+\. /.test(text) ? 1 : 2, text]),
    );
    const whole = blocks.map(textOf).join('');
    const starts = truth(name).flatMap(([kind, text]) =>
      kind === 'h' || kind === 'p' ? [bare(text).slice(0, 30)] : [],
    );
    let from = 0;
    const outOfOrder = starts.filter((start) => {
      const at = whole.indexOf(start, from);
      if (at >= 0) from = at + start.length;
      return at < 0;
    });
    expect(outOfOrder).toEqual([]);
  });

  it('has nearly all paragraphs whole, across lines, columns and pages', async () => {
    const wholes = await Promise.all(
      NAMES.map(async (name) => {
        const texts = new Set((await extracted('made', `${name}.pdf`)).map(textOf));
        return truth(name).flatMap(([kind, text]) => (kind === 'p' ? [texts.has(bare(text))] : []));
      }),
    );
    const all = wholes.flat();
    expect(all.filter((whole) => whole).length / all.length).toBeGreaterThan(0.95);
  });

  it.each([
    ['testExtraSpaces.pdf', 'Here is some formatted text'],
    ['testOverlappingText.pdf', 'Text the first time Text the second time'],
  ])('%s is read as a person reads it', async (name, text) => {
    expect(
      (await extracted('real', name)).map((block) => (block.kind === 'row' ? '' : block.text)).join('\n'),
    ).toContain(text);
  });

  it('reads what only its owner may change, and says what is scanned', async () => {
    expect((await extracted('real', 'testPDF_protected.pdf')).length).toBeGreaterThan(100);
    await expect(extracted('real', 'testOCR.pdf')).rejects.toMatchObject({ code: 'NO_TEXT_SCANNED' });
  });
});
