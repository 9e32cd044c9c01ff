import { PLACEHOLDER_ROOTS, type PlaceholderRoot } from './tool.js';

/** `{{args.items.0.name}}`: the root, and the way from there. Without a way it stands for everything under the root. */
export interface Placeholder {
  root: PlaceholderRoot;
  way: string[];
}

/** Whatever stands between double braces. It does not look for the white space in them, which would take it back and forth. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const LONGEST = 256;
const NAME = /^[A-Za-z0-9_-]+$/;

/** `captured`: by PLACEHOLDER; white space around it does not count. Undefined: it is none. */
export function placeholderOf(captured: string): Placeholder | undefined {
  const expression = captured.trim();
  if (expression.length > LONGEST) return undefined;
  const [first = '', ...way] = expression.split('.');
  const root = PLACEHOLDER_ROOTS.find((known) => known === first);
  return root && way.every((name) => NAME.test(name)) ? { root, way } : undefined;
}

/** A sentence about the first placeholder in a text that cannot be filled in; undefined: all can. */
export function placeholderProblem(text: string): string | undefined {
  const wrong = [...text.matchAll(PLACEHOLDER)].find(([, captured = '']) => placeholderOf(captured) === undefined);
  if (!wrong) return undefined;
  const roots = PLACEHOLDER_ROOTS.map((root) => `{{${root}.…}}`).join(', ');
  return `The placeholder ${wrong[0].slice(0, 60)} is unknown. Placeholders are ${roots}.`;
}
