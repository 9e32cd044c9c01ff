import { readFileSync } from 'node:fs';
import { dataPath } from './test-data.js';

type Told = { h: string; p: string; l: string[]; t: string[][] };
type TruthBlock = { [Kind in keyof Told]: [kind: Kind, told: Told[Kind]] }[keyof Told];

/** What a document in `documents/made` contains, block by block as `extractedFile` spells them. */
export function truthOf(name: string): string[] {
  const all = JSON.parse(readFileSync(dataPath('documents', 'made', 'truth.json'), 'utf8')) as Record<
    string,
    TruthBlock[]
  >;
  return (all[name] ?? []).flatMap(linesOf);
}

function linesOf([kind, told]: TruthBlock): string[] {
  if (kind === 'l') return told.map((item) => `p ${cleanLine(item)}`);
  if (kind === 'p') return [`p ${cleanLine(told)}`];
  if (kind === 'h') return [`h${/^\d+\.\d/.test(told) ? 2 : 1} ${cleanLine(told)}`];
  const [header = [], ...rows] = told.map((row) => row.map(cleanLine));
  return rows.map((row, index) => `r${index + 1} ${row.map((cell, column) => `${header[column]}=${cell}`).join('; ')}`);
}

/** One line, composed, without marks that nobody sees. */
const cleanLine = (text: string): string =>
  text
    .replace(/[\u00ad\u200b\u200e\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC');
