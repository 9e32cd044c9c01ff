/** What a spoken word means in a row of digits. */
type NumberWord =
  /** `tens`: a unit may follow, as in `forty one`. */
  | { type: 'number'; value: number; tens: boolean }
  /** `double seven`, `zweimal die Sieben`. */
  | { type: 'times'; count: number }
  /** `four hundred`. */
  | { type: 'hundred' };

interface Language {
  /** From 0. */
  small: string;
  tens: Record<number, string>;
  times?: Record<number, string>;
  hundred?: string;
}

const LANGUAGES: readonly Language[] = [
  {
    small:
      'zero|oh|o|nought|naught one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: {
      20: 'twenty',
      30: 'thirty',
      40: 'forty|fourty',
      50: 'fifty',
      60: 'sixty',
      70: 'seventy',
      80: 'eighty',
      90: 'ninety',
    },
    times: { 2: 'double', 3: 'triple|treble', 4: 'quadruple' },
    hundred: 'hundred',
  },
  {
    small:
      'null eins|ein|eine zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn elf zwölf|zwoelf dreizehn vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn',
    tens: {
      20: 'zwanzig',
      30: 'dreißig|dreissig',
      40: 'vierzig',
      50: 'fünfzig|fuenfzig',
      60: 'sechzig',
      70: 'siebzig',
      80: 'achtzig',
      90: 'neunzig',
    },
    times: { 2: 'doppel|doppelt|zweimal', 3: 'dreifach|dreimal', 4: 'viermal' },
    hundred: 'hundert',
  },
  {
    small:
      'zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    tens: {
      20: 'vingt|vingts',
      30: 'trente',
      40: 'quarante',
      50: 'cinquante',
      60: 'soixante',
      70: 'septante',
      80: 'huitante|octante',
      90: 'nonante',
    },
    hundred: 'cent|cents',
  },
  {
    small:
      'cero uno|un|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis|dieciseis diecisiete dieciocho diecinueve',
    tens: {
      20: 'veinte',
      30: 'treinta',
      40: 'cuarenta',
      50: 'cincuenta',
      60: 'sesenta',
      70: 'setenta',
      80: 'ochenta',
      90: 'noventa',
    },
    times: { 2: 'doble', 3: 'triple' },
  },
  {
    small:
      'zero uno|una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
    tens: {
      20: 'venti',
      30: 'trenta',
      40: 'quaranta',
      50: 'cinquanta',
      60: 'sessanta',
      70: 'settanta',
      80: 'ottanta',
      90: 'novanta',
    },
    times: { 2: 'doppio|doppia', 3: 'triplo' },
  },
  {
    small:
      'nul een|één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
    tens: {
      20: 'twintig',
      30: 'dertig',
      40: 'veertig',
      50: 'vijftig',
      60: 'zestig',
      70: 'zeventig',
      80: 'tachtig',
      90: 'negentig',
    },
    times: { 2: 'dubbel|tweemaal', 3: 'driemaal' },
    hundred: 'honderd',
  },
];

/** Units 1 to 9 in compounds: `einundvierzig`, `eenenveertig`. */
const DE_UNITS = 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ');
const NL_UNITS = 'een twee drie vier vijf zes zeven acht negen'.split(' ');
const IT_UNITS = 'uno due tre quattro cinque sei sette otto nove'.split(' ');
const ES_VEINTI =
  'veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'.split(' ');

const WORDS = new Map<string, NumberWord>();

function add(names: string, word: NumberWord): void {
  for (const name of names.split('|')) {
    if (!WORDS.has(name)) WORDS.set(name, word);
    const plain = name.normalize('NFD').replace(/\p{M}/gu, '');
    if (!WORDS.has(plain)) WORDS.set(plain, word);
  }
}

const number = (value: number, tens = false): NumberWord => ({ type: 'number', value, tens });

for (const { small, tens, times = {}, hundred } of LANGUAGES) {
  for (const [value, names] of small.split(' ').entries()) add(names, number(value));
  for (const [value, names] of Object.entries(tens)) add(names, number(Number(value), true));
  for (const [count, names] of Object.entries(times)) add(names, { type: 'times', count: Number(count) });
  if (hundred) add(hundred, { type: 'hundred' });
}

const [, german, , , italian, dutch] = LANGUAGES;
for (const [index, unit] of DE_UNITS.entries())
  for (const [value, names] of Object.entries(german!.tens))
    for (const name of names.split('|')) add(`${unit}und${name}`, number(Number(value) + index + 1));
for (const [index, unit] of NL_UNITS.entries())
  for (const [value, name] of Object.entries(dutch!.tens))
    add(`${unit}en${name}|${unit}ën${name}`, number(Number(value) + index + 1));
for (const [index, unit] of IT_UNITS.entries())
  for (const [value, name] of Object.entries(italian!.tens)) {
    const elided = /^[uo]/.test(unit) ? name.slice(0, -1) + unit : name + unit;
    add(index === 2 ? `${elided}|${name}tré` : elided, number(Number(value) + index + 1));
  }
for (const [index, name] of ES_VEINTI.entries()) add(name, number(21 + index));

/** `word`: in lower case. */
export const numberWord = (word: string): NumberWord | undefined => WORDS.get(word);

/** `vingt` after `quatre` is 80; a unit or, in French, 10 to 19 may follow tens. */
export function combine(tens: number, next: number): number | undefined {
  if (tens === 4 && next === 20) return 80;
  if (tens < 20 || tens % 10 !== 0) return undefined;
  if (next >= 1 && next <= 9) return tens + next;
  return (tens === 60 || tens === 80) && next >= 10 && next <= 19 ? tens + next : undefined;
}

/** Words between digits that are not part of the number. */
export const FILLERS: ReadonlySet<string> = new Set(
  (
    'um uh uhm umm er erm hmm mm and then dash hyphen space slash okay ok yes yeah ' +
    'äh ähm und dann strich bindestrich leerzeichen die der ja ' +
    'euh et puis tiret espace oui ' +
    'eh este y luego guion guión espacio ' +
    'ehm e poi trattino spazio ' +
    'en dan streepje spatie'
  ).split(' '),
);
