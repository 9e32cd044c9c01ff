import type * as Jsonc from 'jsonc-parser';
import { createRequire } from 'node:module';

/** A CommonJS package whose exports Node does not find by name. */
const { printParseErrorCode, visit } = createRequire(import.meta.url)('jsonc-parser') as typeof Jsonc;

type ParseErrorName = ReturnType<typeof printParseErrorCode>;

interface SyntaxFault {
  name: ParseErrorName;
  /** From 0. */
  line: number;
  character: number;
}

const VALUE = 'expected a value: text in double quotes, a number, true, false, null, an object or a list';

const EXPECTED: Readonly<Record<ParseErrorName, string>> = {
  InvalidSymbol: VALUE,
  InvalidNumberFormat: 'the number is incomplete',
  PropertyNameExpected: 'expected the name of a field in double quotes',
  ValueExpected: VALUE,
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma or a closing bracket',
  CloseBraceExpected: 'expected a comma or }',
  CloseBracketExpected: 'expected a comma or ]',
  EndOfFileExpected: 'expected nothing after the JSON value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'the text does not end with a double quote in its line',
  UnexpectedEndOfNumber: 'the number is incomplete',
  InvalidUnicode: String.raw`expected four hexadecimal digits after \u`,
  InvalidEscapeCharacter: 'the text has a backslash before a character that JSON does not escape',
  InvalidCharacter: 'the text has a control character without an escape',
  '<unknown ParseErrorCode>': VALUE,
};

/** Where text stops to be JSON, and what was expected there: `Line 1, column 8: expected a colon.` Undefined: it is not known. */
export function jsonSyntaxProblem(text: string): string | undefined {
  const [first, second] = firstFaults(text);
  if (!first) return undefined;
  // A word that is not JSON: the parser says next what it expected in its place, unless it expected nothing.
  const what = EXPECTED[first.name === 'InvalidSymbol' ? (second?.name ?? 'EndOfFileExpected') : first.name];
  return `Line ${first.line + 1}, column ${first.character + 1}: ${what}.`;
}

/** At most two. */
function firstFaults(text: string): SyntaxFault[] {
  const faults: SyntaxFault[] = [];
  const enough = new Error('The first faults are known.');
  const onError = (code: number, _offset: number, _length: number, line: number, character: number): void => {
    faults.push({ name: printParseErrorCode(code), line, character });
    if (faults.length === 2) throw enough;
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The parser is recursive: text that is nested too deeply has no place to show.
    if (error !== enough && !(error instanceof RangeError)) throw error;
  }
  return faults;
}
