import { luhn, mod11And10, remainder, verhoeff, weighted } from './checksums.js';

/** A personal number of a country. */
interface NationalId {
  /** Digits, and upper-case letters. */
  length: number;
  isValid: (text: string) => boolean;
  /** Usual groups, such as `3-2-4`; a number in these groups needs no cue. */
  groupings?: readonly string[];
  /** The check is too weak to recognise it without its groups or a cue. */
  needsCue?: true;
}

const day = (dd: string, mm: string): boolean =>
  Number(dd) >= 1 && Number(dd) <= 31 && Number(mm) >= 1 && Number(mm) <= 12;

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const FI_LETTERS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

const digits = (length: number, isValid: (text: string) => boolean, rest: Partial<NationalId> = {}): NationalId => ({
  length,
  isValid: (text) => /^\d+$/.test(text) && !/^(\d)\1+$/.test(text) && isValid(text),
  ...rest,
});

const us = (d: string): boolean => !/^(?:000|666|9)|^...00|0000$/.test(d);
const de = (d: string): boolean => {
  const counts = '0123456789'.split('').map((digit) => d.slice(0, 10).split(digit).length - 1);
  const repeated = counts.filter((count) => count > 1);
  return d[0] !== '0' && repeated.length === 1 && repeated[0]! <= 3 && mod11And10(d);
};
const pl = (d: string): boolean =>
  day(d.slice(4, 6), String(Number(d.slice(2, 4)) % 20)) &&
  (10 - (weighted(d, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === Number(d[10]);
const cpf = (d: string): boolean => {
  const check = (count: number): number => {
    const sum = weighted(
      d,
      Array.from({ length: count }, (_, i) => count + 1 - i),
    );
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(d[9]) && check(10) === Number(d[10]);
};
const no = (d: string): boolean =>
  weighted(d, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 && weighted(d, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;
const be = (d: string): boolean => {
  const check = Number(d.slice(9));
  return [d.slice(0, 9), `2${d.slice(0, 9)}`].some((base) => 97 - remainder(base, 97) === check);
};
const ch = (d: string): boolean =>
  d.startsWith('756') && (10 - (weighted(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(d[12]);
const nhs = (d: string): boolean => (11 - (weighted(d, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(d[9]);
const at = (d: string): boolean =>
  d[0] !== '0' &&
  day(d.slice(4, 6), d.slice(6, 8)) &&
  weighted(d, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(d[3]);
const nl = (d: string): boolean => weighted(d, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
const pt = (d: string): boolean => {
  const check = 11 - (weighted(d, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return (check > 9 ? 0 : check) === Number(d[8]);
};
const tr = (d: string): boolean => {
  const sum = (places: number[]): number => places.reduce((total, i) => total + Number(d[i]), 0);
  const tenth = (sum([0, 2, 4, 6, 8]) * 7 - sum([1, 3, 5, 7]) + 100) % 10;
  return d[0] !== '0' && tenth === Number(d[9]) && sum([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) % 10 === Number(d[10]);
};
const za = (d: string): boolean => day(d.slice(4, 6), d.slice(2, 4)) && luhn(d);
const fr = (text: string): boolean => {
  if (!/^[1-478]\d{4}(?:\d\d|2[AB])\d{8}$/.test(text)) return false;
  const base = text.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - remainder(base, 97) === Number(text.slice(13));
};
const cn = (text: string): boolean =>
  /^\d{17}[\dX]$/.test(text) &&
  day(text.slice(12, 14), text.slice(10, 12)) &&
  '10X98765432'[weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === text[17];

/** The odd places of a codice fiscale, for the values of 0-9 and A-Z. */
const CF_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
const it = (text: string): boolean => {
  if (!/^[A-Z]{6}[\dLMNPQRSTUV]{2}[ABCDEHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]$/.test(text)) return false;
  const valueOf = (char: string): number => (/\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65);
  const sum = text
    .slice(0, 15)
    .split('')
    .reduce((total, char, i) => total + (i % 2 === 0 ? CF_ODD[valueOf(char)]! : valueOf(char)), 0);
  return String.fromCharCode(65 + (sum % 26)) === text[15];
};
const es = (text: string): boolean => {
  if (!/^[XYZ\d]\d{7}[A-Z]$/.test(text)) return false;
  const base = text.slice(0, 8).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return DNI_LETTERS[Number(base) % 23] === text[8];
};
const gb = (text: string): boolean =>
  /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(text) && !/^(?:BG|GB|NK|KN|NT|TN|ZZ)/.test(text);
const ie = (text: string): boolean => {
  if (!/^\d{7}[A-W][A-IW]?$/.test(text)) return false;
  const second = text[8] === undefined || text[8] === 'W' ? 0 : text.charCodeAt(8) - 64;
  const check = (weighted(text, [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23;
  return (check === 0 ? 'W' : String.fromCharCode(64 + check)) === text[7];
};
const fi = (text: string): boolean =>
  /^\d{6}\d{3}[0-9A-Y]$/.test(text) &&
  day(text.slice(0, 2), text.slice(2, 4)) &&
  FI_LETTERS[Number(text.slice(0, 9)) % 31] === text[9];
const se = (d: string): boolean => day(String(Number(d.slice(4, 6)) % 60), d.slice(2, 4)) && luhn(d);

const IDS: readonly NationalId[] = [
  digits(9, us, { groupings: ['3-2-4'], needsCue: true }),
  digits(9, luhn, { groupings: [], needsCue: true }), // Canada: SIN
  digits(9, nl, { groupings: ['4-2-3'], needsCue: true }),
  digits(9, pt, { needsCue: true }),
  digits(9, (d) => weighted(d, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0, { needsCue: true }), // Australia: TFN
  digits(10, nhs, { needsCue: true }), // in the groups of phone numbers of North America
  digits(10, at, { groupings: ['4-6'], needsCue: true }),
  digits(10, (d) => day(d.slice(0, 2), d.slice(2, 4)), { groupings: ['6-4'], needsCue: true }), // Denmark: CPR
  digits(10, se, { groupings: ['6-4'], needsCue: true }),
  digits(12, (d) => /^(?:19|20)/.test(d) && se(d.slice(2)), { groupings: ['8-4'] }),
  digits(11, de, { groupings: ['2-3-3-3'] }),
  digits(11, pl),
  digits(11, no, { groupings: ['6-5'] }),
  digits(11, be, { groupings: ['2-2-2-3-2', '6-3-2'] }),
  digits(11, cpf, { groupings: ['3-3-3-2'] }),
  digits(11, tr, { needsCue: true }),
  digits(12, (d) => /^[2-9]/.test(d) && verhoeff(d), { groupings: ['4-4-4'], needsCue: true }), // India: Aadhaar
  digits(13, ch, { groupings: ['3-4-4-2'] }),
  digits(13, za, { needsCue: true }),
  { length: 15, isValid: fr },
  { length: 18, isValid: cn },
  { length: 16, isValid: it },
  { length: 9, isValid: es },
  { length: 9, isValid: gb },
  { length: 8, isValid: ie, needsCue: true },
  { length: 9, isValid: ie, needsCue: true },
  { length: 10, isValid: (text) => /[A-Y]/.test(text) && fi(text) },
];

export const MAX_ID_LENGTH = 18;
const BY_LENGTH = new Map<number, NationalId[]>();
for (const id of IDS) BY_LENGTH.set(id.length, [...(BY_LENGTH.get(id.length) ?? []), id]);

/** Whether the text may be a personal number of some country. `grouping`: lengths of its groups, when no words announce one. */
export const isNationalId = (text: string, grouping?: string): boolean =>
  (BY_LENGTH.get(text.length) ?? []).some(
    (id) => (grouping === undefined || !id.needsCue || id.groupings?.includes(grouping)) && id.isValid(text),
  );
