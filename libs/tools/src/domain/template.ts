import { secureNamesIn } from '@app/common';
import { PLACEHOLDER_ROOTS, type PlaceholderRoot } from './tool.js';

/** The values that placeholders refer to: `{{args.address.city}}`, `{{metadata.items.0}}`, `{{call.to_number}}`, `{{agent.name}}`. */
export interface TemplateScope {
  args: Record<string, unknown>;
  /** The variables of the conversation. */
  vars: Record<string, unknown>;
  /** Null outside of a call. */
  call: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
  agent: Record<string, unknown>;
  /** Null: the tool does not run in the background. */
  callback: { url: string } | null;
}

/** The rendered text is too long: a small template can repeat a large value many times. */
export class RenderedTooLarge extends Error {
  override readonly name = 'RenderedTooLarge';
}

const EXACT = /^\{\{([^{}]*)\}\}$/;

/**
 * Renders templates. Text that is exactly one placeholder becomes its value with its JSON type, null when it is missing. Inside other
 * text a missing value or null is empty, a string is inserted unchanged, anything else as JSON. Unknown placeholders (`{{name}}`) and
 * field names stay unchanged.
 */
export class TemplateRenderer {
  /** @param room characters of JSON that may be inserted in total. @throws RenderedTooLarge from each method. */
  constructor(
    private readonly scope: TemplateScope,
    private room: number,
  ) {}

  /** Renders a payload with all nested values. */
  value(template: unknown): unknown {
    if (typeof template === 'string') return this.exact(template);
    if (Array.isArray(template)) return template.map((item) => this.value(item));
    if (typeof template !== 'object' || template === null) return template;
    return Object.fromEntries(Object.entries(template).map(([name, field]) => [name, this.value(field)]));
  }

  /** `written` encodes a value for the text; without it, values are inserted unchanged. */
  text(template: string, written: (text: string, placeholder: Placeholder) => string = (text) => text): string {
    return template.replace(PLACEHOLDER, (whole, captured: string) => {
      const placeholder = parsePlaceholder(captured);
      return placeholder ? this.spend(written(asText(valueAt(this.scope, placeholder)), placeholder)) : whole;
    });
  }

  private exact(template: string): unknown {
    const placeholder = parsePlaceholder(EXACT.exec(template)?.[1] ?? '');
    if (!placeholder) return this.text(template);
    const value = valueAt(this.scope, placeholder) ?? null;
    this.spend(JSON.stringify(value));
    return value;
  }

  private spend(text: string): string {
    this.room -= text.length;
    if (this.room < 0) throw new RenderedTooLarge('The values that were filled in are too long.');
    return text;
  }
}

function valueAt(scope: TemplateScope, { root, way }: Placeholder): unknown {
  let value: unknown = scope[root];
  for (const name of way) value = fieldOf(value, name);
  return value;
}

/** Own fields only: `args.constructor` is not an argument. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** A value inside other text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** `{{args.items.0.name}}`: a root and the path from there. Without a path it refers to the whole root. */
export interface Placeholder {
  root: PlaceholderRoot;
  way: string[];
}

/** Any text between double braces. White space is trimmed later: matching it here would backtrack. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const MAX_LENGTH = 256;
const NAME = /^[A-Za-z0-9_-]+$/;

/** Parses the group that PLACEHOLDER captured, ignoring white space around it. Undefined: not a placeholder. */
function parsePlaceholder(captured: string): Placeholder | undefined {
  const expression = captured.trim();
  if (expression.length > MAX_LENGTH) return undefined;
  const [first = '', ...way] = expression.split('.');
  const root = PLACEHOLDER_ROOTS.find((known) => known === first);
  return root && way.every((name) => NAME.test(name)) ? { root, way } : undefined;
}

/** An error message for the first unknown placeholder of a text; undefined when all are known. */
export function placeholderProblem(text: string): string | undefined {
  const wrong = [...text.matchAll(PLACEHOLDER)].find(
    ([whole, captured = '']) => parsePlaceholder(captured) === undefined && secureNamesIn(whole).length === 0,
  );
  if (!wrong) return undefined;
  const roots = [...PLACEHOLDER_ROOTS, 'secure'].map((root) => `{{${root}.…}}`).join(', ');
  return `The placeholder ${wrong[0].slice(0, 60)} is unknown. Placeholders are ${roots}.`;
}
