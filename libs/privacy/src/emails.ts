import { EMAIL_CUE } from './cues.js';
import { numberWord } from './number-words.js';
import type { Span } from './runs.js';

const LOCAL = /[\p{L}\p{N}._%+'~-]/u;
const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u;
const MAX_LOCAL = 64;
const MAX_DOMAIN_LENGTH = 255;

/** Addresses as they are written. */
export function writtenEmails(text: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < MAX_LOCAL && LOCAL.test(text[start - 1]!)) start--;
    const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN_LENGTH));
    if (start < at && domain) found.push({ start, end: at + 1 + domain[0].length });
  }
  return found;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const AT = set('at ät et arobase arobas arroba chiocciola apenstaartje klammeraffe affenschwanz @');
const DOT = set('dot punkt point punto punt period .');
const JOINTS = set(
  'underscore unterstrich tiret trattino guion guión streepje dash hyphen minus bindestrich plus moins más meno min _ - +',
);
const MARKS: ReadonlySet<string> = new Set([...AT, ...DOT, ...JOINTS]);
/** The second word of `tiret bas`, `guion bajo`. */
const LOW = set('bas bajo basso laag score');
/** What a spoken address ends with, besides all two letters of countries. */
const TLDS = set(
  'com org net edu gov info biz online shop app dev cloud email mail name berlin london paris eu tech me tv',
);
const TOKEN = /[\p{L}\p{N}\p{M}]+|[@._+-]/gu;
const HAS_AT = /(?<!\p{L})(?:at|ät|et|arobase?|arroba|chiocciola|apenstaartje|klammeraffe|affenschwanz)(?!\p{L})|@/iu;
const MAX_LABEL_LENGTH = 4;
const MAX_LABELS = 5;
const MAX_LOCAL_TOKENS = 40;

interface Token extends Span {
  text: string;
}

/** Addresses as they are said: `anna dot miller at example dot com`, in six languages. */
export function spokenEmails(text: string): Span[] {
  if (!HAS_AT.test(text)) return [];
  const tokens = tokensOf(text);
  const found: Span[] = [];
  for (let at = 1; at < tokens.length; at++) {
    if (!AT.has(tokens[at]!.text)) continue;
    const last = domainEnd(text, tokens, at);
    if (last === undefined) continue;
    const first = localStart(text, tokens, at);
    if (first < at) found.push({ start: tokens[first]!.start, end: tokens[last]!.end });
    at = last;
  }
  return found;
}

/** Where an address may begin that is not said to its end: a running text is not shown from there on. Undefined: there is none. */
export function openEmail(text: string): number | undefined {
  return openAddress(text, () => true);
}

/** The same at the end of an utterance, which is held back until the next one: words that also stand in other sentences need more evidence. */
export function unfinishedEmail(text: string, before: string): number | undefined {
  const cue = [...text.matchAll(EVERY_CUE)].at(-1);
  const cuedFrom = cue ? cue.index + cue[0].length : EMAIL_CUE.test(before) ? 0 : Infinity;
  return openAddress(text, (tokens, at) => tokens[at]!.start >= cuedFrom || isSureMark(text, tokens, at));
}

/** Also what transcribers add to a voice that rises. */
const QUESTION = /[?!][\s"'”“»)]*$/;
const EVERY_CUE = new RegExp(EMAIL_CUE, 'giu');
/** These are said in addresses only. */
const SURE_MARKS = set(
  'dot punkt @ _ underscore unterstrich arobase arobas arroba chiocciola apenstaartje klammeraffe',
);
/** `look at`, `we are open at`: no address begins so. */
const NO_LOCAL = set(
  'i you he she it we they me him her us them am is are was were be been look looking looked open closed here there arrive arrives meet work working live living start starts begin begins end ends call back stay available not good',
);
/** `at nine`, `at home`: no address goes on so. */
const NO_DOMAIN = set('home work once noon midnight night least all first last times what which');

function isSureMark(text: string, tokens: readonly Token[], at: number): boolean {
  const [before, mark, after] = [tokens[at - 1]!, tokens[at]!, tokens[at + 1]];
  if (SURE_MARKS.has(mark.text)) return true;
  if (QUESTION.test(text)) return false;
  if (mark.text === '.') return after !== undefined && joinsWords(before, mark, after);
  if (mark.text !== 'at' && mark.text !== 'ät') return false;
  if (!adjoins(text, before, mark) || NO_LOCAL.has(before.text)) return false;
  if (!after || after.text === '.') return true;
  return !NO_LABEL.has(after.text) && !NO_DOMAIN.has(after.text) && !isNumber(after);
}

/** `anna.miller`, and not `3.5`. */
const joinsWords = (before: Token, mark: Token, after: Token): boolean =>
  before.end === mark.start && mark.end === after.start && /\p{L}/u.test(before.text + after.text);

/** From the first of the last marks that counts. */
function openAddress(text: string, isMark: (tokens: readonly Token[], at: number) => boolean): number | undefined {
  const offset = Math.max(0, text.length - 400);
  const tokens = tokensOf(text, offset);
  const recent = Math.max(1, tokens.length - 8);
  const at = tokens.findIndex(
    (one, i) => i >= recent && MARKS.has(one.text) && !isSentenceEnd(text, one) && isMark(tokens, i),
  );
  return at < 1 ? undefined : tokens[localStart(text, tokens, at)]!.start;
}

/** A full stop: the next sentence begins with a capital letter. */
const isSentenceEnd = (text: string, { text: mark, end }: Token): boolean =>
  mark === '.' && /^\s*$|^\s+["'„“«¿¡]?\p{Lu}/u.test(text.slice(end));

const tokensOf = (text: string, from = 0): Token[] =>
  [...text.slice(from).matchAll(TOKEN)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    start: from + index,
    end: from + index + word.length,
  }));

/** Words of a sentence after `at`: it is not an address. */
const NO_LABEL = set(
  'the a an this that these those my your our his her their its all any some every least most first last',
);

/** Nothing but spaces stands between the tokens. */
const adjoins = (text: string, before: Token, next: Token): boolean => text.slice(before.end, next.start).trim() === '';

const isWord = ({ text }: Token): boolean => !AT.has(text) && !DOT.has(text) && /[\p{L}\p{N}]/u.test(text);

/** The index of the last token of the domain after `at`. */
function domainEnd(text: string, tokens: readonly Token[], at: number): number | undefined {
  let end: number | undefined;
  let next = at + 1;
  for (let labels = 0; labels < MAX_LABELS; labels++) {
    const dot = tokens.slice(next, next + MAX_LABEL_LENGTH + 1).findIndex((one) => DOT.has(one.text));
    const label = tokens.slice(next - 1, next + dot + 2);
    const isWhole = label.every((one, i) => i === 0 || adjoins(text, label[i - 1]!, one));
    if (dot < 1 || !isWhole || NO_LABEL.has(tokens[next]!.text)) break;
    const tld = tldEnd(tokens, next + dot + 1);
    next += dot + 1;
    if (tld !== undefined) end = tld;
    if (!tokens[next] || !isWord(tokens[next]!)) break;
  }
  return end;
}

function tldEnd(tokens: readonly Token[], at: number): number | undefined {
  const [first, second] = [tokens[at], tokens[at + 1]];
  if (!first) return undefined;
  if (/^[a-z]{2}$/.test(first.text) || TLDS.has(first.text)) return at;
  return second && /^[a-z]$/.test(first.text) && /^[a-z]$/.test(second.text) ? at + 1 : undefined;
}

/** The index of the first token of the part before `at`. */
function localStart(text: string, tokens: readonly Token[], at: number): number {
  const cued = afterCue(text, tokens, at);
  if (cued !== undefined) return cued;
  let first = at;
  while (first > 0 && at - first < MAX_LOCAL_TOKENS) {
    const before = tokens[first - 1]!;
    const isJoint = DOT.has(before.text) || JOINTS.has(before.text) || LOW.has(before.text);
    const joins = first === at || isJoint || isJointOrShort(tokens[first]!, before);
    if (!joins || AT.has(before.text) || !adjoins(text, before, tokens[first]!)) break;
    first--;
  }
  return first;
}

/** After a joint any word belongs to the address; spelled letters and digits belong together. */
const isJointOrShort = (next: Token, before: Token): boolean =>
  DOT.has(next.text) || JOINTS.has(next.text) || (isSpelled(next) && isSpelled(before));

const isSpelled = (one: Token): boolean => /^\p{L}$/u.test(one.text) || isNumber(one);

const isNumber = ({ text }: Token): boolean => /^\p{N}+$/u.test(text) || numberWord(text)?.type === 'number';

/** After `my e-mail is` everything belongs to the address. */
function afterCue(text: string, tokens: readonly Token[], at: number): number | undefined {
  const until = tokens[at]!.start;
  const from = Math.max(0, until - 160);
  const before = text.slice(from, until);
  const cue = EMAIL_CUE.exec(before);
  if (!cue) return undefined;
  const copula = /(?<!\p{L})(?:is|ist|lautet|est|es|è|:)\s+/iu.exec(before.slice(cue.index + cue[0].length));
  if (!copula) return undefined;
  const begin = from + cue.index + cue[0].length + copula.index + copula[0].length;
  const first = tokens.findIndex(({ start }) => start >= begin);
  return first >= 0 && first < at && at - first <= 12 ? first : undefined;
}
