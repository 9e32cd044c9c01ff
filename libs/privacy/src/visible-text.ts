/** Characters that a reader does not see: format characters, variation selectors, fillers, joiners, and controls that are not spaces. */
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|(?!\s)\p{Cc}/u;
/** Marks on a digit, such as the frame of a key or a line through it. */
const MARK = /[\p{Mn}\p{Me}]/u;
const DIGIT = /\p{N}/u;
const LETTER = /\p{L}/u;
/** Texts without these are read as they are. */
const UNUSUAL = new RegExp(`${INVISIBLE.source}|[\\uff01-\\uff5e]|(?!\\d)\\p{N}|\\p{N}[\\p{Mn}\\p{Me}]`, 'u');

/** A text as a reader sees it: full-width characters, digits in circles and others are plain, and invisible characters are gone. */
interface VisibleText {
  text: string;
  /** The offsets in the written text of a span of the visible one. */
  written: (span: { start: number; end: number }) => { start: number; end: number };
}

export function visibleText(text: string): VisibleText {
  if (!UNUSUAL.test(text)) return { text, written: (span) => span };
  let visible = '';
  // By UTF-16 unit of the visible text.
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (characters: string, start: number, end: number): void => {
    visible += characters;
    for (let unit = 0; unit < characters.length; unit++) {
      starts.push(start);
      ends.push(end);
    }
  };
  let at = 0;
  let last = '';
  let hidden = false;
  for (const character of text) {
    const start = at;
    at += character.length;
    if (INVISIBLE.test(character)) {
      hidden = true;
      continue;
    }
    if (MARK.test(character) && DIGIT.test(last)) continue;
    const plain = plainCharacter(character);
    // Between a word and a number an invisible character separates; within either it hides.
    const isSeparator =
      hidden && ((LETTER.test(last) && DIGIT.test(plain)) || (DIGIT.test(last) && LETTER.test(plain)));
    if (isSeparator) add(' ', start, start);
    hidden = false;
    add(plain, start, at);
    last = plain;
  }
  const written: VisibleText['written'] = ({ start, end }) => ({
    start: starts[start] ?? text.length,
    end: end === 0 ? 0 : (ends[end - 1] ?? text.length),
  });
  return { text: visible, written };
}

function plainCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCodePoint(code - 0xfee0);
  if (code < 0x80 || !DIGIT.test(character)) return character;
  const plain = character.normalize('NFKC');
  return /^\d$/.test(plain) ? plain : character;
}
