/** What templates may name: `{{args.address.city}}`, `{{metadata.items.0}}`, `{{call.to_number}}`, `{{agent.name}}`. */
export interface TemplateScope {
  args: Record<string, unknown>;
  /** Null outside of a call: then all of it is missing. */
  call: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
  agent: Record<string, unknown>;
}

/** What came out is longer than allowed: a small template can repeat a large value many times. */
export class RenderedTooLarge extends Error {
  override readonly name = 'RenderedTooLarge';
}

const PATH = String.raw`\{\{[ \t]*((?:args|call|metadata|agent)(?:\.[^\s.{}]+)*)[ \t]*\}\}`;
const ANYWHERE = new RegExp(PATH, 'g');
const EXACT = new RegExp(`^${PATH}$`);

/** True when the text has a placeholder that would be filled in. */
export const hasPlaceholder = (text: string): boolean => text.search(ANYWHERE) >= 0;

/**
 * Fills in placeholders. Text that is exactly one placeholder becomes its value with its JSON type, null when it is missing.
 * Inside other text a missing value or null is empty, a string stands as it is, anything else as JSON. What looks like a
 * placeholder of something else (`{{name}}`) stays as it is. Names of fields are never templates.
 */
export class Rendering {
  /** @param room characters of JSON that may be made in all. @throws RenderedTooLarge from each method. */
  constructor(
    private readonly scope: TemplateScope,
    private room: number,
  ) {}

  /** A payload, with everything in it. */
  value(template: unknown): unknown {
    if (typeof template === 'string') return this.exact(template);
    if (Array.isArray(template)) return template.map((item) => this.value(item));
    if (typeof template !== 'object' || template === null) return template;
    return Object.fromEntries(Object.entries(template).map(([name, field]) => [name, this.value(field)]));
  }

  /** `written` puts a value into the text; as it is when absent. `path` is that of the placeholder. */
  text(template: string, written: (text: string, path: string) => string = (text) => text): string {
    return template.replace(ANYWHERE, (_, path: string) =>
      this.spend(written(asText(valueAt(this.scope, path)), path)),
    );
  }

  private exact(template: string): unknown {
    const path = EXACT.exec(template)?.[1];
    if (path === undefined) return this.text(template);
    const value = valueAt(this.scope, path) ?? null;
    this.spend(JSON.stringify(value));
    return value;
  }

  private spend(text: string): string {
    this.room -= text.length;
    if (this.room < 0) throw new RenderedTooLarge('The values that were filled in are too long.');
    return text;
  }
}

function valueAt(scope: TemplateScope, path: string): unknown {
  let value: unknown = scope;
  for (const name of path.split('.')) value = fieldOf(value, name);
  return value;
}

/** Own fields only: `args.constructor` is nobody's argument. */
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
