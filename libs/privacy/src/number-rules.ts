import { ibanLength, isCard, isIban } from './checksums.js';
import {
  isAnnounced,
  CARD_CODE_CUE,
  CARD_CUE,
  EXPIRY_CUE,
  ID_CUE,
  NEUTRAL_CUE,
  PHONE_CUE,
  PIN_CUE,
  type Surroundings,
} from './cues.js';
import { isNationalId, MAX_ID_LENGTH } from './national-ids.js';
import type { SecretKind } from './redaction.js';
import { type Atom, digitRuns, groupingOf, isOneByOne, type Run, textOf } from './runs.js';

/** Groups of a run that are a secret. */
interface FoundAtoms {
  kind: SecretKind;
  atoms: Atom[];
}

/** Digits that are said one by one from this count on. */
const MIN_SPOKEN = 6;
const MAX_CARD = 19;
/** Expiry date and code of a card. */
const MAX_DETAILS_LENGTH = 11;
const MAX_IBAN = 34;

/** The secrets of one run. `wanted`: the kinds that are looked for. */
export function secretsOfRun(run: Run, where: Surroundings, wanted: ReadonlySet<SecretKind>): FoundAtoms[] {
  const found: FoundAtoms[] = [];
  const free = new Set(run.atoms);
  const take = (kind: SecretKind, all: readonly Atom[]): void => {
    const atoms = all.filter((atom) => free.delete(atom));
    if (wanted.has(kind) && atoms.length > 0) found.push({ kind, atoms });
  };
  for (const atoms of ibans(run)) take('iban', atoms);
  for (const part of digitRuns({ ...run, atoms: run.atoms.filter((atom) => free.has(atom)) })) cards(part, take);
  const rest = { ...run, atoms: run.atoms.filter((atom) => free.has(atom)) };
  const isNeutral = rest.atoms.length > 0 && isAnnounced(where, rest.atoms[0]!.start, NEUTRAL_CUE);
  for (const atoms of nationalIds(rest, where, isNeutral)) take('national_id', atoms);
  for (const part of digitRuns({ ...run, atoms: run.atoms.filter((atom) => free.has(atom)) })) {
    const kind = kindOfDigits(part, where, isNeutral, wanted);
    if (kind) take(kind, part.atoms);
  }
  return found;
}

function ibans({ atoms }: Run): Atom[][] {
  return windows(atoms, MAX_IBAN, (text) => {
    if (/^\d/.test(text)) return 'never';
    return text.length >= 4 && ibanLength(text) === undefined ? 'never' : isIban(text);
  });
}

/** The expiry date and the code of a card follow it in the same breath. */
function cards(run: Run, take: (kind: SecretKind, atoms: Atom[]) => void): void {
  const { atoms } = run;
  const all = windows(atoms, MAX_CARD, (text) => isCard(text));
  for (const [index, card] of all.entries()) {
    const after = index === all.length - 1 ? atoms.slice(atoms.indexOf(card.at(-1)!) + 1) : [];
    take('card', textOf(after).length <= MAX_DETAILS_LENGTH ? [...card, ...after] : card);
  }
}

function nationalIds(run: Run, where: Surroundings, isNeutral: boolean): Atom[][] {
  const isWhole = (window: readonly Atom[]): boolean => window.length === run.atoms.length;
  return windows(run.atoms, MAX_ID_LENGTH, (text, groups) => {
    // The words around are read for the few numbers with a right check digit only.
    if (!isNationalId(text)) return false;
    const window = groups();
    if (isAnnounced(where, window[0]!.start, ID_CUE)) return true;
    if (isNeutral || run.hasPlus) return false;
    const isGrouped = window.length > 1 && !isOneByOne(window);
    if (!isWhole(window) && !isGrouped && !/[A-Z]/.test(text)) return false;
    return isNationalId(text, groupingOf(window));
  });
}

/**
 * The windows of whole groups, from left to right without overlaps, that are accepted. `never`: no longer window from the same begin will
 * be. The work is linear, because a window has `longest` characters at most.
 */
function windows(
  atoms: readonly Atom[],
  longest: number,
  accepts: (text: string, window: () => readonly Atom[]) => boolean | 'never',
): Atom[][] {
  const found: Atom[][] = [];
  for (let from = 0; from < atoms.length; from++) {
    let text = '';
    for (let to = from; to < atoms.length; to++) {
      text += atoms[to]!.text;
      if (text.length > longest) break;
      const answer = accepts(text, () => atoms.slice(from, to + 1));
      if (answer === 'never') break;
      if (!answer) continue;
      found.push(atoms.slice(from, to + 1));
      from = to;
      break;
    }
  }
  return found;
}

function kindOfDigits(
  run: Run,
  where: Surroundings,
  isNeutral: boolean,
  wanted: ReadonlySet<SecretKind>,
): SecretKind | undefined {
  const { atoms } = run;
  const text = textOf(atoms);
  const start = atoms[0]!.start;
  if (wanted.has('card') && isCardDetail(text, where, start)) return 'card';
  if (wanted.has('password') && text.length >= 3 && text.length <= 10 && isAnnounced(where, start, PIN_CUE))
    return 'password';
  if (wanted.has('phone') && isPhone(run, text, where, isNeutral)) return 'phone';
  const isSpoken = text.length >= MIN_SPOKEN && isOneByOne(atoms);
  return wanted.has('spoken_digits') && isSpoken && !isNeutral ? 'spoken_digits' : undefined;
}

/** The code of a card, or its expiry date beside words about a card. */
function isCardDetail(text: string, where: Surroundings, start: number): boolean {
  if ((text.length === 3 || text.length === 4) && isAnnounced(where, start, CARD_CODE_CUE)) return true;
  const isDate = text.length >= 3 && text.length <= 6;
  return isDate && isAnnounced(where, start, EXPIRY_CUE) && CARD_CUE.test(`${where.before} ${near(where.text, start)}`);
}

const near = (text: string, at: number): string => text.slice(Math.max(0, at - 300), at + 300);

function isPhone({ atoms, hasPlus }: Run, text: string, where: Surroundings, isNeutral: boolean): boolean {
  const start = atoms[0]!.start;
  if (hasPlus) return text.length >= 7 && text.length <= 18;
  const hasCue = isAnnounced(where, start, PHONE_CUE);
  if (text.length > 17 || (isNeutral && !hasCue)) return false;
  if (hasCue && text.length >= 6 && text.length <= 15) return true;
  const grouping = groupingOf(atoms);
  const isGrouped = atoms.length > 1;
  const isSpoken = isOneByOne(atoms) || atoms.some((atom) => atom.isSpoken);
  if (text.startsWith('00')) return text.length >= 10 && isGrouped;
  if (text.startsWith('0')) return isNationalWriting(text, atoms, isSpoken);
  if (/^1?[2-9]\d\d[2-9]\d{6}$/.test(text))
    return isSpoken || /^(?:1-|)3-(?:3-4|7)$/.test(grouping) || grouping === '4-3-4';
  return /^[6-9]\d{8}$/.test(text) && /^(?:3-3-3|3-2-2-2|2-3-2-2)$/.test(grouping);
}

/** With a trunk prefix. `0.5 1.25 …` is a list of amounts. */
function isNationalWriting(text: string, atoms: readonly Atom[], isSpoken: boolean): boolean {
  if (text.length < 9 || text.length > 13) return false;
  if (isSpoken) return true;
  if (atoms[0]!.text.length < 2) return false;
  return atoms.length > 1 || text.length === 10 || text.length === 11;
}
