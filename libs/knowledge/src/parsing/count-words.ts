/** What a character does to the word it stands in: `whole` is a word by itself (no spaces between words in its script). */
type Role = 'none' | 'space' | 'letter' | 'whole';

/** Words as a person counts them: what stands between spaces and has a letter or a digit; Chinese and Japanese by character. */
export function countWords(text: string): number {
  let words = 0;
  let counted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    const role = roleOf(code);
    if (role === 'whole' || (role === 'letter' && !counted)) words++;
    if (role !== 'none') counted = role === 'letter';
  }
  return words;
}

const known: Role[] = [];

/** Remembered: a test by its properties costs more than all the rest. */
const roleOf = (code: number): Role => (known[code] ??= role(String.fromCodePoint(code)));

function role(character: string): Role {
  if (/\s/u.test(character)) return 'space';
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return 'whole';
  return /[\p{L}\p{N}]/u.test(character) ? 'letter' : 'none';
}
