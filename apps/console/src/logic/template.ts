interface TemplatePart {
  text: string;
  /** `known`: a placeholder whose name the service or the agent knows; `unknown`: one that no declaration gives a value. */
  kind: 'text' | 'known' | 'unknown';
}

/** `{{customer_name}}`, `{{metadata.city | your city}}`. */
const PLACEHOLDER = /(\{\{[^{}]*\}\})/g;
const NAME = /^\{\{\s*([\w.]+)\s*(?:\|[^{}]*)?\}\}$/;
/** Placeholders that need no declaration. */
const BUILT_IN = /^(?:metadata\.[\w.]+|call\.\w+|agent\.\w+|now)$/;

/** Splits a text at its placeholders. `declared`: names of the variables of the agent. */
export function templateParts(text: string, declared: readonly string[]): TemplatePart[] {
  return text
    .split(PLACEHOLDER)
    .filter((part) => part !== '')
    .map((part) => {
      if (!part.startsWith('{{') || !part.endsWith('}}')) return { text: part, kind: 'text' };
      const name = NAME.exec(part)?.[1];
      const isKnown =
        name !== undefined && (BUILT_IN.test(name) || declared.includes(name.replace(/^variables\./, '')));
      return { text: part, kind: isKnown ? 'known' : 'unknown' };
    });
}
