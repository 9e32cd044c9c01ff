/** A unit of pronunciation: a lower-case word of a-z, or a pause. */
export type Token = { kind: 'word'; letters: string } | { kind: 'pause'; length: 'short' | 'long'; question: boolean };

const ABBREVIATIONS: [RegExp, string][] = [
  [/\bmr\./gi, 'mister'],
  [/\bmrs\./gi, 'missis'],
  [/\bms\./gi, 'miz'],
  [/\bdr\./gi, 'doctor'],
  [/\bprof\./gi, 'professor'],
  [/\bst\./gi, 'street'],
  [/\be\.g\./gi, 'for example'],
  [/\bi\.e\./gi, 'that is'],
  [/\betc\./gi, 'and so on'],
  [/\bvs\./gi, 'versus'],
  [/\$\s?(\d[\d,.]*\d|\d)/g, '$1 dollars'],
  [/€\s?(\d[\d,.]*\d|\d)/g, '$1 euros'],
  [/(\d{1,2}):(\d{2})\b/g, '$1 $2'],
  [/(\d),(?=\d{3}\b)/g, '$1'],
  [/&/g, ' and '],
  [/%/g, ' percent '],
  [/@/g, ' at '],
  [/\+/g, ' plus '],
  [/=/g, ' equals '],
  [/#/g, ' number '],
];

const LETTER_NAMES = table(`
  a=ay b=bee c=see d=dee e=ee f=ef g=jee h=aitch i=eye j=jay k=kay l=el m=em n=en o=oh p=pee q=kyoo r=ar s=ess
  t=tee u=yoo v=vee w=dubbleyoo x=ex y=why z=zee
`);

const TRANSLITERATION = table(`
  ä=e ö=er ü=ue ß=ss æ=e ø=er å=o ł=w đ=d ð=th þ=th œ=er ı=i а=a б=b в=v г=g д=d е=ye ё=yo ж=zh з=z и=ee й=y к=k
  л=l м=m н=n о=o п=p р=r с=s т=t у=oo ф=f х=h ц=ts ч=ch ш=sh щ=sh ъ= ы=i ь= э=e ю=yoo я=ya і=ee ї=yee є=ye ґ=g
  α=a β=v γ=g δ=th ε=e ζ=z η=ee θ=th ι=ee κ=k λ=l μ=m ν=n ξ=ks ο=o π=p ρ=r σ=s ς=s τ=t υ=ee φ=f χ=h ψ=ps ω=o
`);

/** Stand for letters of scripts without a transliteration. */
const NEUTRAL = ['da', 'mo', 'lee', 'na', 'soo', 'beh', 'ko', 'rah', 'tee', 'wun', 'ya', 'go'];

/**
 * Turns a sentence into words and pauses. Numbers, symbols and common abbreviations are read in English; Cyrillic and
 * Greek letters become their nearest Latin ones; every other letter becomes a neutral syllable. Never empty.
 */
export function readingOf(sentence: string): Token[] {
  const expanded = ABBREVIATIONS.reduce(
    (text, [pattern, words]) => text.replace(pattern, words),
    sentence.normalize('NFC'),
  );
  const tokens = (expanded.match(/\d+(?:\.\d+)?|[\p{L}\p{M}'’]+|[,;:–—()]|[.!?。！？…，、]/gu) ?? []).flatMap(tokensOf);
  return tokens.some((token) => token.kind === 'word') ? tokens : [{ kind: 'word', letters: 'hum' }];
}

function tokensOf(part: string): Token[] {
  if (/^\d/.test(part)) return wordsOf(numberWords(part));
  if (/^[,;:–—()，、]/u.test(part)) return [{ kind: 'pause', length: 'short', question: false }];
  if (/^[.!?。！？…]/u.test(part)) return [{ kind: 'pause', length: 'long', question: /[?？]/.test(part) }];
  return wordsOf(
    isSpelled(part)
      ? Array.from(part.toLowerCase())
          .map((letter) => LETTER_NAMES.get(letter))
          .join(' ')
      : latin(part),
  );
}

const wordsOf = (text: string): Token[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((letters) => ({ kind: 'word', letters }));

/** Capitals without a vowel cannot be a word. A single letter is spelled too, except "a" and "I". */
const isSpelled = (word: string): boolean => /^(?:[B-DF-HJ-NP-TV-XZ]{2,}|[B-HJ-Zb-hj-z])$/.test(word);

function latin(word: string): string {
  let letters = '';
  for (const character of word.toLowerCase()) letters += latinOf(character);
  return letters;
}

function latinOf(character: string): string {
  if (/[a-z]/.test(character)) return character;
  const known = TRANSLITERATION.get(character);
  if (known !== undefined) return known;
  const base = character.normalize('NFD').replaceAll(/[^a-z]/g, '');
  if (base || !/\p{L}/u.test(character)) return base;
  // A space on both sides: each such letter becomes one syllable.
  return ` ${NEUTRAL[(character.codePointAt(0) ?? 0) % NEUTRAL.length]} `;
}

/** Reads `letter=sound` entries. */
function table(text: string): Map<string, string> {
  const entries = text.trim().split(/\s+/);
  return new Map(entries.map((entry) => entry.split('=') as [string, string]));
}

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES: [number, string][] = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
];
/** Longer digit strings are telephone numbers, codes and the like: read digit by digit. */
const MAX_CARDINAL = 6;

/** English words for digits in a text: `12`, `3.50`, `007`, `5551234567`. */
function numberWords(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const byDigit = whole.length > MAX_CARDINAL || (whole.length > 1 && whole.startsWith('0'));
  const words = byDigit ? spell(whole) : cardinal(Number(whole));
  return fraction ? `${words} point ${spell(fraction)}` : words;
}

const spell = (digits: string): string =>
  Array.from(digits)
    .map((digit) => ONES[Number(digit)])
    .join(' ');

function cardinal(value: number): string {
  const small = ONES[value];
  if (small) return small;
  if (value < 100) return `${TENS[Math.floor(value / 10)]} ${value % 10 ? ONES[value % 10] : ''}`.trim();
  const [size, name] = SCALES.find(([scale]) => value >= scale) ?? [100, 'hundred'];
  const rest = value % size;
  return `${cardinal(Math.floor(value / size))} ${name} ${rest ? cardinal(rest) : ''}`.trim();
}
