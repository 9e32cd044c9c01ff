/** Does `work` unless the button is at it already. `disabled` would take the focus from whoever has no mouse. */
export async function atWork(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try {
    await work();
  } finally {
    button.ariaDisabled = 'false';
  }
}
