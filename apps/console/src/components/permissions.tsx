import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps, VNode } from 'preact';
import { may, refusalOf } from '../api/me.js';
import type { Scope } from '../api/types.js';

interface MayParts {
  scope: Scope;
  /** Shows the reason instead. */
  says?: boolean;
  children: ComponentChildren;
}

/** Content for sessions with the scope, such as a link to a form. */
export function May({ scope, says, children }: MayParts): VNode | null {
  if (may(scope)) return <>{children}</>;
  return says ? <p class="hint">{refusalOf(scope)}</p> : null;
}

interface ActParts extends Omit<ComponentProps<'button'>, 'type' | 'disabled' | 'onClick' | 'title'> {
  scope: Scope;
  /** A request of the button is under way. */
  isBusy?: boolean;
  title?: string | undefined;
  onClick: (event: MouseEvent & { currentTarget: HTMLButtonElement }) => void;
}

/** A button that changes something. Without the scope it is disabled; its tooltip, and the text after a click, give the reason. */
export function ActButton({ scope, isBusy = false, title, onClick, onBlur, ...rest }: ActParts): VNode {
  const refusal = refusalOf(scope);
  const isAsked = useSignal(false);
  return (
    <>
      {/* The attribute `disabled` would take the button, and with it the reason, away from the keyboard. */}
      <button
        {...rest}
        type="button"
        title={refusal ?? title}
        aria-disabled={isBusy || refusal !== undefined}
        onClick={(event) => (refusal === undefined ? onClick(event) : void (isAsked.value = true))}
        onBlur={(event) => {
          isAsked.value = false;
          onBlur?.(event);
        }}
      />
      {isAsked.value && refusal !== undefined && (
        <span class="hint" role="status">
          {refusal}
        </span>
      )}
    </>
  );
}
