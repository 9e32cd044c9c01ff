import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Question {
  title: string;
  /** What is asked, with the buttons. */
  content: ComponentChildren;
}

const asked = signal<Question | undefined>(undefined);

/** Asks in a modal dialog; a later question replaces an earlier one. */
export const openDialog = (question: Question): void => void (asked.value = question);

export const closeDialog = (): void => void (asked.value = undefined);

/** The place of the dialog. It stays while pages change. */
export const DialogPlace = (): VNode | null =>
  asked.value ? <Dialog key={asked.value.title} {...asked.value} /> : null;

function Dialog({ title, content }: Question): VNode {
  const id = useId();
  const place = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    current?.showModal();
    // Closing returns the focus to where it was.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={place} class="dialog stack" aria-labelledby={id} onCancel={closeDialog}>
      <h2 id={id}>{title}</h2>
      {content}
    </dialog>
  );
}
