/**
 * The number formats of Word by their names in OOXML (ST_NumberFormat, ECMA-376 part 1, 17.18.59), and `decimalZero3` for numbers
 * of at least three digits. Unknown formats are decimal.
 */
export function formatNumber(value: number, format: string): string {
  const alphabet = ALPHABETS[format];
  if (alphabet !== undefined) return lettersOf(value, alphabet);
  const series = SERIES[format];
  if (series !== undefined) return Array.from(series)[value - 1] ?? String(value);
  const digits = DIGITS[format];
  if (digits !== undefined) return withDigits(value, Array.from(digits));
  const counting = COUNTING[format];
  if (counting !== undefined) return count(value, counting);
  const zeros = /^decimalZero(\d)$/.exec(format)?.[1];
  if (zeros !== undefined) return String(value).padStart(Number(zeros), '0');
  return (OTHERS[format] ?? String)(value);
}

/** Word repeats the letter after the end of the alphabet: z, aa, bb. Longer labels than Word writes (780 = 30 letters) are decimal. */
const MAX_REPEATS = 30;

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const RUSSIAN = 'абвгдежзиклмнопрстуфхцчшщыэюя';
const ALPHABETS: Record<string, string> = {
  lowerLetter: LATIN,
  upperLetter: LATIN.toUpperCase(),
  russianLower: RUSSIAN,
  russianUpper: RUSSIAN.toUpperCase(),
  chicago: '*†‡§',
  ganada: '가나다라마바사아자차카타파하',
  chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
  hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
  arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
  arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
  thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  hindiConsonants: 'कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह',
  hindiVowels: 'अआइईउऊऋएऐओऔ',
};

/** Formats that are decimal after their last sign. */
const SERIES: Record<string, string> = {
  decimalEnclosedCircle: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
  decimalEnclosedCircleChinese: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
  decimalEnclosedFullstop: '⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛',
  decimalEnclosedParen: '⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇',
  ideographEnclosedCircle: '㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉',
  ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
  ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
  aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  aiueoFullWidth: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  irohaFullWidth: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
};

const DIGITS: Record<string, string> = {
  decimalFullWidth: '０１２３４５６７８９',
  decimalFullWidth2: '０１２３４５６７８９',
  thaiNumbers: '๐๑๒๓๔๕๖๗๘๙',
  hindiNumbers: '०१२३४५६७८९',
  ideographDigital: '〇一二三四五六七八九',
  japaneseDigitalTenThousand: '〇一二三四五六七八九',
  taiwaneseDigital: '○一二三四五六七八九',
  koreanDigital: '영일이삼사오육칠팔구',
  koreanDigital2: '零一二三四五六七八九',
};

/** Numerals with a sign for each power of ten. `one`: 1 is written before a hundred and a thousand; `zero`: fills gaps. */
interface Counting {
  digits: string;
  units: string;
  one: boolean;
  /** "一十" instead of "十". */
  oneTen?: boolean;
  zero: string;
}

const CHINESE: Counting = { digits: '〇一二三四五六七八九', units: '十百千', one: true, zero: '零' };
const JAPANESE: Counting = { digits: '〇一二三四五六七八九', units: '十百千', one: false, zero: '' };
const COUNTING: Record<string, Counting> = {
  chineseCounting: CHINESE,
  chineseCountingThousand: CHINESE,
  taiwaneseCounting: CHINESE,
  taiwaneseCountingThousand: CHINESE,
  chineseLegalSimplified: { digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟', one: true, oneTen: true, zero: '零' },
  ideographLegalTraditional: { digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟', one: true, oneTen: true, zero: '零' },
  japaneseCounting: JAPANESE,
  japaneseLegal: { digits: '零壱弐参四伍六七八九', units: '拾百千', one: true, oneTen: true, zero: '' },
  koreanCounting: { digits: '영일이삼사오육칠팔구', units: '십백천', one: false, zero: '' },
};

const OTHERS: Record<string, (value: number) => string> = {
  bullet: () => '',
  none: () => '',
  decimalZero: (value) => String(value).padStart(2, '0'),
  lowerRoman: (value) => roman(value).toLowerCase(),
  upperRoman: roman,
  ordinal: (value) => `${value}${ordinalEnding(value)}`,
  cardinalText: (value) => capitalize(cardinal(value)),
  ordinalText: (value) => capitalize(ordinalWords(value)),
  hex: (value) => value.toString(16).toUpperCase(),
  numberInDash: (value) => `- ${value} -`,
  hebrew1: (value) => additive(value, HEBREW, 999),
};

function lettersOf(value: number, alphabet: string): string {
  const letters = Array.from(alphabet);
  const repeats = Math.ceil(value / letters.length);
  if (value < 1 || repeats > MAX_REPEATS) return String(value);
  return (letters[(value - 1) % letters.length] ?? '').repeat(repeats);
}

const withDigits = (value: number, digits: string[]): string =>
  Array.from(String(value), (digit) => digits[Number(digit)] ?? digit).join('');

function count(value: number, { digits, units, one, oneTen, zero }: Counting): string {
  if (value < 1 || value > 9_999) return String(value);
  const places = Array.from(String(value), Number);
  let written = '';
  places.forEach((digit, place) => {
    const power = places.length - 1 - place;
    if (digit === 0) {
      const isGap = places.slice(place + 1).some((later) => later > 0) && places[place - 1] !== 0;
      if (isGap) written += zero;
      return;
    }
    const isSilent = digit === 1 && power > 0 && (power === 1 ? !oneTen && (place === 0 || !one) : !one);
    written += (isSilent ? '' : digits.charAt(digit)) + units.charAt(power - 1);
  });
  return written;
}

const ROMAN: [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];
/** 15 and 16 avoid the name of God. */
const HEBREW: [number, string][] = [
  ...Array.from('תשרק', (letter, index): [number, string] => [400 - 100 * index, letter]),
  ...Array.from('צפעסנמלכ', (letter, index): [number, string] => [90 - 10 * index, letter]),
  [16, 'טז'],
  [15, 'טו'],
  [10, 'י'],
  ...Array.from('טחזוהדגבא', (letter, index): [number, string] => [9 - index, letter]),
];

function roman(value: number): string {
  return additive(value, ROMAN, 3_999);
}

function additive(value: number, signs: [number, string][], most: number): string {
  if (value < 1 || value > most) return String(value);
  let left = value;
  let written = '';
  for (const [worth, sign] of signs) {
    for (; left >= worth; left -= worth) written += sign;
  }
  return written;
}

function ordinalEnding(value: number): string {
  if (value % 100 >= 11 && value % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th';
}

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '- ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const IRREGULAR: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** English numerals below a thousand; higher ones are decimal. */
function cardinal(value: number): string {
  if (value < 0 || value > 999) return String(value);
  if (value >= 100)
    return `${ONES[Math.floor(value / 100)]} hundred${value % 100 > 0 ? ` ${cardinal(value % 100)}` : ''}`;
  if (value < 20) return ONES[value] ?? '';
  return `${TENS[Math.floor(value / 10)]}${value % 10 > 0 ? `-${ONES[value % 10]}` : ''}`;
}

function ordinalWords(value: number): string {
  if (value < 1 || value > 999) return `${value}${ordinalEnding(value)}`;
  return cardinal(value).replace(/[a-z]+$/, (last) => IRREGULAR[last] ?? `${last.replace(/y$/, 'ie')}th`);
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
