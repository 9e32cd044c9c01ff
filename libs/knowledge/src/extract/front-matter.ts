/** More is no front matter but a text that begins with a rule. */
const MOST_CHARACTERS = 10_000;

/** YAML between `---` lines at the very start: facts about the text, not the text. `end`: where the text begins. */
export function frontMatterOf(text: string): { end: number; title?: string } {
  const head = text.slice(0, MOST_CHARACTERS);
  const opening = /^\ufeff?---[ \t]*\r?\n(?=\w[\w -]*:)/.exec(head);
  if (!opening) return { end: 0 };
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$/gm;
  closing.lastIndex = opening[0].length;
  const found = closing.exec(head);
  if (!found) return { end: 0 };
  const title = /^title:[ \t]*(.*?)[ \t]*\r?$/m.exec(head.slice(0, found.index))?.[1]?.replace(/^(["'])(.*)\1$/, '$2');
  return title ? { end: closing.lastIndex, title } : { end: closing.lastIndex };
}
