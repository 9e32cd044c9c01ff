import { isIPv6 } from 'node:net';
import { BIRTH_CUE, COPULA, EVASION, PASSWORD_CUE, REMARK, REQUEST, type Surroundings } from './cues.js';
import { numberWord } from './number-words.js';
import { digitRuns, runsOf, type Span, textOf } from './runs.js';

const IPV4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)/g;
const IPV6 = /(?<![\p{L}\p{N}:])[0-9a-f]{0,4}:[0-9a-f:]{1,36}(?:\d{1,3}(?:\.\d{1,3}){3})?(?![\p{L}\p{N}:])/giu;

export function ipAddresses(text: string): Span[] {
  const all = [...text.matchAll(IPV4), ...[...text.matchAll(IPV6)].filter(({ 0: one }) => isIPv6(one))];
  return all.map(({ 0: one, index }) => ({ start: index, end: index + one.length }));
}

const DATES = [
  /(?<!\d[-/.]?)(?:19|20)\d\d([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?![-/.]?\d)/g,
  /(?<!\d[-/.]?)(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\1(?:(?:19|20)\d\d|\d\d)(?![-/.]?\d)/g,
];
const TIMES = /(?<![\d:])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?![\d:])/g;
const CURRENCY = '[€$£¥]|EUR|USD|GBP|CHF|PLN';
const SPOKEN_CURRENCY =
  'euros?|dollars?|cents?|pounds?|pence|francs?|franken|percent|prozent|per cent|degrees|grad|km|kg|meters?|metres?|hours?|minutes?|days?|years?';
const AMOUNTS = [
  /(?<![\d.,])\d{1,3}[.,]\d{1,2}(?![\d]|[.,]\d)/g,
  new RegExp(`(?:${CURRENCY})\\s?\\d{1,3}(?:[.,' ]?\\d{3}){0,4}(?:[.,]\\d{1,2})?(?!\\d)`, 'g'),
  new RegExp(
    `(?<![\\d.,])\\d{1,3}(?:[.,']?\\d{3}){0,4}(?:[.,]\\d{1,2})?\\s?(?:(?:${CURRENCY}|%)|(?:${SPOKEN_CURRENCY})(?!\\p{L}))`,
    'giu',
  ),
];

export const numericDates = (text: string): Span[] => DATES.flatMap((pattern) => spansOf(text, pattern));

/** Numbers that are not secret, whatever their digits are. */
export const plainNumbers = (text: string): Span[] => [TIMES, ...AMOUNTS].flatMap((pattern) => spansOf(text, pattern));

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map(({ 0: one, index }) => ({ start: index, end: index + one.length }));

/** Dates announced as a date of birth. `dates`: the written dates of the text. */
export function birthDates({ text, before }: Surroundings, dates: readonly Span[]): Span[] {
  const cues = [...text.matchAll(new RegExp(BIRTH_CUE, 'giu'))].map(({ 0: cue, index }) => index + cue.length);
  if (BIRTH_CUE.test(before.slice(-200))) cues.unshift(0);
  return cues.flatMap((from) => {
    const written = dates.find(({ start }) => start >= from && start - from <= MAX_TO_DATE_LENGTH);
    return written ? [written] : (namedDate(text, from) ?? []);
  });
}

const MAX_TO_DATE_LENGTH = 60;
const MONTHS =
  /(?<!\p{L})(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s|zo)|märz|maart|apr(?:il|ile)?|avril|abril|may|mai|mei|mayo|maggio|june?|juni|juin|junio|giugno|july?|juli|juillet|julio|luglio|aug(?:ust|ustus)?|août|agosto|sept?(?:ember|embre)?|septiembre|settembre|oct(?:ober|obre)?|oktober|octubre|ottobre|nov(?:ember|embre|iembre)?|dec(?:ember)?|dezember|décembre|diciembre|dicembre|enero|gennaio|januari|febrero|febbraio|februari|jän(?:ner)?)(?!\p{L})/iu;
const ORDINAL =
  /^(?:the|of|de|del|di|den|am|\d{1,2}(?:st|nd|rd|th|er|e)?|first|second|third|\p{L}+(?:th|ste|sten|te|ten)|erste[nr]?|premier|primero?|primo)$/iu;

/** `the twelfth of March nineteen eighty`, or digits: `12 03 1980`. */
function namedDate(text: string, from: number): Span | undefined {
  const reach = text.slice(from, from + MAX_TO_DATE_LENGTH + 60);
  const month = MONTHS.exec(reach);
  if (!month) return digitDate(reach, from);
  const words = [...reach.matchAll(/[\p{L}\p{N}\p{M}]+/gu)];
  const at = words.findIndex(({ index }) => index === month.index);
  let [first, last] = [at, at];
  const belongs = (i: number): boolean => {
    const word = words[i]?.[0].toLowerCase();
    return word !== undefined && (numberWord(word) !== undefined || ORDINAL.test(word) || /^\d{1,4}$/.test(word));
  };
  while (at - first < 4 && belongs(first - 1)) first--;
  while (last - at < 6 && belongs(last + 1)) last++;
  const [begin, end] = [words[first]!, words[last]!];
  return first === last ? undefined : { start: from + begin.index, end: from + end.index + end[0].length };
}

function digitDate(reach: string, from: number): Span | undefined {
  for (const run of runsOf(reach).flatMap(digitRuns)) {
    const { length } = textOf(run.atoms);
    const [first, last] = [run.atoms[0]!, run.atoms.at(-1)!];
    if (first.start > MAX_TO_DATE_LENGTH) return undefined;
    if (length >= 4 && length <= 8) return { start: from + first.start, end: from + last.end };
  }
  return undefined;
}

const SAID_PASSWORD = /^[^\s,;]+(?:\s+(?!(?:and|und|et|y|e|en|but|aber|mais|pero|ma|maar)\s)[^\s,;.!?]+){0,5}/iu;
/** Longer answers explain something. */
const MAX_ANSWER_WORDS = 12;

/** What is said after `my password is`, and the answer to a request for a password. */
export function passwords({ text, before }: Surroundings): Span[] {
  const found: Span[] = [];
  for (const { 0: cue, index } of text.matchAll(new RegExp(PASSWORD_CUE, 'giu'))) {
    const from = index + cue.length;
    const copula = COPULA.exec(text.slice(from, from + 60));
    if (!copula) continue;
    const start = from + copula[0].length;
    const said = SAID_PASSWORD.exec(text.slice(start, start + 200));
    if (said && !isRemark(said[0])) found.push({ start, end: start + said[0].replace(/[.!?"'”“]+$/, '').length });
  }
  if (found.length > 0 || !asksForPassword(before)) return found;
  const answer = text.trim();
  const isAnswer = answer !== '' && answer.split(/\s+/, MAX_ANSWER_WORDS + 1).length <= MAX_ANSWER_WORDS;
  if (!isAnswer || EVASION.test(answer)) return [];
  const start = text.indexOf(answer);
  return [{ start, end: start + answer.length }];
}

const isRemark = (said: string): boolean => REMARK.exec(said)?.index === 0;

function asksForPassword(before: string): boolean {
  const last = before.slice(-200);
  return PASSWORD_CUE.test(last) && REQUEST.test(last);
}
