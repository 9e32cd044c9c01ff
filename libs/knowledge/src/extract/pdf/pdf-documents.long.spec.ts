import { describe, expect, it } from '@jest/globals';
import { documentPath, largeOnly, OFFICE_FOLDERS, OFFICE_NAMES } from '../../../../../test/support/test-data.js';
import { truthOf } from '../../../../../test/support/truth.js';
import type { Block } from '../../blocks.js';
import { extractPdf } from './pdf.js';

async function extract(name: string): Promise<Block[]> {
  const blocks: Block[] = [];
  await extractPdf(documentPath(name), (block) => blocks.push(block));
  return blocks;
}

const bare = (text: string): string => text.normalize('NFKC').replace(/\s/g, '');

const textOf = (block: Block): string =>
  bare(block.kind === 'row' ? block.cells.join('') : block.text.replace(/^- /, ''));

describe.each(OFFICE_FOLDERS)('PDFs created by a text processor (%s)', (folder) => {
  it.each(OFFICE_NAMES)('are read in order, with heading levels: %s', async (name) => {
    const blocks = await extract(`${folder}/${name}.pdf`);
    const headings = truthOf(folder, name).flatMap(([kind, text]) => (kind === 'h' ? [bare(text)] : []));
    const found = blocks.flatMap((block) => (block.kind === 'heading' && block.level < 3 ? [block] : []));
    expect(found.map(textOf)).toEqual(headings);
    expect(found.map(({ level, text }) => [level, text])).toEqual(
      found.map(({ text }) => [/^\d+\. /.test(text) ? 1 : 2, text]),
    );
    const whole = blocks.map(textOf).join('');
    const starts = truthOf(folder, name).flatMap(([kind, text]) =>
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

  it('keep nearly all paragraphs whole across lines, columns and pages', async () => {
    const wholes = await Promise.all(
      OFFICE_NAMES.map(async (name) => {
        const texts = new Set((await extract(`${folder}/${name}.pdf`)).map(textOf));
        return truthOf(folder, name).flatMap(([kind, text]) => (kind === 'p' ? [texts.has(bare(text))] : []));
      }),
    );
    const all = wholes.flat();
    expect(all.filter((whole) => whole).length / all.length).toBeGreaterThan(0.95);
  });
});

describe('PDFs of other programs', () => {
  it.each<[string, string]>([
    ['odd/restricted.pdf', 'The night ferry waits for the last bus'],
    ...largeOnly<[string, string]>(
      ['real/testExtraSpaces.pdf', 'Here is some formatted text'],
      ['real/testOverlappingText.pdf', 'Text the first time Text the second time'],
    ),
  ])('are read in reading order: %s', async (name, text) => {
    expect((await extract(name)).map((block) => (block.kind === 'row' ? '' : block.text)).join('\n')).toContain(text);
  });

  it.each<[string, number]>([
    ['odd/restricted.pdf', 5],
    ...largeOnly<[string, number]>(['real/testPDF_protected.pdf', 101]),
  ])('are read completely if only changes require a password: %s, at least %i blocks', async (name, blocks) =>
    expect((await extract(name)).length).toBeGreaterThanOrEqual(blocks),
  );

  it.each(['odd/scanned.pdf', ...largeOnly('real/testOCR.pdf')])('are reported as scanned: %s', async (name) => {
    await expect(extract(name)).rejects.toMatchObject({ code: 'NO_TEXT_SCANNED' });
  });
});
