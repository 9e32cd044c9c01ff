import { readFileSync } from 'node:fs';
import { documentPath } from './test-data.js';

interface TruthContents {
  h: string;
  p: string;
  l: string[];
  t: string[][];
}

/** `[kind, content]` of a heading, paragraph, list or table. */
export type TruthBlock = {
  [Kind in keyof TruthContents]: [kind: Kind, content: TruthContents[Kind]];
}[keyof TruthContents];

/** The blocks of a document of OFFICE_FOLDERS, in order. */
export function truthOf(folder: string, name: string): TruthBlock[] {
  const all = JSON.parse(readFileSync(documentPath(`${folder}/truth.json`), 'utf8')) as Record<string, TruthBlock[]>;
  const blocks = all[name];
  if (blocks === undefined) throw new Error(`truth.json of ${folder} has no ${name}`);
  return blocks;
}

/** The blocks in the notation of `extractFile`. */
export const truthLines = (folder: string, name: string): string[] => truthOf(folder, name).flatMap(linesOf);

function linesOf([kind, content]: TruthBlock): string[] {
  if (kind === 'l') return content.map((item) => `p ${cleanLine(item)}`);
  if (kind === 'p') return [`p ${cleanLine(content)}`];
  if (kind === 'h') return [`h${/^\d+\.\d/.test(content) ? 2 : 1} ${cleanLine(content)}`];
  const [header = [], ...rows] = content.map((row) => row.map(cleanLine));
  return rows.map((row, index) => `r${index + 1} ${row.map((cell, column) => `${header[column]}=${cell}`).join('; ')}`);
}

/** The text as one line in NFC, without invisible characters. */
const cleanLine = (text: string): string =>
  text
    .replace(/[\u00ad\u200b\u200e\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC');
