import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { declarableName, templateParts } from '../logic/template.js';
import { Field } from './forms.js';

interface TemplateFieldParts {
  name: string;
  label: string;
  hint?: string;
  rows: number;
  text: Signal<string>;
  /** Names of the variables of the agent. */
  declared: readonly string[];
  /** Declares a variable of the agent. */
  onDeclare: (name: string) => void;
}

/** A text with placeholders, which are highlighted behind the input. Unknown ones are listed below it, too. */
export function TemplateField({ name, label, hint, rows, text, declared, onDeclare }: TemplateFieldParts): VNode {
  const backdrop = useRef<HTMLDivElement>(null);
  const parts = templateParts(text.value, declared);
  const unknown = [...new Set(parts.filter(({ kind }) => kind === 'unknown').map((part) => part.text))];
  const declarable = [...new Set(unknown.map(declarableName))].filter((one) => one !== undefined);
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
          <>
            <p class="hint" role="status">
              {unknown.length > 0 && `Undeclared variables: ${unknown.join(', ')}`}
            </p>
            {declarable.length > 0 && (
              <div class="chips">
                {declarable.map((one) => (
                  <button key={one} type="button" class="chip" data-declare={one} onClick={() => onDeclare(one)}>
                    Declare {one}
                  </button>
                ))}
              </div>
            )}
          </>
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
