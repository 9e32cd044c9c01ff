import { readFile } from 'node:fs/promises';
import { extractorOf } from '@app/knowledge';

/** The report of a process about its extractor. */
export interface PdfReport {
  texts: string[];
  milliseconds: number;
  /** Peak memory of the process. */
  peakMb: number;
}

type ExtractText = (path: string) => Promise<string>;

const EXTRACTORS: Record<string, () => Promise<ExtractText>> = {
  async trunkline() {
    const extract = await extractorOf('pdf');
    return async (path) => {
      const texts: string[] = [];
      await extract(path, (block) => {
        if (block.kind === 'row' && block.number === 1) texts.push(block.table.header.join(' '));
        texts.push(block.kind === 'row' ? block.cells.join(' ') : block.text);
      });
      return texts.join('\n');
    };
  },
  async unpdf() {
    // unpdf requires a function of Node.js 24.
    const later = (call: (...values: unknown[]) => unknown, ...values: unknown[]): Promise<unknown> =>
      new Promise((resolve) => resolve(call(...values)));
    if (!('try' in Promise)) Object.assign(Promise, { try: later });
    const { extractText, getDocumentProxy } = await import('unpdf');
    return async (path) => {
      const document = await getDocumentProxy(new Uint8Array(await readFile(path)));
      const { text } = await extractText(document, { mergePages: true });
      await document.loadingTask.destroy();
      return text;
    };
  },
};

const [name = '', ...paths] = process.argv.slice(2);
const extract = await EXTRACTORS[name]?.();
if (!extract) throw new Error(`Unknown extractor: ${name}.`);
const started = performance.now();
const texts: string[] = [];
for (const path of paths) texts.push(await extract(path));
const milliseconds = performance.now() - started;
const report: PdfReport = { texts, milliseconds, peakMb: process.resourceUsage().maxRSS / 1024 };
process.send?.(report, () => process.disconnect());
