import WordExtractor from 'word-extractor';
import { CompoundFile } from './compound-file.js';
import { DocumentProblem } from './document-problem.js';

/** The texts of a Word 97-2003 document: paragraphs and table rows by lines, cells end by tabs. */
export interface Word97Text {
  body: string;
  /** Footnotes and endnotes. */
  notes: string;
  boxes: string;
}

/** By default it turns curly quotes and dashes into others than people see. */
interface Unfiltered {
  getBody(options: { filterUnicode: false }): string;
  getFootnotes(options: { filterUnicode: false }): string;
  getEndnotes(options: { filterUnicode: false }): string;
  getTextboxes(options: { filterUnicode: false; includeHeadersAndFooters: false }): string;
}

/** The one place that knows word-extractor. Whatever it throws, it throws because of the file: there is nothing else it touches. */
export async function readWord97(bytes: Buffer): Promise<Word97Text> {
  try {
    const document: Unfiltered = await new WordExtractor().extract(withKnownNames(bytes));
    const filterUnicode = false as const;
    return {
      body: document.getBody({ filterUnicode }),
      notes: `${document.getFootnotes({ filterUnicode })}\n${document.getEndnotes({ filterUnicode })}`,
      boxes: document.getTextboxes({ filterUnicode, includeHeadersAndFooters: false }),
    };
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    throw new DocumentProblem('FILE_CORRUPT', undefined, { cause: error });
  }
}

/** Some programs write `worddocument`; word-extractor looks for the names as Word writes them. */
function withKnownNames(bytes: Buffer): Buffer {
  const renamed = Buffer.from(bytes);
  const file = new CompoundFile(bytes);
  for (const name of ['WordDocument', '0Table', '1Table', 'Data']) {
    const stream = file.find(name);
    if (stream) renamed.write(name, stream.at, 'utf16le');
  }
  return renamed;
}
