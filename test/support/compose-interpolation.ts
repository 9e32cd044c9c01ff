/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}` up to the matching brace: defaults may contain variables. */
const HEAD = /^\$\{([A-Z][A-Z0-9_]*)(?:(:-|:\?))?/;

/** A value of docker-compose.yml as Compose reads it. Throws when a required variable is missing. */
export function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  const at = text.search(/\$(?:\$|\{)/);
  if (at < 0) return text;
  const [before, rest] = [text.slice(0, at), text.slice(at)];
  if (rest.startsWith('$$')) return `${before}$${interpolated(rest.slice(2), variables)}`;
  const [head = '', name = '', operator] = HEAD.exec(rest) ?? [];
  const end = closingBrace(rest);
  const word = rest.slice(head.length, end);
  return before + valueOf(name, operator, word, variables) + interpolated(rest.slice(end + 1), variables);
}

function valueOf(
  name: string,
  operator: string | undefined,
  word: string,
  variables: Readonly<Record<string, string>>,
): string {
  const value = variables[name] ?? '';
  if (value !== '' || operator === undefined) return value;
  if (operator === ':?') throw new Error(`${name}: ${word}`);
  return interpolated(word, variables);
}

function closingBrace(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('${', at)) depth++;
    if (text[at] === '}' && --depth === 0) return at;
  }
  throw new Error(`A brace is not closed: ${text}`);
}
