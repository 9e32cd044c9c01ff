/** What a line of Markdown is by itself; what it means depends on the lines before it. */
export type MarkdownLine =
  | { kind: 'blank' }
  | { kind: 'fence'; mark: string; length: number }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'underline'; level: 1 | 2 }
  | { kind: 'rule' }
  | { kind: 'item'; text: string }
  | { kind: 'definition' }
  | { kind: 'text'; text: string };

export function markdownLine(source: string): MarkdownLine {
  const line = withoutQuotes(source).trimEnd();
  const text = line.trimStart();
  if (text === '') return { kind: 'blank' };
  const fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[0];
  if (fence !== undefined) return { kind: 'fence', mark: fence.charAt(0), length: fence.length };
  return headingOf(text) ?? ruleOf(text) ?? itemOf(text) ?? { kind: isDefinition(text) ? 'definition' : 'text', text };
}

/** A line of a code block as it stands, but for the quotation's marks. */
export const codeLine = withoutQuotes;

/** A quotation is read like the rest; only a loop strips a million marks in linear time. */
function withoutQuotes(line: string): string {
  if (!/^ {0,3}>/.test(line)) return line;
  let at = 0;
  while (at < line.length && ' >'.includes(line.charAt(at))) at++;
  return line.slice(at);
}

function headingOf(text: string): MarkdownLine | undefined {
  const marks = /^#{1,6}(?=[ \t]|$)/.exec(text)?.[0];
  if (marks === undefined) return undefined;
  return { kind: 'heading', level: marks.length, text: withoutClosing(text.slice(marks.length).trim()) };
}

/** `## Title ##` and `## Title {#anchor}`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '#') end--;
  const closed = end < text.length && (end === 0 || /\s/.test(text.charAt(end - 1))) ? text.slice(0, end) : text;
  return closed.replace(/\s\{#[\w:.-]{1,100}\}\s*$/, '').trim();
}

function ruleOf(text: string): MarkdownLine | undefined {
  if (text.length > 1_000) return undefined;
  if (/^=+$/.test(text)) return { kind: 'underline', level: 1 };
  if (/^-+$/.test(text)) return { kind: 'underline', level: 2 };
  return /^(?:[-*_][ \t]*){3,}$/.test(text) && new Set(text.replace(/\s/g, '')).size === 1
    ? { kind: 'rule' }
    : undefined;
}

/** Numbers stay as they are written: "step 3" must not become another step. */
function itemOf(text: string): MarkdownLine | undefined {
  const bullet = /^(?:[-*+]|(\d{1,9}[.)]))[ \t]+(?=\S)/.exec(text);
  if (!bullet) return undefined;
  const words = text.slice(bullet[0].length).replace(/^\[[ xX]\][ \t]+/, '');
  return { kind: 'item', text: `${bullet[1] ?? '-'} ${words}` };
}

/** The address behind `[name]`; a footnote's `[^1]: text` is text. */
const isDefinition = (text: string): boolean => /^\[(?!\^)[^[\]]{1,200}\]:[ \t]*\S/.test(text);
