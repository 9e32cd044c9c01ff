import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { templateParts } from '../logic/template.js';
import { Field } from './forms.js';

interface TemplateFieldParts {
  name: string;
  label: string;
  hint?: string;
  rows: number;
  text: Signal<string>;
  /** Names of the variables of the agent. */
  declared: readonly string[];
}

/** A text with placeholders, which are highlighted behind the input. Unknown ones are listed below it, too. */
export function TemplateField({ name, label, hint, rows, text, declared }: TemplateFieldParts): VNode {
  const backdrop = useRef<HTMLDivElement>(null);
  const parts = templateParts(text.value, declared);
  const unknown = [...new Set(parts.filter(({ kind }) => kind === 'unknown').map((part) => part.text))];
  return (
    <div class="template">
      <div ref={backdrop} class="template-marks" aria-hidden="true">
        {parts.map((part, index) =>
          part.kind === 'text' ? (
            part.text
          ) : (
            <mark key={index} class={part.kind}>
              {part.text}
            </mark>
          ),
        )}
        {'\n'}
      </div>
      <Field
        name={name}
        label={label}
        hint={hint}
        after={
          <p class="hint" role="status">
            {unknown.length > 0 && `Not declared as a variable: ${unknown.join(', ')}`}
          </p>
        }
      >
        <textarea
          rows={rows}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onScroll={(event) => {
            if (backdrop.current) backdrop.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </Field>
    </div>
  );
}
