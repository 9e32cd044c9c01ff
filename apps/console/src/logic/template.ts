interface TemplatePart {
  text: string;
  /** `known`: a placeholder whose name the service or the agent knows; `unknown`: one that no declaration gives a value. */
  kind: 'text' | 'known' | 'unknown';
}

/** `{{customer_name}}`, `{{metadata.city | your city}}`. */
const PLACEHOLDER = /(\{\{[^{}]*\}\})/g;
const NAME = /^\{\{\s*([\w.]+)\s*(?:\|[^{}]*)?\}\}$/;
/** As the API takes them. */
const VARIABLE = /^(?!(?:agent|args|call|metadata|now|variables)$)[A-Za-z_]\w{0,63}$/;
/** Placeholders that need no declaration. */
const BUILT_IN = /^(?:metadata\.[\w.]+|call\.\w+|agent\.\w+|now)$/;

/** The name that an unknown placeholder would declare; undefined: no variable can have it. */
export function declarableName(placeholder: string): string | undefined {
  const name = NAME.exec(placeholder)?.[1]?.replace(/^variables\./, '');
  return name !== undefined && VARIABLE.test(name) ? name : undefined;
}

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
