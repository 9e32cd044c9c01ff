/** What braces may name: `{{result.order.status}}`, `{{metadata.name}}`, `{{match.1}}`. */
export type TemplateScope = Record<string, unknown>;

const PLACEHOLDER = /\{\{([^{}]{1,200})\}\}/g;
const EXACT = /^\{\{([^{}]{1,200})\}\}$/;
/** A small script can name a large result many times. */
const LONGEST_TEXT = 4_000;

/** Text with its placeholders filled in; what is missing is nothing. */
export function filledText(template: string, scope: TemplateScope): string {
  return template.replace(PLACEHOLDER, (_, name: string) => asText(valueAt(scope, name))).slice(0, LONGEST_TEXT);
}

/** The same in arguments of a tool: text that is exactly one placeholder keeps the type of its value, null when it is missing. */
export function filledValue(template: unknown, scope: TemplateScope): unknown {
  if (typeof template === 'string') {
    const name = EXACT.exec(template)?.[1];
    return name === undefined ? filledText(template, scope) : (valueAt(scope, name) ?? null);
  }
  if (Array.isArray(template)) return template.map((entry) => filledValue(entry, scope));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filledValue(value, scope)]));
}

function valueAt(scope: TemplateScope, name: string): unknown {
  let value: unknown = scope;
  for (const key of name.trim().split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
