import { PLACEHOLDER, type Placeholder, placeholderOf } from './placeholders.js';

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

const EXACT = /^\{\{([^{}]*)\}\}$/;

/**
 * Fills in placeholders. Text that is exactly one placeholder becomes its value with its JSON type, null when it is missing.
 * Inside other text a missing value or null is empty, a string stands as it is, anything else as JSON. Braces around anything
 * else (`{{name}}`) stay as they are, and so do names of fields.
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

  /** `written` puts a value into the text; as it is when absent. */
  text(template: string, written: (text: string, placeholder: Placeholder) => string = (text) => text): string {
    return template.replace(PLACEHOLDER, (whole, captured: string) => {
      const placeholder = placeholderOf(captured);
      return placeholder ? this.spend(written(asText(valueAt(this.scope, placeholder)), placeholder)) : whole;
    });
  }

  private exact(template: string): unknown {
    const placeholder = placeholderOf(EXACT.exec(template)?.[1] ?? '');
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
