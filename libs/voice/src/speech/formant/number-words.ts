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
const LONGEST_CARDINAL = 6;

/** English words for what stands as digits in a text: `12`, `3.50`, `007`, `5551234567`. */
export function numberWords(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const byDigit = whole.length > LONGEST_CARDINAL || (whole.length > 1 && whole.startsWith('0'));
  const words = byDigit ? spelled(whole) : cardinal(Number(whole));
  return fraction ? `${words} point ${spelled(fraction)}` : words;
}

const spelled = (digits: string): string =>
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
